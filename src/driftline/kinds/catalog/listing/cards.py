"""Finds product cards without rules: the repeated elements of a page with a link and a price."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from functools import cached_property
from typing import Final

from driftline.core.commerce.currency_symbols import look_up
from driftline.core.identity.urls import clean, registrable_host
from driftline.core.lexicon import any_of
from driftline.core.markup.outline import Outline
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.catalog.listing.money import AmountsSeen, PageCurrencies
from driftline.kinds.catalog.listing.parts import HEADINGS, Parts, parts_of
from driftline.kinds.catalog.product import product_key

MAX_PRICES: Final = 5_000  # price candidates per page
_MAX_CLIMB: Final = 14
_MAX_SPLIT_PRICE: Final = 80  # characters of a price that is split over elements, with its surroundings
_MAX_PART: Final = 24  # of one part of it; longer texts are names
_SEARCHED_CHARACTERS: Final = 2_000  # of one text, searched for a price
_DIGIT: Final = lazy_regex(r"\d")
_NOWHERE: Final = (
    r"^(?:#|javascript:|mailto:|tel:|data:)|[/?&=](?:wishlist|merkzettel|compare|login|signin|account|logout)(?:[/?&=.]|$)"
)
_NO_ADDRESS: Final = lazy_regex(_NOWHERE, re.IGNORECASE)
_NO_PRODUCT: Final = lazy_regex(
    rf"{_NOWHERE}|[/?&=](?:add[-_]?to[-_]?(?:cart|basket|wishlist)|cart|basket|warenkorb|checkout)(?:[/?&=.]|$)", re.IGNORECASE
)
_CALLED_PRICE: Final = lazy_regex(lambda: rf"price|{any_of('price.name.price')}|pris(?![a-z])|amount|money|cost", re.IGNORECASE)
_CALLED_PRODUCT: Final = lazy_regex(r"product|listing|offer|result", re.IGNORECASE)
_VARYING: Final = lazy_regex(r"\d+|(?:^|\s)(?:odd|even|first|last|alt|active|featured|sale|new)(?=\s|$)", re.IGNORECASE)
_ENDS: Final = frozenset("header footer".split())  # not part of a listing, unless inside cards
# Products outside the listing: "others bought", "recently viewed".
_BESIDE_LISTING: Final = lazy_regex(
    r"(?:^|[\s_-])(?:recent(?:ly)?|related|recommend(?:ed|ation|ations)?|upsells?|cross-?sells?|also-?(?:like|liked|bought|viewed)|similar|"
    r"last-?viewed)(?:$|[\s_-])",
    re.IGNORECASE,
)
_PAGE_ELEMENTS: Final = frozenset("body html main".split())  # never a card
_NEARLY_ALL: Final = 4  # fifths of the cards: class names on so many belong to all


class Links:
    """Which links of a page lead to products: not anchors, scripts, carts, other sites or the page itself.

    With `ordering`, carts too: an offer that has no page of its own is known by where it is ordered.
    """

    def __init__(self, base: str, *, ordering: bool = False) -> None:
        self._base = base
        self._others = _NO_ADDRESS if ordering else _NO_PRODUCT
        self._page = clean(base)
        self._site = registrable_host(base)
        self._origin = base[: base.find("/", 8) + 1] or f"{base}/"
        self._known: dict[str, str | None] = {}

    def product(self, href: str | None) -> str | None:
        """The product's clean URL; None for any other link."""
        if not href:
            return None
        if href not in self._known:
            bare = href.strip()
            self._known[href] = self._resolved(bare) if bare and not self._others.search(bare) else None
        return self._known[href]

    def _resolved(self, href: str) -> str | None:
        url = product_key(href, self._base)
        if url is None or url == self._page:
            return None
        return url if url.startswith(self._origin) or registrable_host(url) == self._site else None


