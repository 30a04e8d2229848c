"""Recognizes what surrounds a page's own text: menus, footers, lists of other pages, consent boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.noise.notices import announces
from driftline.core.text.language.critical_words import differs_critically
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.counts import whole
from driftline.kinds.page.judge.masks import is_protected
from driftline.kinds.page.judge.moments import is_clock, ticks
from driftline.kinds.page.judge.spans import blanked, moved_spans
from driftline.kinds.page.parsed import NO_ENTRY, Image, Line, Link, ParsedPage

FRAME: Final = ("navigation", "pagination")  # recorded, not sent
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS: Final = 2  # of an announcement; a date of today and the weather have fewer
_HEAD: Final = re.compile(r"^(?!.*>(?:nav|footer|menu|ul|form)\b).*>(?:header\b|[^>]*announcement)")
_TEASED: Final = 3  # lines of a teaser below its link
_ABOVE: Final = 60  # lines between a list's heading and its last entry
_HEADING: Final = 40  # characters
_BEHIND: Final = re.compile(r"\s\(\d[\d.,]*\)$")  # how many pages a topic has
_DOCUMENTS: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|rtf|epub)(?:$|[?#~])", re.IGNORECASE)
_POPULAR: Final = lazy_regex(lambda: rf"{any_of('related.popular')}|^(?:{any_of('related.list')})")
_NOW: Final = 5  # words of a line that says whether somebody is there now
_PRESSED: Final = re.compile(r">(?:(?:button|label)\b[^>]*(?:>span[^>]*)?|\w{1,6}[.#][^>]*(?:btn|button)[^>]*)$")
_QUOTES: Final = re.compile(r"[.#_-]quotes?(?=[.#>_-]|$)")
_ASKS: Final = lazy_regex(lambda: any_of("consent.word"))
_LONGEST: Final = 1_500  # characters of a box; a policy says more
_OWN: Final = re.compile(r"(?:main|article)\b[^>]*")  # what holds the page's own text is no box


def is_framed(one: LineDifference, page: ParsedPage) -> bool:
    """Whether a difference is recorded and not sent: in a menu, footer or breadcrumb, unless it is a notice."""
    return one.line.region in FRAME and not _announces(one, page)


def _announces(one: LineDifference, page: ParsedPage) -> bool:
    """Whether the page's header contains a notice of a closure, move or date; offers with amounts are none."""
    line = one.after
    if line is None or line.linked or line.text is None:
        return False
    if not _HEAD.search(page.paths[line.place]) and not announces(line.text):
        return False
    left, found = blanked(line.text)
    if one.before is not None and (
        _only_ticks(one.before.text or "", line.text) or _is_of_now(one.before.text or "", line.text)
    ):
        return False
    if any(span.type in ("amount", "counter") for span in found) or len(_WORD.findall(left)) < _FEWEST_WORDS:
        return False
    return is_protected(None, line.text) and is_protected(one.before.text if one.before else None, line.text)


def _only_ticks(old: str, new: str) -> bool:
    """Whether two lines differ only in clocks and bare numbers, like a ticker."""
    moved = moved_spans(old, new)
    return moved is not None and all(a.type != "moment" or ticks(a.text, b.text) for a, b in moved)


def _is_of_now(old: str, new: str) -> bool:
    """Whether two lines are short states with a time of day and no date: open now, closes at 20:00."""
    sides = [blanked(text) for text in (old, new)]
    return all(
        bool(found) and len(_WORD.findall(left)) <= _NOW and all(is_clock(span.text) for span in found) for left, found in sides
    )


def leads_elsewhere(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line belongs to a list of other pages, and says nothing new about an entry that stayed."""
    page = after if difference.after is not None else before
    if is_aside(difference.line, page) or _is_below_such_heading(difference, before, after):
        return not _is_rewritten(difference)
    return (difference.before is None or difference.after is None) and _is_teaser(difference, before, after)


def is_aside(thing: Line | Link | Image, page: ParsedPage) -> bool:
    """Whether something belongs to a linked entry outside of the page's main text."""
    if thing.region in FRAME or not (thing.region == "beside" or (page.article and thing.outside)):
        return False
    if thing.entry != NO_ENTRY:
        entry = page.entries[thing.entry]
        return entry.linked and not _DOCUMENTS.search(entry.key)
    return page.article and isinstance(thing, Line) and thing.linked


def is_quote(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether the only quotation outside of the main text, or in a part named after quotes, was replaced by another one."""
    page = after if difference.after is not None else before
    line = difference.line
    if line.place >= len(page.paths) or (page.article and not line.outside and line.region == "content"):
        return False
    path = page.paths[line.place]
    if not (_QUOTES.search(path) or (line.region == "beside" and ">blockquote" in path)):
        return False
    if path not in before.places_by_path or path not in after.places_by_path:
        return False
    sides = [side.lines_at(side.places_by_path[path]) for side in (before, after)]
    return all(len(lines) == 1 and not any(map(str.isdigit, lines[0].text or "")) for lines in sides)  # a stock has quotes too


def _is_below_such_heading(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line belongs to a linked entry below a heading like "Most read", which is not the page's first heading."""
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
    """Whether a line came or went with the link above it, outside of the main text."""
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
    """Whether an entry that stayed changed a number, date or negation; numbers that only grew are counts."""
    if difference.before is None or difference.after is None:
        return False
    moved = moved_spans(difference.before.text or "", difference.after.text or "")
    if moved is not None and all(old.type == new.type == "number" and whole(new.text) > whole(old.text) for old, new in moved):
        return False
    old, new = (_BEHIND.sub("", line.text or "") for line in (difference.before, difference.after))
    return differs_critically(old, new)


def consent_boxes(found: Sequence[LineDifference], before: ParsedPage, after: ParsedPage) -> set[tuple[int, int]]:
    """The numbers of lines, on both sides, that belong to consent boxes which came or went."""
    boxes: set[tuple[int, int]] = set()
    for page, run in (*((after, run) for run in _runs(found, "added")), *((before, run) for run in _runs(found, "removed"))):
        pressed = next((path for one in run if _PRESSED.search(path := page.paths[one.line.place])), None)
        asking = next((one for one in run if _ASKS.search((one.line.text or "").lower())), None) if pressed else None
        if asking is None or pressed is None:
            continue
        paths = [page.paths[one.line.place].split(">") for one in run]
        around = zip(page.paths[asking.line.place].split(">"), pressed.split(">"), strict=False)
        root = [step for step, _ in takewhile(lambda steps: steps[0] == steps[1], around)]
        box = [one for one, path in zip(run, paths, strict=True) if path[: len(root)] == root]
        if len(root) > 1 and not _OWN.fullmatch(root[-1]) and sum(len(one.line.text or "") for one in box) <= _LONGEST:
            boxes.update((one.at, one.to) for one in box)
    return boxes


def _runs(found: Sequence[LineDifference], action: str) -> Iterator[list[LineDifference]]:
    """Consecutive lines that came or went together."""
    run: list[LineDifference] = []
    for one in sorted((one for one in found if one.action == action), key=lambda one: (one.at, one.to)):
        if run and max(one.at, one.to) != max(run[-1].at, run[-1].to) + 1:
            yield run
            run = []
        run.append(one)
    if run:
        yield run
