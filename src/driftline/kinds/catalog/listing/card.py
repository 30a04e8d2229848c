"""Reads one product card: its link, possible names, amounts and texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from driftline.core.commerce.buy_buttons import leads_to_cart
from driftline.core.commerce.card_price import rank_of
from driftline.core.commerce.card_text import TextRun, outlined_runs, shown_text
from driftline.core.commerce.prices import PriceSpan, is_only_about_prices
from driftline.core.commerce.stock import stock_from_text
from driftline.core.markup.outline import Outline
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.catalog.listing.cards import ListingPage
from driftline.kinds.catalog.listing.parts import BRANDS, HEADINGS, NAMES_GIVEN, called_by, name_rank
from driftline.kinds.catalog.product import MAX_TITLE

_CUT: Final = ("…", "...")
_MAX_TEXTS: Final = 12  # of a card without a marked name
_NAMED: Final = 2  # rank of what a heading or a class calls a name
_BUTTON: Final = lazy_regex(r"btn|button", re.IGNORECASE)

Path = tuple[tuple[str, frozenset[str]], ...]


class Name(NamedTuple):
    """A text that may be the product's name."""

    rank: int  # confidence, lower is better
    slot: str  # its place in the card, the same in all cards of a listing
    place: int
    text: str


class Amount(NamedTuple):
    """An amount that a card shows."""

    rank: float
    span: PriceSpan
    place: int  # of its text
    own: bool  # in the page's currency; another may be part of a name
    line: str  # the line around it


class Card(NamedTuple):
    """The parts of a card, by their place in the outline."""

    place: int
    key: str
    names: list[Name]
    priced: list[Name]  # names with an amount in them: Case for 5000 Rp; counted only where the other cards have their names
    runs: list[TextRun]
    amounts: list[Amount]
    leads: frozenset[int]  # places of the links to its product


def read_card(page: ListingPage, at: int, key: str | None = None) -> Card | None:
    """The parts of a card; None if it has no link to a product."""
    key = key or _link(page, at)
    if key is None:
        return None
    runs = outlined_runs(page.outline, at)
    amounts = amounts_of(page, runs)
    names, priced = _names(page, at, key)
    return Card(at, key, names, priced, runs, amounts, frozenset(place for place, url in page.products(at) if url == key))


def amounts_of(page: ListingPage, runs: Sequence[TextRun]) -> list[Amount]:
    """The amounts in texts that may be prices."""
    return [
        Amount(rank, span, run.place_of(span.start), page.money.is_own(span), line_at(run.text, span.start))
        for run in runs
        for span in page.money.spans(run.text)
        if (rank := rank_of(run, span))
    ]


def line_at(text: str, at: int) -> str:
    """The line at an offset."""
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _link(page: ListingPage, at: int) -> str | None:
    """The card's target: that of its heading, else the most frequent one, else that of the first link with text."""
    outline = page.outline
    found = page.products(at)
    if not found:
        above = outline.parents[at]
        return next((url for place, url in page.products(above) if place == above), None) if above >= 0 else None
    if len(found) == 1:
        return found[0][1]
    for place, url in found:
        if any(outline.tags[element] in HEADINGS for element in outline.ancestors(place) if element >= at):
            return url
    # Buttons disappear when the product is sold out.
    found = [pair for pair in found if not _sells(outline.attributes[pair[0]])] or found
    most, times = Counter(url for _, url in found).most_common(1)[0]
    if times > 1:
        return most
    # Swatches are links without text.
    return next((url for place, url in found if fold(shown_text(outline, place))), found[0][1])


def _sells(attributes: Mapping[str, str | None]) -> bool:
    return is_button_link(attributes) or leads_to_cart(attributes.get("href") or "")


def is_button_link(attributes: Mapping[str, str | None]) -> bool:
    """Whether a link looks like a button."""
    return _BUTTON.search(attributes.get("class") or "") is not None or attributes.get("role") == "button"


def _names(page: ListingPage, at: int, key: str) -> tuple[list[Name], list[Name]]:
    """Possible names of the product, best first, and those with an amount in them."""
    outline = page.outline
    names: list[Name] = []
    mine = {place for place, url in page.products(at) if url == key}
    brands = 0  # end of the part that names the brand
    for place in sorted({*outline.inside(page.parts.named, at), *mine}):
        if place < brands:
            continue
        tag, attributes = outline.tags[place], outline.attributes[place]
        if attributes.get("itemprop") in BRANDS:
            brands = outline.ends[place]
            continue
        called = called_by(attributes)
        rank = name_rank(tag, attributes, called)
        if rank is not None and place != at:
            names.append(Name(rank, f"{rank} {tag} {called}", place, attributes.get("content") or shown_text(outline, place)))
        if place in mine:
            names.append(Name(3, f"3 {called}", place, shown_text(outline, place)))
            names += (Name(4, f"4 {name}", -1, value) for name in ("title", "aria-label") if (value := attributes.get(name)))
        elif tag == "img" and (alt := attributes.get("alt")):
            names.append(Name(5, f"5 {called}", -1, alt))
        names += [Name(4, f"4 {name}", -1, value) for name in NAMES_GIVEN if (value := attributes.get(name))]
    names = [Name(rank, slot, place, fold(text)) for rank, slot, place, text in names]
    names.sort(key=attrgetter("rank"))
    fitting = {text for text in {name.text for name in names} if _may_be_a_name(page, text)}
    priced = [
        name if name.rank <= _NAMED else name._replace(text=_before_amounts(page, name.text))
        for name in names
        if name.text not in fitting and (name.rank <= _NAMED or name.place < 0) and _is_long_enough(name.text)
    ]
    return [name for name in names if name.text in fitting], priced


def unmarked_names(page: ListingPage, card: Card) -> list[Name]:
    """The texts of a card without a marked name."""
    found = [
        Name(6, f"6 {path_of(page, place, card.place)}", place, text)
        for run in card.runs
        for (_, place), text in zip(run.places, map(fold, run.pieces), strict=True)
        if any(map(str.isalpha, text)) and _may_be_a_name(page, text) and stock_from_text(text) is None
    ]
    return found[:_MAX_TEXTS]


def path_of(page: ListingPage, place: int, card: int) -> Path:
    """The elements between a text and its card, as names."""
    path: list[tuple[str, frozenset[str]]] = []
    at = page.outline.parents[place]
    while at > card:
        path.append(page.shape(at))
        at = page.outline.parents[at]
    return tuple(path)


def _may_be_a_name(page: ListingPage, text: str) -> bool:
    """Whether a text is long enough and contains no price; in some scripts one sign is a word."""
    if not _is_long_enough(text):
        return False
    if not any(map(str.isdigit, text)):
        return True
    spans = page.money.spans(text)
    if spans:
        return not any(map(page.money.is_own, spans))  # RS 2000 G9 is no price here
    return not is_only_about_prices(text, currency=page.money.hint)


def _before_amounts(page: ListingPage, text: str) -> str:
    """A label without the prices behind the name."""
    first = min((span.start for span in page.money.spans(text) if page.money.is_own(span)), default=len(text))
    return text[:first].rstrip(" ,;:|-")


def _is_long_enough(text: str) -> bool:
    return (len(text) > 2 or text > "\u3040") and len(text) <= MAX_TITLE


def is_cut(text: str) -> bool:
    """Whether a text ends with an ellipsis."""
    return text.endswith(_CUT)


def within(outline: Outline, place: int, element: int) -> bool:
    """Whether a place is inside an element."""
    return element >= 0 and element <= place < outline.ends[element]