class ListingPage:
    """A listing page: its outline, its links to products, and the currency of its prices."""

    def __init__(self, outline: Outline, links: Links, currency: str | None) -> None:
        self.outline, self._links = outline, links
        self.targets = [  # links to products in order: place and target
            (at, url) for at in outline.links if (url := links.product(outline.attributes[at].get("href"))) is not None
        ]
        self._linked = [at for at, _ in self.targets]
        holders = _price_holders(outline, currency)
        shapes = Counter(self.shape(holder.place) for holder in holders)
        repeated = [holder for holder in holders if shapes[self.shape(holder.place)] > 1]  # not the cart's and the banner's
        self.money = PageCurrencies(currency, repeated or holders)
        self.holders = [holder.place for holder in holders if self.money.has_any(holder.currencies)]
        self.bare: list[int] = []  # elements called a price with a number alone in them, where no price has a currency

    def over(self, outline: Outline) -> ListingPage:
        """The same page by another outline of it."""
        return ListingPage(outline, self._links, self.money.hint)

    def products(self, at: int) -> list[tuple[int, str]]:
        """The links to products inside an element, itself included."""
        first = bisect_left(self._linked, at)
        return self.targets[first : bisect_left(self._linked, self.outline.ends[at], first)]

    def headed(self, at: int) -> set[str]:
        """The products inside an element that a heading names."""
        first = bisect_left(self._headings, at)
        return {url for _, url in self._headed[first : bisect_left(self._headings, self.outline.ends[at], first)]}

    @cached_property
    def parts(self) -> Parts:
        """What the elements may say."""
        return parts_of(self.outline)

    @cached_property
    def _headed(self) -> list[tuple[int, str]]:
        """Headings with the product that a link in them or around them leads to."""
        found: list[tuple[int, str]] = []
        for at, tag in enumerate(self.outline.tags):
            if tag in HEADINGS:
                around = next((up for up in self.outline.ancestors(at) if self.outline.tags[up] == "a"), at)
                found += [(at, url) for _, url in self.products(around)[:1]]
        return found

    @cached_property
    def _headings(self) -> list[int]:
        return [at for at, _ in self._headed]

    def leads(self, at: int) -> bool:
        """Whether an element is or contains a link to a product."""
        first = bisect_left(self._linked, at)
        return first < len(self._linked) and self._linked[first] < self.outline.ends[at]

    def names(self, at: int) -> frozenset[str]:
        """An element's classes, without those that differ from card to card."""
        return _names(self.outline.attributes[at].get("class") or "")

    def shape(self, at: int) -> tuple[str, frozenset[str]]:
        """The tag and classes of an element, for comparison."""
        return self.outline.tags[at], self.names(at)


@short_cache(4096)
def is_called_price(name: str) -> bool:
    """Whether a class name calls its element a price."""
    return _CALLED_PRICE.search(name) is not None


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
    inner = {at: None for at in inner if not _is_beside_listing(outline, at)} or inner
    smallest = next((at for at in inner if outline.tags[at] not in _PAGE_ELEMENTS), None)
    inner = _with_parts_joined(page, _without_nested(page, inner))
    if len(inner) < 2:
        return [_enlarge(page, smallest)] if lone and smallest is not None else [], frozenset()
    counts = _card_counts(outline, inner)
    cards: dict[int, None] = {}
    for at in inner:
        if counts[at] > 1:
            continue  # contains other cards: a header, a table, the grid itself
        card = at
        for parent in outline.ancestors(at):
            if counts[parent] > 1 or outline.tags[parent] in _PAGE_ELEMENTS:
                break
            card = parent
        cards.setdefault(card)
    return _family(page, list(cards))


def lone_card(page: ListingPage) -> int | None:
    """The only card of a page, where classes call its price a price, and it or what lists it a product."""
    places, _ = find_cards(page, lone=True)
    if len(places) != 1:
        return None
    outline, card = page.outline, places[0]
    holder = next((at for at in page.holders if card <= at < outline.ends[card]), card)
    around = [holder, *(at for at in outline.ancestors(holder) if at >= card)]
    priced = any(map(is_called_price, (name for at in around for name in page.names(at))))
    listed = (outline.attributes[at].get("class") or "" for at in (card, outline.parents[card], *around) if at >= 0)
    return card if priced and any(map(_CALLED_PRODUCT.search, listed)) else None


def _price_holders(outline: Outline, currency: str | None) -> list[AmountsSeen]:
    """The smallest elements whose text contains a price."""
    texts, parents = outline.texts, outline.parents
    text_indexes = outline.text_indexes
    holders: dict[int, AmountsSeen] = {}
    checked: dict[int, AmountsSeen | None] = {}  # elements whose whole text was checked
    for number, at in enumerate(text_indexes):
        if not _DIGIT.search(text := texts[at]):
            continue
        bare = text.strip()
        if seen := AmountsSeen.of(parents[at], bare[:_SEARCHED_CHARACTERS], currency):
            holders.setdefault(seen.place, seen)
        elif len(bare) <= _MAX_PART and _beside_a_mark(texts, text_indexes, number):
            for element, _ in zip(outline.ancestors(at), range(3), strict=False):  # $, 19 and 99 may be separate elements
                if element not in checked:
                    whole = (
                        " ".join(outline.text(element).split()) if outline.ends[element] - element < _MAX_SPLIT_PRICE else ""
                    )
                    checked[element] = AmountsSeen.of(element, whole, currency) if 0 < len(whole) <= _MAX_SPLIT_PRICE else None
                if (seen := checked[element]) is not None:
                    holders.setdefault(seen.place, seen)
                    break
        if len(holders) >= MAX_PRICES:
            break
    return list(holders.values())


