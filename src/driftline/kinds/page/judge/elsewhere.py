"""Lists of other pages: entries that lead elsewhere, beside the text that the page is about or below a heading that says so."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.critical_words import differs_critically
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.counts import whole
from driftline.kinds.page.judge.spans import moved_spans
from driftline.kinds.page.parsed import NO_ENTRY, Image, Line, Link, ParsedPage

FRAME: Final = ("navigation", "pagination")  # recorded, not sent
_TEASED: Final = 3  # lines of a teaser below its link
_ABOVE: Final = 60  # lines between a list's heading and its last entry
_HEADING: Final = 40  # characters
_BEHIND: Final = re.compile(r"\s\(\d[\d.,]*\)$")  # how many pages a topic has
_DOCUMENTS: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|rtf|epub)(?:$|[?#~])", re.IGNORECASE)
_POPULAR: Final = lazy_regex(lambda: any_of("related.popular"))


def leads_elsewhere(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line is of a list of other pages, and says nothing new of one that stayed."""
    page = after if difference.after is not None else before
    if is_aside(difference.line, page) or _is_below_such_heading(difference, before, after):
        return not _is_rewritten(difference)
    return (difference.before is None or difference.after is None) and _is_teaser(difference, before, after)


def is_aside(thing: Line | Link | Image, page: ParsedPage) -> bool:
    """Whether it belongs to an entry that leads elsewhere, beside the text that the page is about."""
    if thing.region in FRAME or not (thing.region == "beside" or (page.article and thing.outside)):
        return False
    if thing.entry != NO_ENTRY:
        entry = page.entries[thing.entry]
        return entry.linked and not _DOCUMENTS.search(entry.key)
    return page.article and isinstance(thing, Line) and thing.linked


def _is_below_such_heading(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line is of a linked entry below a heading, not the page's first, that says: what others read."""
    page, at = (after, difference.to) if difference.after is not None else (before, difference.at)
    entry = difference.line.entry
    if entry == NO_ENTRY or not page.entries[entry].linked or at < 0:
        return False
    lines = page.line_details
    for number in range(at - 1, max(at - _ABOVE, -1), -1):
        line = lines[number]
        if line.heading and line.entry == NO_ENTRY:
            said = (line.text or "").lower()
            return (
                len(said) <= _HEADING and _POPULAR.search(said) is not None and any(above.heading for above in lines[:number])
            )
    return False


def _is_teaser(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line came or went with the link above it, outside of the text: what a list of other pages says of one."""
    page, other, at = (after, before, difference.to) if difference.after is not None else (before, after, difference.at)
    line = difference.line
    if not page.article or not line.outside or line.linked or line.entry != NO_ENTRY or at <= 0:
        return False
    card = page.paths[line.place].rpartition(">")[0]
    for above in page.line_details[at - 1 : max(at - 1 - _TEASED, 0) : -1]:
        if not page.paths[above.place].startswith(card) or not above.outside:
            return False
        if above.linked:
            return above.hash not in other.line_hashes
    return False


def _is_rewritten(difference: LineDifference) -> bool:
    """Whether an entry that stayed says another number, date or negation; numbers that only went up count visits."""
    if difference.before is None or difference.after is None:
        return False
    moved = moved_spans(difference.before.text or "", difference.after.text or "")
    if moved is not None and all(old.type == new.type == "number" and whole(new.text) > whole(old.text) for old, new in moved):
        return False
    old, new = (_BEHIND.sub("", line.text or "") for line in (difference.before, difference.after))
    return differs_critically(old, new)
