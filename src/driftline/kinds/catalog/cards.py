"""Product cards that nobody described: the repeated elements of a page that hold a link and a price."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import Final

from driftline.core.commerce.currency_symbols import look_up
from driftline.core.identity.urls import clean, registrable_host
from driftline.core.markup.outline import Outline
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.catalog.money import Money, Seen
from driftline.kinds.catalog.product import product_key

MAX_PRICES: Final = 5_000  # places of one page that are looked at
_MAX_CLIMB: Final = 14
_LONGEST: Final = 80  # characters of a price in pieces, with what is said beside it
_READ: Final = 2_000  # characters of one text that are searched for a price: no card says more before it
_DIGIT: Final = lazy_regex(r"\d")
_NO_PRODUCT: Final = lazy_regex(
    r"^(?:#|javascript:|mailto:|tel:|data:)|[/?&=](?:add[-_]?to[-_]?(?:cart|basket|wishlist)|cart|basket|warenkorb|checkout|wishlist|merkzettel|compare|"
    r"login|signin|account|logout)(?:[/?&=.]|$)",
    re.IGNORECASE,
)
_VARYING: Final = lazy_regex(r"\d+|(?:^|\s)(?:odd|even|first|last|alt|active|featured|sale|new)(?=\s|$)", re.IGNORECASE)
_ENDS: Final = frozenset("header footer".split())  # of a page, unless cards have their own
# Products beside the listing: what others bought, what was looked at before.
_ASIDE: Final = lazy_regex(
    r"(?:^|[\s_-])(?:recent(?:ly)?|related|recommend(?:ed|ation|ations)?|upsells?|cross-?sells?|also-?(?:like|liked|bought|viewed)|similar|"
    r"last-?viewed)(?:$|[\s_-])",
    re.IGNORECASE,
)
_WHOLE: Final = frozenset("body html main".split())  # more than a card
_MOST: Final = 4  # fifths of the cards: a name that these have is one of all


class Links:
    """Which links of a page lead to products: not anchors, scripts, carts, other sites or the page itself."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._page = clean(base)
        self._site = registrable_host(base)
        self._known: dict[str, str | None] = {}

    def product(self, href: str | None) -> str | None:
        """The product's URL, cleaned."""
        if not href:
            return None
        if href not in self._known:
            bare = href.strip()
            self._known[href] = self._resolved(bare) if bare and not _NO_PRODUCT.search(bare) else None
        return self._known[href]

    def _resolved(self, href: str) -> str | None:
        url = product_key(href, self._base)
        return url if url is not None and url != self._page and registrable_host(url) == self._site else None


class ListingPage:
    """A listing page taken apart: its outline, where its links to products stand and what its prices are in."""

    def __init__(self, outline: Outline, links: Links, currency: str | None) -> None:
        self.outline = outline
        self.targets = [  # the links to products, in order: their places, and where they lead
            (at, url) for at in outline.links if (url := links.product(outline.attributes[at].get("href"))) is not None
        ]
        self._linked = [at for at, _ in self.targets]
        holders = _price_holders(outline, currency)
        self.money = Money(currency, holders)
        self.holders = [holder.place for holder in holders if self.money.takes(holder.currencies)]

    def products(self, at: int) -> list[tuple[int, str]]:
        """The links to products in an element, itself included."""
        first = bisect_left(self._linked, at)
        return self.targets[first : bisect_left(self._linked, self.outline.ends[at], first)]

    def leads(self, at: int) -> bool:
        """Whether an element is or holds a link to a product."""
        first = bisect_left(self._linked, at)
        return first < len(self._linked) and self._linked[first] < self.outline.ends[at]

    def names(self, at: int) -> frozenset[str]:
        """An element's classes, without what differs from card to card."""
        return _names(self.outline.attributes[at].get("class") or "")

    def shape(self, at: int) -> tuple[str, frozenset[str]]:
        """What an element looks like."""
        return self.outline.tags[at], self.names(at)


@short_cache(4096)
def _names(classes: str) -> frozenset[str]:
    return frozenset(_VARYING.sub("", classes).split())


def find_cards(page: ListingPage, *, lone: bool = False) -> tuple[list[int], frozenset[int]]:
    """The largest family of cards, in document order, and which of them only look alike and show no price.

    `lone` takes a single card too: the last page of a listing may have no more.
    """
    outline = page.outline
    many = Counter(tag for tag in outline.tags if tag in _ENDS)
    inner = {found: None for holder in page.holders if (found := _with_link(page, holder, many)) is not None}
    inner = {at: None for at in inner if not _is_aside(outline, at)} or inner
    smallest = next((at for at in inner if outline.tags[at] not in _WHOLE), None)
    inner = _one_per_card(page, inner)
    if len(inner) < 2:
        return [_grown(page, smallest)] if lone and smallest is not None else [], frozenset()
    counts = _card_counts(outline, inner)
    cards: dict[int, None] = {}
    for at in inner:
        if counts[at] > 1:
            continue  # holds other cards: a header, a table, the grid itself
        card = at
        for parent in outline.above(at):
            if counts[parent] > 1 or outline.tags[parent] in _WHOLE:
                break
            card = parent
        cards.setdefault(card)
    return _family(page, list(cards))


