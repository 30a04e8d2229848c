"""The frame of a page: menus, footers, breadcrumbs, numbers of further pages; and what is announced there all the same."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.volatile.promo_bars import announces
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.elsewhere import FRAME
from driftline.kinds.page.judge.masks import is_protected
from driftline.kinds.page.judge.moments import ticks
from driftline.kinds.page.judge.spans import blanked, moved_spans
from driftline.kinds.page.parsed import NO_ENTRY, Line, ParsedPage

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS: Final = 2  # of an announcement; a date of today and the weather have fewer
_HEAD: Final = re.compile(r"^(?!.*>(?:nav|footer|menu|ul|form)\b).*>(?:header\b|[^>]*announcement)")
_TOP: Final = 60  # lines above the first heading
_PAGES: Final = re.compile(r"\d{1,5}(?:\s(?:(?:…|\.\.\.)\s)?\d{1,5}){1,40}")


def is_framed(one: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a difference is recorded and not sent: it stands in the frame, and announces nothing."""
    if one.line.region in FRAME or _is_on_top(one, before, after):
        return not _announces(one, after)
    return (one.before is None or _is_pagination(one.before, before)) and (
        one.after is None or _is_pagination(one.after, after)
    )


def _is_on_top(one: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line stands above the first heading, beside the part that is the page's own: a bar with date and weather."""
    page, at = (after, one.to) if one.after is not None else (before, one.at)
    line = one.line
    if line.region != "beside" or line.entry != NO_ENTRY or not 0 <= at <= _TOP or ">aside" in page.paths[line.place]:
        return False
    return not any(above.heading for above in page.line_details[:at])


def _is_pagination(line: Line, page: ParsedPage) -> bool:
    """Whether a line is nothing but links that are called by numbers."""
    if line.text is None or not _PAGES.fullmatch(line.text):
        return False
    linked = {link.text for link in page.links}
    return sum(number in linked for number in line.text.split()) >= _FEWEST_WORDS


def _announces(one: LineDifference, page: ParsedPage) -> bool:
    """Whether the head of a page says in words what is closed, moved or set for a day; offers, with their amounts, do not."""
    line = one.after
    if line is None or line.linked or line.text is None:
        return False
    if not _HEAD.search(page.paths[line.place]) and not announces(line.text):
        return False
    left, found = blanked(line.text)
    if one.before is not None and _only_ticks(one.before.text or "", line.text):
        return False
    if any(span.type in ("amount", "counter") for span in found) or len(_WORD.findall(left)) < _FEWEST_WORDS:
        return False
    return is_protected(None, line.text) and is_protected(one.before.text if one.before else None, line.text)


def _only_ticks(old: str, new: str) -> bool:
    """Whether two lines differ in clocks and bare numbers alone: a ticker, not a day that was set."""
    moved = moved_spans(old, new)
    return moved is not None and all(a.type != "moment" or ticks(a.text, b.text) for a, b in moved)
