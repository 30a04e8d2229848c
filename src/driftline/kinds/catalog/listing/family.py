"""Reads the cards of a listing together: a name differs from card to card, a price is where the other cards have theirs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

import msgspec
from selectolax.lexbor import LexborNode

from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.card_price import first_of
from driftline.core.commerce.card_text import TextRun
from driftline.core.commerce.currency_symbols import currency_code
from driftline.core.commerce.prices import Price, is_free, is_only_about_prices, parse_price
from driftline.core.commerce.variant_markup import shown_variants
from driftline.core.identity.urls import MAX_LENGTH, clean
from driftline.core.markup.outline import Outline
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize
from driftline.core.text.short_cache import short_cache
from driftline.kinds.catalog.listing import ruled
from driftline.kinds.catalog.listing.card import (
    Amount,
    Card,
    Name,
    Path,
    amounts_of,
    is_cut,
    line_at,
    path_of,
    read_card,
    unmarked_names,
    within,
)
from driftline.kinds.catalog.listing.card_stock import evidence_of, stock_of
from driftline.kinds.catalog.listing.cards import ListingPage, is_called_price
from driftline.kinds.catalog.listing.naming import best_names
from driftline.kinds.catalog.product import MAX_TITLE, Product
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.catalog.variants import with_variants

_HEADED: Final = 1  # rank of a heading
_CLASSED: Final = 2  # rank of a text whose class calls it a name
_LINKED: Final = 3  # rank of a link's text
_DISTINCTIVE: Final = 0.5  # share of cards with a distinct text in a place, for it to hold names
_SURELY_DISTINCTIVE: Final = 0.89  # the same, if nothing marks it as a name
_WORST_RANK: Final = 6  # of a price; crossed-out ones are worse
_UNMARKED_PENALTY: Final = 0.25  # added to the rank of an amount that nothing marks as a price
_PICTURES: Final = ("data-src", "src", "data-original", "data-lazy-src", "data-lazy", "data-image")
_DIGITS: Final = re.compile(r"\d[\d.,]*")
_SETS: Final = ("srcset", "data-srcset")


class CardProduct(msgspec.Struct, frozen=True, kw_only=True):
    """A product read from a card."""

    key: str
    product: Product
    bad_price: bool = False  # there is a price field that cannot be read


def read_family(
    page: ListingPage,
    places: Sequence[int],
    rules: CatalogRules,
    *,
    base: str,
    nodes: Sequence[LexborNode] = (),
    doubtful: frozenset[int] = frozenset(),
) -> list[CardProduct]:
    """The products of cards; a doubtful card needs a price or a statement about stock. `nodes`: the cards for rules with
    fields.
    """
    nodes_by_place = dict(zip(places, nodes, strict=True)) if nodes else {}
    fields = rules.fields
    cards: list[Card] = []
    for at in places:
        if fields.url is not None and at in nodes_by_place:
            key = ruled.link(nodes_by_place[at], fields.url, base)
            card = read_card(page, at, key) if key else None
        else:
            card = read_card(page, at)
        if card is not None:
            cards.append(card)
    names = _chosen_names(page, cards)
    prices = _chosen_prices(page, cards, names)
    evidence = [
        evidence_of(page, card, name, (rules.sold_out, rules.in_stock)) for card, name in zip(cards, names, strict=True)
    ]
    found: list[CardProduct] = []
    for card, name, price, seen, stock in zip(cards, names, prices, evidence, stock_of(evidence), strict=True):
        if card.place in doubtful and price is None and seen.by_words is None and seen.by_marks is None:
            continue
        node = nodes_by_place.get(card.place)
        hint = currency_code(ruled.field(node, fields.currency)) if node is not None and fields.currency else None
        bad = False
        if node is not None and fields.price is not None:
            price, bad = ruled.price(node, fields.price, hint or page.money.hint)  # noqa: PLW2901 - the rule's in its place
        if price is not None and not price.amount and not _says_free(card):
            price, bad = None, True  # noqa: PLW2901 - 0.00 is what shops show where no price is filled in
        title = ruled.field(node, fields.title) if node is not None and fields.title else name.text if name else ""
        image = ruled.field(node, fields.image) if node is not None and fields.image else _image(page.outline, card.place)
        picture = clean(image, base) if image else None
        if fields.stock and node is not None:
            stock = ruled.stock(node, fields.stock, rules)  # noqa: PLW2901 - the rule's in its place
        product = Product(
            title=fold(sanitize(title))[:MAX_TITLE],
            price=canonical(price.amount) if price else None,
            currency=(price.currency or hint) if price else None,
            in_stock=True if stock is None and price is not None and rules.unmarked_in_stock else stock,
            image=sanitize(picture) if picture and len(picture) <= MAX_LENGTH else None,
            extra={
                label: text
                for label, where in fields.extra.items()
                if node is not None and (text := fold(sanitize(ruled.field(node, where)))[:MAX_TITLE])
            },
        )
        sold_as = shown_variants(page.outline, card.place, page.money.main)
        product = with_variants(product, sold_as, rules.options) if sold_as else product
        found.append(CardProduct(key=card.key, product=product, bad_price=bad))
    return found


def _says_free(card: Card) -> bool:
    """Whether a card says in a word that its product costs nothing."""
    return any(is_free(piece) for run in card.runs for piece in run.pieces)


def _chosen_names(page: ListingPage, cards: Sequence[Card]) -> list[Name | None]:
    """Of each card the name that tells it apart: what stands in the same place of the others says something else there.

    A button says the same in all of them, a brand in many.
    """
    distinctive = _distinctive_slots([card.names for card in cards], _DISTINCTIVE)
    chosen = best_names(cards, distinctive)
    if any(name is None for name in chosen):
        bare = [unmarked_names(page, card) if name is None else [] for card, name in zip(cards, chosen, strict=True)]
        sure, perhaps = _distinctive_slots(bare, _SURELY_DISTINCTIVE), _distinctive_slots(bare, _DISTINCTIVE)
        for at, (card, texts) in enumerate(zip(cards, bare, strict=True)):
            if chosen[at] is None:
                named = (name for slots in (sure, perhaps) for name in texts if name.slot in slots)
                chosen[at] = next(named, next(iter((*card.names, *texts)), None))
    return [_completed(page, card, name, distinctive) for card, name in zip(cards, chosen, strict=True)]


def _distinctive_slots(names: Sequence[Sequence[Name]], share: float) -> dict[str, int]:
    """The places in cards where so large a share of them have a distinct text, with the number of texts."""
    texts_by_slot: defaultdict[str, list[str]] = defaultdict(list)
    for card in names:
        for slot, text in {name.slot: name.text for name in reversed(card)}.items():
            texts_by_slot[slot].append(text)
    return {slot: len(set(texts)) for slot, texts in texts_by_slot.items() if len(set(texts)) > share * len(texts)}


def _completed(page: ListingPage, card: Card, name: Name | None, distinctive: Mapping[str, int]) -> Name | None:
    """The name without the description around it or a badge in the same link.

    In full if it is cut off, or if a brand and a name are two headings, and a picture or a link says both.
    """
    if name is None:
        return None
    if name.rank == _CLASSED and name.slot in distinctive:
        alike = (
            one
            for one in card.names
            if one.rank in (_CLASSED, _LINKED)
            and one.place > name.place
            and within(page.outline, one.place, name.place)
            and distinctive.get(one.slot, 0) >= distinctive[name.slot]
        )
        name = next(alike, name)
    if name.rank == _LINKED:
        inner = (
            one for one in card.names if one.rank > _LINKED and one.slot in distinctive and _is_most_of(one.text, name.text)
        )
        name = next(inner, name)
    if name.rank == _HEADED:
        brand, labels = name.text, [one.text for one in card.names if one.text.startswith(name.text) and one.text != name.text]
        others = (one.text for one in card.names if labels and one.rank == _HEADED and one.place > name.place)
        both = (f"{brand} {one}" for one in others if any(one in label[len(brand) :] for label in labels))
        name = name._replace(text=next(both, brand))
    if is_cut(name.text):
        start = name.text.rstrip(".… ")
        whole = (one.text for one in card.names if not is_cut(one.text) and one.text.startswith(start))
        name = name._replace(text=next(whole, name.text))
    return name


def _is_most_of(inner: str, text: str) -> bool:
    """Whether a text begins with another or is that for the most part; a badge stands behind a name as well."""
    return text.startswith(inner) or (inner in text and 2 * len(inner) >= len(text))


def _chosen_prices(page: ListingPage, cards: Sequence[Card], names: Sequence[Name | None]) -> list[Price | None]:
    """For each card the price to pay; among equal amounts the one that is marked as a price."""
    shown = [_amounts(page, card, name) for card, name in zip(cards, names, strict=True)]
    paths = [[path_of(page, one.place, card.place) for one in amounts] for card, amounts in zip(cards, shown, strict=True)]
    votes = Counter(path for found in paths for path in set(found))
    usual = {path for path, times in votes.items() if 2 * times >= len(cards) and times > 1}
    usual |= {
        path_of(page, at + 1 if page.outline.texts[at + 1] else at + 2, card.place)  # its number, or that in its first part
        for card in cards
        for at in page.bare
        if card.place <= at < page.outline.ends[card.place]
    }
    prices: list[Price | None] = []
    most = 2 * sum(not usual.isdisjoint(found) for found in paths) > len(cards)
    for card, every, paths_of in zip(cards, shown, paths, strict=True):
        pairs = [
            (one, path)
            for one, path in zip(every, paths_of, strict=True)
            if not most or path in usual or _is_called_price(path) or _is_about_price(page.outline.texts[one.place])
        ]
        if not pairs:
            prices.append(_bare_price(page, card, usual))
            continue
        ranked = [
            (one.rank + (0 if path in usual or _is_called_price(path) else _UNMARKED_PENALTY), one.span) for one, path in pairs
        ]
        rank, span = first_of(ranked, " ".join(run.text for run in card.runs))
        prices.append(span.price if rank <= _WORST_RANK + _UNMARKED_PENALTY else None)
    return prices


def _amounts(page: ListingPage, card: Card, name: Name | None) -> list[Amount]:
    """Possible prices of a card: amounts outside its name in the page's currency, else texts that are nothing but a price."""
    outside = [one for one in card.amounts if name is None or not within(page.outline, one.place, name.place)]
    if not outside and card.amounts and name is not None:
        outside = amounts_of(page, [_without(page, run, name) for run in card.runs])  # 1984 - 4 199 Ft is no range
    own = [one for one in outside or card.amounts if one.own]
    return own or [one for one in outside if is_only_about_prices(one.line)]