def _price_holders(outline: Outline, currency: str | None) -> list[Seen]:
    """The smallest elements whose text is or holds a price."""
    texts, parents = outline.texts, outline.parents
    spoken = outline.spoken
    holders: dict[int, Seen] = {}
    asked: dict[int, Seen | None] = {}  # elements with their whole text; each is asked once
    for number, at in enumerate(spoken):
        if not _DIGIT.search(text := texts[at]):
            continue
        if seen := Seen.of(parents[at], text[:_READ], currency):
            holders.setdefault(seen.place, seen)
        elif _beside_a_mark(texts, spoken, number):
            for element, _ in zip(outline.above(at), range(3), strict=False):  # $ and 19 and 99 may be elements of their own
                if element not in asked:
                    whole = " ".join(outline.text(element).split()) if outline.ends[element] - element < _LONGEST else ""
                    asked[element] = Seen.of(element, whole, currency) if 0 < len(whole) <= _LONGEST else None
                if (seen := asked[element]) is not None:
                    holders.setdefault(seen.place, seen)
                    break
        if len(holders) >= MAX_PRICES:
            break
    return list(holders.values())


def _beside_a_mark(texts: list[str], spoken: list[int], number: int) -> bool:
    """Whether one of the texts around a number may be its currency: it begins or ends with one."""
    for near in (*range(max(0, number - 3), number), *range(number + 1, min(number + 4, len(spoken)))):
        said = texts[spoken[near]].split()
        if said and (look_up(said[-1 if near < number else 0][-6:]) is not None or not said[0][:1].isalnum()):
            return True
    return False


def _with_link(page: ListingPage, at: int, many: Counter[str]) -> int | None:
    """The nearest element around a price that holds or is a link to a product."""
    tags = page.outline.tags
    climbed = 0
    while at >= 0 and climbed < _MAX_CLIMB:
        tag = tags[at]
        if tag in ("body", "html", "nav") or (tag in _ENDS and many[tag] <= 2):
            return None
        if page.leads(at):
            return at
        at = page.outline.parents[at]
        climbed += 1
    return None


def _is_aside(outline: Outline, at: int) -> bool:
    """Whether an element around it says that its products are no part of the listing."""
    for _ in range(_MAX_CLIMB):
        if at < 0 or outline.tags[at] in _WHOLE:
            return False
        given = outline.attributes[at]
        if outline.tags[at] == "aside" or _says_aside(f"{given.get('class') or ''} {given.get('id') or ''}"):
            return True
        at = outline.parents[at]
    return False


@short_cache(4096)
def _says_aside(names: str) -> bool:
    return _ASIDE.search(names) is not None


def _grown(page: ListingPage, card: int) -> int:
    """A lone card, taken as large as it speaks of one product only."""
    products = {url for _, url in page.products(card)}
    for parent in page.outline.above(card):
        if page.outline.tags[parent] in _WHOLE or {url for _, url in page.products(parent)} != products:
            break
        card = parent
    return card


def _one_per_card(page: ListingPage, inner: dict[int, None]) -> dict[int, None]:
    """Without those inside another that speaks of the same product: a price link in a card beside a note about delivery."""
    inside: dict[int, set[int]] = {}
    for at in inner:
        for parent in page.outline.above(at):
            if parent in inner:
                inside.setdefault(parent, set()).add(at)
    dropped: set[int] = set()
    for nested in inside.values():
        products = {frozenset(url for _, url in page.products(one)) for one in nested if one not in inside}
        if len(products) == 1:
            dropped |= nested
    return {at: None for at in inner if at not in dropped}


def _card_counts(outline: Outline, inner: dict[int, None]) -> Counter[int]:
    """How many of the elements lie in each element, itself included."""
    counts: Counter[int] = Counter(inner.keys())
    for at in inner:
        counts.update(outline.above(at))
    return counts


def _family(page: ListingPage, cards: list[int]) -> tuple[list[int], frozenset[int]]:
    """The largest group of like cards in like places, with the siblings among them that show no price (sold-out ones do)."""
    parents, tags = page.outline.parents, page.outline.tags
    cards = [card for card in cards if parents[card] >= 0]
    if not cards:
        return [], frozenset()
    places = Counter((tags[card], page.shape(parents[card])) for card in cards)
    shapes = Counter(page.shape(card) for card in cards)
    place, by_place = places.most_common(1)[0]
    shape, by_shape = shapes.most_common(1)[0]
    if max(by_place, by_shape) < 2:
        return [], frozenset()
    chosen = [
        card
        for card in cards
        if (tags[card], page.shape(parents[card])) == place or (page.shape(card) == shape and by_shape > 1 and shape[1])
    ]
    if shape[1] and by_shape * 5 >= len(chosen) * 3:  # a strip of suggestions may stand in the same place
        chosen = [card for card in chosen if shape[1] & page.names(card)]
    own = Counter(name for card in chosen for name in page.names(card))
    common = {name for name, times in own.items() if times * 5 >= len(chosen) * _MOST}
    family = dict.fromkeys(chosen)
    doubtful: set[int] = set()
    for parent in {parents[card] for card in chosen}:
        child = parent + 1
        while child < page.outline.ends[parent]:
            if child not in family and tags[child] == shape[0] and common <= page.names(child):
                family[child] = None
                if not common or not page.names(child) <= own.keys():
                    doubtful.add(child)
            child = page.outline.ends[child]
    return sorted(family), frozenset(doubtful)