def _beside_a_mark(texts: list[str], text_indexes: list[int], number: int) -> bool:
    """Whether a text with a number, or one next to it that has none, begins or ends with a currency."""
    own = texts[text_indexes[number]].split()
    if look_up(own[-1][-6:]) is not None or look_up(own[0][:6]) is not None:
        return True  # - 2 990 Ft
    for near in (*range(max(0, number - 3), number), *range(number + 1, min(number + 4, len(text_indexes)))):
        words = texts[text_indexes[near]].split() if not _DIGIT.search(texts[text_indexes[near]]) else []
        if words and (look_up(words[-1 if near < number else 0][-6:]) is not None or not words[0][:1].isalnum()):
            return True
    return False


def _with_link(page: ListingPage, at: int, many: Counter[str]) -> int | None:
    """The nearest element around a price that is or contains a link to a product."""
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


def _is_beside_listing(outline: Outline, at: int) -> bool:
    """Whether a surrounding element is named as something outside the listing."""
    for _ in range(_MAX_CLIMB):
        if at < 0 or outline.tags[at] in _PAGE_ELEMENTS:
            return False
        attributes = outline.attributes[at]
        if outline.tags[at] == "aside" or _names_beside_listing(
            f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        ):
            return True
        at = outline.parents[at]
    return False


@short_cache(4096)
def _names_beside_listing(names: str) -> bool:
    return _BESIDE_LISTING.search(names) is not None


def _enlarge(page: ListingPage, card: int) -> int:
    """A single card, enlarged as long as it is about one product."""
    products = {url for _, url in page.products(card)}
    for parent in page.outline.ancestors(card):
        if page.outline.tags[parent] in _PAGE_ELEMENTS or {url for _, url in page.products(parent)} != products:
            break
        card = parent
    return card


def _without_nested(page: ListingPage, inner: dict[int, None]) -> dict[int, None]:
    """Without cards inside another card of the same product."""
    inside: dict[int, set[int]] = {}
    for at in inner:
        for parent in page.outline.ancestors(at):
            if parent in inner:
                inside.setdefault(parent, set()).add(at)
    dropped: set[int] = set()
    for nested in inside.values():
        products = {frozenset(url for _, url in page.products(one)) for one in nested if one not in inside}
        if len(products) == 1:
            dropped |= nested
    return {at: None for at in inner if at not in dropped}


def _with_parts_joined(page: ListingPage, inner: dict[int, None]) -> dict[int, None]:
    """With the parts of one card as one: unlike elements around the only product that a heading names."""
    outline = page.outline
    counts = _card_counts(outline, inner)
    counts = _card_counts(outline, leaves := {at: None for at in inner if counts[at] == 1})
    around: defaultdict[int, list[int]] = defaultdict(list)
    for at in leaves:
        if (whole := next((up for up in outline.ancestors(at) if counts[up] > 1), None)) is not None:
            around[whole].append(at)
    wholes = {
        whole: parts
        for whole, parts in around.items()
        if len(set(map(page.shape, parts))) == len(parts) == counts[whole] > 1 and len(page.headed(whole)) == 1
    }
    if len(wholes) < 2:
        return inner
    parts = {at for found in wholes.values() for at in found}
    return dict.fromkeys(sorted({at for at in inner if at not in parts} | wholes.keys()))


def _card_counts(outline: Outline, inner: dict[int, None]) -> Counter[int]:
    """The number of cards inside each element, itself included."""
    counts: Counter[int] = Counter(inner.keys())
    for at in inner:
        counts.update(outline.ancestors(at))
    return counts


def _family(page: ListingPage, cards: list[int]) -> tuple[list[int], frozenset[int]]:
    """The largest group of similar cards in similar places, with siblings that show no price (sold-out ones)."""
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
    if shape[1] and by_shape * 5 >= len(chosen) * 3:  # a row of suggestions may be in the same place
        chosen = [card for card in chosen if shape[1] & page.names(card)]
    own = Counter(name for card in chosen for name in page.names(card))
    common = {name for name, times in own.items() if times * 5 >= len(chosen) * _NEARLY_ALL}
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
