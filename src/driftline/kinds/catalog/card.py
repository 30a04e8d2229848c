"""One card taken apart: where it leads, what may be its name, which amounts and texts it shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from driftline.core.commerce.buy_buttons import leads_to_cart
from driftline.core.commerce.card_price import rank_of
from driftline.core.commerce.card_text import TextRun, outlined_runs, shown_text
from driftline.core.commerce.prices import PriceSpan, is_price_talk
from driftline.core.commerce.stock import stock_from_text
from driftline.core.markup.outline import Outline
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.catalog.cards import ListingPage
from driftline.kinds.catalog.product import MAX_TITLE

_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_CALLED_NAME: Final = lazy_regex(r"title|name|heading", re.IGNORECASE)
_CALLED_OTHER: Final = lazy_regex(  # names of other things than the product
    r"brand|vendor|manufacturer|maker|seller|store|shop|author|artist|categor|collection|sub-?title|user|designer|hersteller|marke",
    re.IGNORECASE,
)
_NAMED_BY: Final = ("class", "data-testid", "data-hook", "data-qa", "data-test", "data-cy", "data-auto-id")
_NAMES_GIVEN: Final = ("data-product-name", "data-product-title", "data-name", "data-title")
_CUT: Final = ("…", "...")
_MOST_TEXTS: Final = 12  # of a card without any other name that are looked at
_BUTTON: Final = lazy_regex(r"btn|button", re.IGNORECASE)

Path = tuple[tuple[str, frozenset[str]], ...]


class Name(NamedTuple):
    """A text that may be a product's name."""

    rank: int  # how sure, the surest first
    slot: str  # where it stands: the same in every card of a family
    place: int
    text: str


class Amount(NamedTuple):
    """An amount that a card shows."""

    rank: float
    span: PriceSpan
    place: int  # of the text that it stands in
    own: bool  # in a currency of the page; another may be a part of a name
    line: str  # the line that it stands in


class Card(NamedTuple):
    """What a card shows, each by its place."""

    place: int
    key: str
    names: list[Name]
    runs: list[TextRun]
    amounts: list[Amount]
    leads: frozenset[int]  # the places of the links to its product


def take_apart(page: ListingPage, at: int, key: str | None = None) -> Card | None:
    """A card; None where it leads nowhere."""
    key = key or _link(page, at)
    if key is None:
        return None
    runs = outlined_runs(page.outline, at)
    amounts = [
        Amount(rank, span, run.place_of(span.start), page.money.is_own(span), _line(run.text, span.start))
        for run in runs
        for span in page.money.spans(run.text)
        if (rank := rank_of(run, span))
    ]
    return Card(
        at, key, _names(page, at, key), runs, amounts, frozenset(place for place, url in page.products(at) if url == key)
    )


def _line(text: str, at: int) -> str:
    """The line that an offset lies in."""
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _link(page: ListingPage, at: int) -> str | None:
    """Where a card leads: to what its heading links, else where most of its links lead, else its first link with words."""
    outline = page.outline
    found = page.products(at)
    if not found:
        above = outline.parents[at]
        return next((url for place, url in page.products(above) if place == above), None) if above >= 0 else None
    if len(found) == 1:
        return found[0][1]
    for place, url in found:
        if any(outline.tags[element] in _HEADINGS for element in outline.above(place) if element >= at):
            return url
    # Buttons go when the product is gone.
    found = [pair for pair in found if not _sells(outline.attributes[pair[0]])] or found
    most, times = Counter(url for _, url in found).most_common(1)[0]
    if times > 1:
        return most
    # Swatches are links without words.
    return next((url for place, url in found if fold(shown_text(outline, place))), found[0][1])


def _sells(given: Mapping[str, str | None]) -> bool:
    return is_a_button(given) or leads_to_cart(given.get("href") or "")


def is_a_button(given: Mapping[str, str | None]) -> bool:
    """Whether a link looks like a button."""
    return _BUTTON.search(given.get("class") or "") is not None or given.get("role") == "button"


def _names(page: ListingPage, at: int, key: str) -> list[Name]:
    """Whatever may be the product's name, the surest first."""
    outline = page.outline
    names: list[Name] = []
    mine = {place for place, url in page.products(at) if url == key}
    brands = 0  # up to there it is about a brand
    for place in range(at, outline.ends[at]):
        tag = outline.tags[place]
        if not tag or place < brands:
            continue
        given = outline.attributes[place]
        if not given and tag not in _HEADINGS and place not in mine:
            continue
        itemprop = given.get("itemprop") or ""
        if itemprop in ("brand", "manufacturer", "seller", "category"):
            brands = outline.ends[place]
            continue
        plain = len(given) == 1 and "class" in given  # as nearly all elements are
        called = (given["class"] or "") if plain else " ".join([name for key in _NAMED_BY if (name := given.get(key))])
        rank = 0 if itemprop == "name" else 1 if tag in _HEADINGS else 2 if called and _is_called_a_name(called) else 9
        if rank < 9 and place != at:
            names.append(Name(rank, f"{rank} {tag} {called}", place, given.get("content") or shown_text(outline, place)))
        if place in mine:
            names.append(Name(3, f"3 {called}", place, shown_text(outline, place)))
            names += (Name(4, f"4 {name}", -1, said) for name in ("title", "aria-label") if (said := given.get(name)))
        elif tag == "img" and (alt := given.get("alt")):
            names.append(Name(5, f"5 {called}", -1, alt))
        if not plain:
            names += [Name(4, f"4 {name}", -1, said) for name in _NAMES_GIVEN if (said := given.get(name))]
    names = [name._replace(text=fold(name.text)) for name in names]
    names = [name for name in names if _may_be_a_name(page, name.text)]
    return sorted(names, key=lambda name: name.rank)


@short_cache(4096)
def _is_called_a_name(called: str) -> bool:
    return _CALLED_NAME.search(called) is not None and _CALLED_OTHER.search(called) is None


def bare_names(page: ListingPage, card: Card) -> list[Name]:
    """The texts of a card that calls nothing its name."""
    found = [
        Name(6, f"6 {path_of(page, place, card.place)}", place, text)
        for run in card.runs
        for (_, place), text in zip(run.places, map(fold, run.pieces), strict=True)
        if any(map(str.isalpha, text)) and _may_be_a_name(page, text) and stock_from_text(text) is None
    ]
    return found[:_MOST_TEXTS]


def path_of(page: ListingPage, place: int, card: int) -> Path:
    """The elements from a text up to its card, as they look."""
    path: list[tuple[str, frozenset[str]]] = []
    at = page.outline.parents[place]
    while at > card:
        path.append(page.shape(at))
        at = page.outline.parents[at]
    return tuple(path)


def _may_be_a_name(page: ListingPage, text: str) -> bool:
    """Long enough to tell, no price and nothing with one in it; signs of some scripts are words."""
    if not (len(text) > 2 or text > "\u3040") or len(text) > MAX_TITLE:
        return False
    return not any(map(str.isdigit, text)) or not (any(map(page.money.is_own, page.money.spans(text))) or is_price_talk(text))


def is_cut(text: str) -> bool:
    """Whether a text says that it goes on."""
    return text.endswith(_CUT)


def within(outline: Outline, place: int, element: int) -> bool:
    """Whether a place lies in an element."""
    return element >= 0 and element <= place < outline.ends[element]
