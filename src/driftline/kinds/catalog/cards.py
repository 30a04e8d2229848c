"""Product cards that nobody described: the repeated elements of a page that hold a link and a price."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.later import later
from driftline.core.prices import find_prices
from driftline.core.urls import clean, registrable_host
from driftline.kinds.catalog.product import product_key

MAX_PRICES: Final = 5_000  # places of one page that are looked at
_MAX_CLIMB: Final = 14
_DIGIT: Final = later(r"\d")
_NO_PRODUCT: Final = later(
    r"^(?:#|javascript:|mailto:|tel:|data:)|[/?&=](?:add[-_]?to[-_]?(?:cart|basket|wishlist)|cart|basket|warenkorb|checkout|wishlist|merkzettel|compare|"
    r"login|signin|account|logout)(?:[/?&=.]|$)",
    re.IGNORECASE,
)
_VARYING: Final = later(r"\d+|(?:^|\s)(?:odd|even|first|last|alt|active|featured|sale|new)(?=\s|$)", re.IGNORECASE)
_SILENT: Final = frozenset("script style template noscript title textarea".split())
_OUTSIDE: Final = frozenset("header footer nav".split())
# Products beside the listing: what others bought, what was looked at before.
_ASIDE: Final = later(
    r"(?:^|[\s_-])(?:recent(?:ly)?|related|recommend(?:ed|ation|ations)?|upsells?|cross-?sells?|also-?(?:like|liked|bought|viewed)|similar|"
    r"last-?viewed)(?:$|[\s_-])",
    re.IGNORECASE,
)
_WHOLE: Final = frozenset("body html main".split())  # more than a card


class Links:
    """Which links of a page lead to products: not anchors, scripts, carts, other sites or the page itself."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._page = clean(base)
        self._site = registrable_host(base)
        self._known: dict[str, str | None] = {}

    def product(self, node: LexborNode) -> str | None:
        """The product's URL, cleaned."""
        href = (node.attributes.get("href") or "").strip()
        if href not in self._known:
            self._known[href] = self._resolved(href) if href and not _NO_PRODUCT.search(href) else None
        return self._known[href]

    def _resolved(self, href: str) -> str | None:
        url = product_key(href, self._base)
        return url if url is not None and url != self._page and registrable_host(url) == self._site else None


def find_cards(
    tree: LexborHTMLParser, links: Links, *, currency: str | None = None, lone: bool = False
) -> tuple[list[LexborNode], frozenset[int]]:
    """The largest family of cards, in document order, and which of them (by memory id) only look alike and show no price.

    `currency` is what the page's prices are in; `lone` takes a single card too: the last page of a listing may have no more.
    """
    body = tree.body
    if body is None:
        return [], frozenset()
    inner: dict[int, LexborNode] = {}
    asked: dict[int, bool] = {}
    for holder in _price_holders(body, currency):
        found = _with_link(holder, links, asked)
        if found is not None:
            inner.setdefault(found.mem_id, found)
    inner = {ident: node for ident, node in inner.items() if not _is_aside(node)} or inner
    smallest = next((node for node in inner.values() if node.tag not in _WHOLE), None)
    inner = _one_per_card(inner, links)
    if len(inner) < 2:
        return [_grown(smallest, links)] if lone and smallest is not None else [], frozenset()
    above = _card_counts(inner)
    cards: dict[int, LexborNode] = {}
    for node in inner.values():
        if above.get(node.mem_id, 0) > 1:
            continue  # holds other cards: a header, a table, the grid itself
        card = node
        while (parent := card.parent) is not None and above.get(parent.mem_id, 0) <= 1 and parent.tag not in _WHOLE:
            card = parent
        cards.setdefault(card.mem_id, card)
    return _family(list(cards.values()))


def _is_aside(node: LexborNode) -> bool:
    """Whether an element around it says that its products are no part of the listing."""
    current: LexborNode | None = node
    for _ in range(_MAX_CLIMB):
        if current is None or current.tag in _WHOLE:
            return False
        attributes = current.attributes
        if current.tag == "aside" or _ASIDE.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"):
            return True
        current = current.parent
    return False


def _grown(card: LexborNode, links: Links) -> LexborNode:
    """A lone card, taken as large as it speaks of one product only."""
    products = _products(card, links)
    while (parent := card.parent) is not None and parent.tag not in _WHOLE and _products(parent, links) == products:
        card = parent
    return card


