"""Product cards that nobody described: the repeated elements of a page that hold a link and a price."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.prices import find_prices
from driftline.core.urls import clean, registrable_host

MAX_PRICES: Final = 5_000  # places of one page that are looked at
_MAX_CLIMB: Final = 14
_DIGIT: Final = re.compile(r"\d")
_NO_PRODUCT: Final = re.compile(
    r"^(?:#|javascript:|mailto:|tel:|data:)|[/?&=](?:add[-_]?to[-_]?(?:cart|basket|wishlist)|cart|basket|warenkorb|checkout|wishlist|merkzettel|compare|"
    r"login|signin|account|logout)(?:[/?&=.]|$)",
    re.IGNORECASE,
)
_VARYING: Final = re.compile(r"\d+|(?:^|\s)(?:odd|even|first|last|alt|active|featured|sale|new)(?=\s|$)", re.IGNORECASE)
_OUTSIDE: Final = frozenset("header footer nav".split())


def product_link(node: LexborNode, base: str) -> str | None:
    """The product that a link leads to; None for anchors, scripts, carts and other shops' sites."""
    href = (node.attributes.get("href") or "").strip()
    if not href or _NO_PRODUCT.search(href):
        return None
    url = clean(href, base)
    return url if url is not None and registrable_host(url) == registrable_host(base) and url != base else None


def find_cards(tree: LexborHTMLParser, base: str) -> list[LexborNode]:
    """The largest family of cards, in document order; none where nothing repeats."""
    body = tree.body
    if body is None:
        return []
    page = clean(base) or base
    holders = _price_holders(body)
    inner: dict[int, LexborNode] = {}
    for holder in holders:
        found = _with_link(holder, page)
        if found is not None:
            inner.setdefault(found.mem_id, found)
    if len(inner) < 2:
        return []
    above = _card_counts(inner)
    cards: dict[int, LexborNode] = {}
    for node in inner.values():
        if above.get(node.mem_id, 0) > 1:
            continue  # holds other cards: a header, a table, the grid itself
        card = node
        while (
            (parent := card.parent) is not None
            and above.get(parent.mem_id, 0) <= 1
            and parent.tag not in ("body", "html", "main")
        ):
            card = parent
        cards.setdefault(card.mem_id, card)
    return _family(list(cards.values()))


def _price_holders(body: LexborNode) -> list[LexborNode]:
    """The smallest elements whose text is or holds a price."""
    holders: dict[int, LexborNode] = {}
    for node in body.traverse(include_text=True):
        if not node.is_text_node or not _DIGIT.search(text := node.text_content or ""):
            continue
        element = node.parent
        for _ in range(3):  # $ and 19 and 99 may be elements of their own
            if element is None or element.tag in ("body", "script", "style", "template", "noscript", "title"):
                break
            if find_prices(text):
                holders.setdefault(element.mem_id, element)
                break
            element = element.parent
            text = element.text(deep=True, separator=" ") if element is not None else ""
            if len(text) > 80:
                break
        if len(holders) >= MAX_PRICES:
            break
    return list(holders.values())


def _with_link(node: LexborNode, base: str) -> LexborNode | None:
    """The nearest element around a price that holds or is a link to a product."""
    current: LexborNode | None = node
    for _ in range(_MAX_CLIMB):
        if current is None or current.tag in ("body", "html") or current.tag in _OUTSIDE:
            return None
        if current.tag == "a" and product_link(current, base):
            return current
        if any(product_link(link, base) for link in current.css("a[href]")):
            return current
        current = current.parent
    return None


def _card_counts(inner: dict[int, LexborNode]) -> Counter[int]:
    """How many of the elements lie in each element, itself included."""
    counts: Counter[int] = Counter()
    for node in inner.values():
        current: LexborNode | None = node
        while current is not None:
            counts[current.mem_id] += 1
            current = current.parent
    return counts


def _shape(node: LexborNode) -> tuple[str, str]:
    return node.tag or "", " ".join(sorted(_VARYING.sub("", node.attributes.get("class") or "").split()))


def _family(cards: list[LexborNode]) -> list[LexborNode]:
    """The largest group of like cards in like places, with the siblings among them that show no price (sold-out ones do)."""
    places = Counter((card.tag, _shape(card.parent)) for card in cards if card.parent is not None)
    shapes = Counter(_shape(card) for card in cards)
    if not places:
        return []
    (tag, place), by_place = places.most_common(1)[0]
    shape, by_shape = shapes.most_common(1)[0]
    if max(by_place, by_shape) < 2:
        return []
    chosen = [
        card
        for card in cards
        if card.parent is not None
        and ((card.tag, _shape(card.parent)) == (tag, place) or (_shape(card) == shape and by_shape > 1 and shape[1]))
    ]
    found: dict[int, LexborNode] = {}
    for card in chosen:
        for sibling in _siblings(card):
            if sibling.mem_id in found:
                continue
            if sibling.mem_id == card.mem_id or (_shape(sibling) == _shape(card) and _shape(card)[1]):
                found[sibling.mem_id] = sibling
    return list(found.values())


def _siblings(card: LexborNode) -> list[LexborNode]:
    parent = card.parent
    return [card] if parent is None else list(parent.iter(include_text=False))
