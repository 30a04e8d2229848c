"""Cards of pages that do not mark them: prices without a currency, and products that are written one after the other."""

from __future__ import annotations

from typing import Final

from driftline.core.markup.outline import Outline, with_groups
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.catalog.listing.cards import ListingPage, find_cards, is_called_price

_BARE: Final = lazy_regex(r"\d[\d.,\s'’]{0,14}(?:[-–—]{1,2})?\s?\*?")
_MOST_PARTS: Final = 12  # of a price without a currency
_MOST_TEXT: Final = 400  # characters of a product in a plain list
_MOST_LISTS: Final = 40  # elements that are tried
_MOST_GROUPS: Final = 2_000


def cards_without_marks(page: ListingPage) -> tuple[ListingPage, list[int]]:
    """The cards of a page on which no element holds a link and a price with its currency; the page may be regrouped."""
    for way in (_by_bare_numbers, _by_order):
        found, places = way(page)
        if places:
            return found, places
    return page, []


def _by_bare_numbers(page: ListingPage) -> tuple[ListingPage, list[int]]:
    """Cards whose prices are numbers alone in an element that is called a price."""
    outline = page.outline
    bare = [
        at
        for at, tag in enumerate(outline.tags)
        if tag
        and 1 < outline.ends[at] - at <= _MOST_PARTS
        and any(map(is_called_price, page.names(at)))
        and _BARE.fullmatch(_number_in(outline, at))
    ]
    if len(bare) < 2:
        return page, []
    holders, page.holders, page.bare = page.holders, bare, bare
    places, _ = find_cards(page)
    if not places:
        page.holders, page.bare = holders, []
    return page, places


def _number_in(outline: Outline, at: int) -> str:
    """The text of an element that begins with a number of its own, or in its first part: <b>149</b><i>,99</i>."""
    first = outline.texts[at + 1] or (outline.texts[at + 2] if at + 2 < outline.ends[at + 1] else "")
    return outline.text(at).strip() if first.strip()[:1].isdigit() else ""


def _by_order(page: ListingPage) -> tuple[ListingPage, list[int]]:
    """Products whose parts follow each other in one element: <dt> and <dd>, a heading and a line, two rows of a table."""
    outline = page.outline
    tried = dict.fromkeys(up for at in page.holders for up in (at, *_above(outline, at)))
    best: list[tuple[int, int]] = []
    for parent in list(tried)[:_MOST_LISTS]:
        groups = _groups(page, parent)
        if len(groups) > len(best):
            best = groups
    if len(best) < 2:
        return page, []
    regrouped = with_groups(outline, best)
    page = page.over(regrouped)
    return page, [start + number for number, (start, _) in enumerate(best)]


def _above(outline: Outline, at: int) -> list[int]:
    return [up for up, _ in zip(outline.ancestors(at), range(4), strict=False)]


def _groups(page: ListingPage, parent: int) -> list[tuple[int, int]]:
    """Runs of an element's children that begin with a link to a product and have one price."""
    outline = page.outline
    starts: list[int] = []
    leader = ""
    child, last = parent + 1, ""
    while child < outline.ends[parent]:
        products = page.products(child) if outline.tags[child] else []
        if products and (not leader or outline.tags[child] == leader) and products[0][1] != last:
            leader, last = outline.tags[child], products[0][1]
            starts.append(child)
            if len(starts) > _MOST_GROUPS:
                return []
        child = outline.ends[child]
    if not starts:
        return []
    ends = [*starts[1:], outline.ends[parent]]
    groups = [(start, end) for start, end in zip(starts, ends, strict=True) if _has_a_price(page, start, end)]
    return groups if len(groups) * 5 >= len(starts) * 3 else []


def _has_a_price(page: ListingPage, start: int, end: int) -> bool:
    text = " ".join(filter(None, page.outline.texts[start:end]))[:_MOST_TEXT]
    return any(map(page.money.is_own, page.money.spans(text)))