def _price_holders(body: LexborNode, currency: str | None) -> list[LexborNode]:
    """The smallest elements whose text is or holds a price."""
    holders: dict[int, LexborNode] = {}
    around: dict[int, bool] = {}  # by memory id: does the element's whole text hold a price? Each is asked once
    for node in body.traverse(include_text=True):
        if not node.is_text_node or not _DIGIT.search(text := node.text_content or ""):
            continue
        element = node.parent
        if element is None or element.tag in _SILENT:
            continue
        if find_prices(text, currency=currency):
            holders.setdefault(element.mem_id, element)
        else:
            for _ in range(3):  # $ and 19 and 99 may be elements of their own
                if element is None or element.tag == "body":
                    break
                if element.mem_id not in around:
                    whole = element.text(deep=True, separator=" ")
                    around[element.mem_id] = len(whole) <= 80 and bool(find_prices(whole, currency=currency))
                if around[element.mem_id]:
                    holders.setdefault(element.mem_id, element)
                    break
                element = element.parent
        if len(holders) >= MAX_PRICES:
            break
    return list(holders.values())


def _with_link(node: LexborNode, links: Links, asked: dict[int, bool]) -> LexborNode | None:
    """The nearest element around a price that holds or is a link to a product; each element is asked once."""
    current: LexborNode | None = node
    for _ in range(_MAX_CLIMB):
        if current is None or current.tag in ("body", "html") or current.tag in _OUTSIDE:
            return None
        ident = current.mem_id
        if ident not in asked:
            itself = current.tag == "a" and links.product(current) is not None
            asked[ident] = itself or any(links.product(link) for link in current.css("a[href]"))
        if asked[ident]:
            return current
        current = current.parent
    return None


def _one_per_card(inner: dict[int, LexborNode], links: Links) -> dict[int, LexborNode]:
    """Without those inside another that speaks of the same product: a price link in a card beside a note about delivery."""
    inside: dict[int, set[int]] = {}
    for node in inner.values():
        parent = node.parent
        while parent is not None:
            if parent.mem_id in inner:
                inside.setdefault(parent.mem_id, set()).add(node.mem_id)
            parent = parent.parent
    dropped: set[int] = set()
    for nested in inside.values():
        products = {frozenset(_products(inner[one], links)) for one in nested if one not in inside}
        if len(products) == 1:
            dropped |= nested
    return {ident: node for ident, node in inner.items() if ident not in dropped}


def _products(node: LexborNode, links: Links) -> set[str]:
    own = links.product(node) if node.tag == "a" else None
    return {url for link in node.css("a[href]") if (url := links.product(link))} | ({own} if own else set())


def _card_counts(inner: dict[int, LexborNode]) -> Counter[int]:
    """How many of the elements lie in each element, itself included."""
    counts: Counter[int] = Counter()
    for node in inner.values():
        current: LexborNode | None = node
        while current is not None:
            counts[current.mem_id] += 1
            current = current.parent
    return counts


def _names(node: LexborNode) -> frozenset[str]:
    """An element's classes, without what differs from card to card."""
    return frozenset(_VARYING.sub("", node.attributes.get("class") or "").split())


def _shape(node: LexborNode) -> tuple[str, frozenset[str]]:
    return node.tag or "", _names(node)


def _family(cards: list[LexborNode]) -> tuple[list[LexborNode], frozenset[int]]:
    """The largest group of like cards in like places, with the siblings among them that show no price (sold-out ones do)."""
    places = Counter((card.tag, _shape(card.parent)) for card in cards if card.parent is not None)
    shapes = Counter(_shape(card) for card in cards)
    if not places:
        return [], frozenset()
    place, by_place = places.most_common(1)[0]
    shape, by_shape = shapes.most_common(1)[0]
    if max(by_place, by_shape) < 2:
        return [], frozenset()
    chosen = {
        card.mem_id: card
        for card in cards
        if card.parent is not None
        and ((card.tag, _shape(card.parent)) == place or (_shape(card) == shape and by_shape > 1 and shape[1]))
    }
    tag, common = shape
    if common and by_shape * 5 >= len(chosen) * 3:  # a strip of suggestions may stand in the same place
        chosen = {ident: card for ident, card in chosen.items() if common & _names(card)}
    family: dict[int, LexborNode] = {}
    doubtful: set[int] = set()
    parents = {card.parent.mem_id: card.parent for card in chosen.values() if card.parent is not None}
    for parent in parents.values():
        for child in parent.iter(include_text=False):
            if child.mem_id in chosen:
                family[child.mem_id] = child
            elif child.tag == tag and common <= _names(child):
                family[child.mem_id] = child
                if not common or _names(child) != common:
                    doubtful.add(child.mem_id)
    return list(family.values()), frozenset(doubtful)