def _without(page: ListingPage, run: TextRun, name: Name) -> TextRun:
    """A text with spaces in the place of the card's name and of the dash behind it."""
    text = run.text
    for (offset, place), piece in zip(run.places, run.pieces, strict=True):
        at = text.find(piece, offset)
        if at >= 0 and within(page.outline, place, name.place):
            end = at + len(piece)
            end += len(text[end:]) - len(text[end:].lstrip(" -–—:"))  # a dash behind a name is no minus
            text = f"{text[:at]}{' ' * (end - at)}{text[end:]}"
    return msgspec.structs.replace(run, text=text)


def _bare_price(page: ListingPage, card: Card, usual: set[Path]) -> Price | None:
    """A number without a currency in the place where the other cards have their prices, or a word that it is free there."""
    if not usual:
        return None
    for run in card.runs:
        for (offset, place), piece in zip(run.places, run.pieces, strict=True):
            if run.struck or run.former or path_of(page, place, card.place) not in usual:
                continue
            if piece[:1].isdigit():
                line = line_at(run.text, offset) if page.bare else piece
                return parse_price(line, currency=page.money.main) or parse_price(piece, currency=page.money.main)
            if is_free(piece):
                return Price(Decimal(0), page.money.main)
    return None


@short_cache(4096)
def _is_about_price(text: str) -> bool:
    """Whether a text has no words but those about prices: EUR 40 Boots is a name."""
    return is_only_about_prices(text) or is_only_about_prices(_DIGITS.sub("", text))


@lru_cache(maxsize=4096)
def _is_called_price(path: Path) -> bool:
    return any(is_called_price(name) for _, names in path for name in names)


def _image(outline: Outline, card: int) -> str:
    for at in outline.inside(outline.pictures, card):
        attributes = outline.attributes[at]
        for name in _PICTURES:
            source = attributes.get(name) or ""
            if source and not source.startswith("data:"):
                return source
        if sources := next((value for name in _SETS if (value := attributes.get(name))), ""):
            return sources.split(",")[0].split()[0] if sources.strip(" ,") else ""
    return ""
