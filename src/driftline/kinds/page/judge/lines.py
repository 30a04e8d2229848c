"""Why a changed line is noise: one function per property, tried in order; the first that applies gives the reason."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.window import differing_part
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge import counts
from driftline.kinds.page.judge.calendars import PASSED, Calendars, days_went_on
from driftline.kinds.page.judge.counts import COUNTER, SPACED, only_moves, whole
from driftline.kinds.page.judge.frame import is_quote, leads_elsewhere
from driftline.kinds.page.judge.machine import DOCUMENTS, is_machine_field, same_but_took
from driftline.kinds.page.judge.moments import RIGHTS, Times, is_past, is_stamp, same_moment
from driftline.kinds.page.judge.offers import same_prices
from driftline.kinds.page.judge.spans import Span, blanked, moved_spans
from driftline.kinds.page.parsed import NO_ENTRY, Line, ParsedPage

_AROUND: Final = 120  # characters around a difference: no span that it lies in is longer
_CHECKED: Final = lazy_regex(  # a token that files are checked against
    lambda: (
        rf"sha-?\d|md5|checksum|{any_of('checksum.word')}|\.(?:exe|msi|dmg|pkg|iso|img|zip|7z|[gx]z|bz2|deb|rpm|jar|whl|apk|appimage)\b"
    )
)
_ROWS: Final = re.compile(r">(?:t[dhr]|d[dt]|li)\b")
_RANK: Final = re.compile(r"(?:#\d{1,4}|\d{1,4}[.):])(?:$|\s+(?=\S))")  # marked: "3 places left" has a number that counts
_NUMBERED: Final = re.compile(r"(\d{1,4})(?:$|\s+(?=\S))")
_LABEL: Final = 40  # characters of a line that is a label
_ADDRESS: Final = re.compile(
    r"\W{0,2}(?:\w+\W{1,2}){0,4}https?://[^\s?]{1,500}\?[^\s?]{0,500}"
)  # of this very version, after a label
_OPAQUE: Final = 6  # digits in an address that are nobody's number

_LOOKED_AT: Final = 60  # lines of one place
_AGE: Final = lazy_regex(
    lambda: rf"\d{{1,3}}\s?(?:s|sec|m|min|h|hr|d|w|wk|mo|y|yr|{any_of('ago_short.unit')})\.?", re.IGNORECASE
)


def noise_reason(
    difference: LineDifference, before: ParsedPage, after: ParsedPage, times: Times, calendars: Calendars
) -> str | None:
    """The rule that explains a difference as noise; None: it counts."""
    line = difference.line
    if line.region == "overlay":
        return "overlay"
    if line.region == "advert":
        return "advertising"
    if leads_elsewhere(difference, before, after):
        return "list of other pages"
    if is_quote(difference, before, after):
        return "another quotation"
    if difference.action == "moved":
        return "order" if _is_listed(line) or after.format in DOCUMENTS else None
    if line.text is None or (difference.before is not None and difference.before.text is None):
        return None
    if difference.before is None or difference.after is None:
        return _came_or_went(difference, line.text, before, after, calendars)
    rule = (
        _rank(difference.before, difference.after, after)
        or same_meaning(difference.before.text or "", line.text, times, listed=_is_row(line, after))
        or _below_label(difference, before, after, times)
        or _short_age(difference, before, after)
        or days_went_on(difference.before.text or "", line.text)
        or counts.named_so(difference, after)
        or (COUNTER if counts.is_uptime(difference.before.text or "", line.text) else None)
        or _became_count(difference, after, times)
        or _says_the_same(difference.before.text or "", line, after)
    )
    return None if rule == COUNTER and counts.is_allowance(difference, after) else rule


def _came_or_went(
    difference: LineDifference, text: str, before: ParsedPage, after: ParsedPage, calendars: Calendars
) -> str | None:
    """Why a line that one version lacks is noise."""
    line = difference.line
    if line.entry != NO_ENTRY and (rank := _RANK.match(text)) and rank.end() == len(text):
        return "rank"
    if line.entry != NO_ENTRY and text.isdecimal() and _counts_up(line, after if difference.after is not None else before):
        return "rank"
    if len(text) <= counts.LONGEST_COUNT:
        if _has_digit(text) and calendars.has_passed(difference):
            return PASSED
        if counts.is_pressed(line, after if difference.after is not None else before):
            return COUNTER
        if only_moves(text):
            return "relative time" if any(span.type == "relative" for span in blanked(text)[1]) else COUNTER
    if is_machine_field(text, after.format):
        return "machine field"
    return PASSED if calendars.went_along(difference) else None


def _says_the_same(old: str, line: Line, page: ParsedPage) -> str | None:
    """The rule by which two lines are equivalent: a machine field, a response time, the same prices; else None."""
    new = line.text or ""
    if is_machine_field(new, page.format):
        return "machine field"
    if same_but_took(old, new):
        return "generation time"
    return "writing" if same_prices(old, new) else None


def _below_label(difference: LineDifference, before: ParsedPage, after: ParsedPage, times: Times) -> str | None:
    """Why a date or number is noise, by the label in the line above it on both sides."""
    old, new = difference.before, difference.after
    if old is None or new is None or difference.at < 1 or difference.to < 1:
        return None
    above, label = before.line_details[difference.at - 1], after.line_details[difference.to - 1]
    if not label.text or above.hash != label.hash or len(label.text) > _LABEL or label.linked or _has_digit(label.text):
        return None
    if after.paths[label.place].rpartition(">")[0] != after.paths[new.place].rpartition(">")[0]:
        return None
    name = label.text.rstrip(" :")
    return same_meaning(f"{name}: {old.text}", f"{name}: {new.text}", times, listed=True)


def _short_age(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> str | None:
    """An age as timelines write it ("2h"), where all entries have one, and most of them moved with it."""
    old, new = difference.before, difference.after
    if old is None or new is None or after.paths[new.place] not in before.places_by_path:
        return None
    olds, news = (old.text or "").split(), (new.text or "").split()
    moved = [at for at in range(1, len(news) + 1) if len(olds) == len(news) and olds[-at] != news[-at]]
    if len(moved) != 1 or not (_AGE.fullmatch(olds[-moved[0]]) and _AGE.fullmatch(news[-moved[0]])):
        return None
    around = before.lines_at(before.places_by_path[after.paths[new.place]]), after.lines_at(new.place)
    was, now = (
        [words[-moved[0]] for line in lines[:_LOOKED_AT] if len(words := (line.text or "").split()) >= moved[0]]
        for lines in around
    )
    ages = [word for word in now if _AGE.fullmatch(word)]
    return (
        "relative time"
        if len(ages) > 1 and 2 * len(ages) >= len(now) and 3 * sum(word in was for word in ages) <= 2 * len(ages)
        else None
    )


def _became_count(difference: LineDifference, page: ParsedPage, times: Times) -> str | None:
    """Whether a part of an entry's line became a count, or was one ("discuss", "3 comments"), as its siblings have there."""
    old, new = difference.before, difference.after
    if old is None or new is None or NO_ENTRY in (old.entry, new.entry):
        return None
    olds, news = SPACED.split(old.text or ""), SPACED.split(new.text or "")
    if len(olds) != len(news) or len(olds) < 2:
        return None
    counted = False
    for number, (one, other) in enumerate(zip(olds, news, strict=True)):
        if one == other or same_meaning(one, other, times) is not None:
            continue
        if not (only_moves(one) or only_moves(other)) or (_has_digit(one) and _has_digit(other)):
            return None
        if not counts.counts_beside(page, new, len(news), number):
            return None
        counted = True
    return COUNTER if counted else None


def _is_listed(line: Line) -> bool:
    """Whether another order of such lines means nothing: entries, rows, links; running text has its order."""
    return line.entry != NO_ENTRY or line.linked or line.text is None or len(line.text) < 80


def _rank(before: Line, after: Line, page: ParsedPage) -> str | None:
    """The rule `rank` if two entries differ only in the rank that they begin with; else None."""
    if NO_ENTRY in (before.entry, after.entry) or before.text is None or after.text is None:
        return None
    old, new = _RANK.match(before.text), _RANK.match(after.text)
    if not (old and new):
        old, new = _NUMBERED.match(before.text), _NUMBERED.match(after.text)
        if not (old and new) or not _counts_up(after, page):
            return None
    return "rank" if before.text[old.end() :] == after.text[new.end() :] else None


def _counts_up(line: Line, page: ParsedPage) -> bool:
    """Whether all lines at this place begin with consecutive numbers and have more text."""
    if (line.text or "").isdecimal() and page.entry_sizes[line.entry] == 1:  # sizes
        return False
    lines = page.lines_at(line.place)[:_LOOKED_AT]
    found = [int(match[1]) for one in lines if (match := _NUMBERED.match(one.text or ""))]
    return len(found) == len(lines) > 1 and all(number == found[0] + by for by, number in enumerate(found))


def _is_row(line: Line, page: ParsedPage) -> bool:
    """Whether a line is one of many, or in a table: times there are dates of events."""
    return line.entry != NO_ENTRY or (line.place < len(page.paths) and _ROWS.search(page.paths[line.place]) is not None)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def same_meaning(before: str, after: str, times: Times = Times(), *, listed: bool = False) -> str | None:  # noqa: B008 - a value
    """Why two versions of a line mean the same; None: they do not. `listed`: it is one of many."""
    part = differing_part(before, after, around=_AROUND)
    pairs = moved_spans(part.before, part.after)
    if pairs is None:
        return None
    name = None
    beside = any(old.type == "counter" for old, _ in pairs)
    for old, new in pairs:
        name = _same_span(old.moved(part.start), new, before, times, listed=listed, beside=beside)
        if name is None:
            return None
    return name or "writing"


def _same_span(old: Span, new: Span, line: str, times: Times, *, listed: bool, beside: bool) -> str | None:
    types = {old.type, new.type}
    if types == {"token"}:
        return None if _CHECKED.search(line.lower()) else "token"
    if types == {"relative"}:
        return "relative time"
    if types == {"relative", "moment"}:
        return "relative time" if is_past(old, new, line, times) else None
    if types == {"moment"}:
        return same_moment(old, new, line, times, listed=listed)
    if not types <= {"number", "counter"}:
        return None
    if counts.same_count(old, new, line, beside=beside):
        return COUNTER
    return _same_number(old, new, line) if types == {"number"} else None


def _same_number(old: Span, new: Span, line: str) -> str | None:
    if RIGHTS.search(line[: old.start]) and 1990 < whole(old.text) < 2100:
        return "copyright year"
    if is_stamp(old.text, new.text):
        return "clock"
    if _ADDRESS.fullmatch(line[: old.start]) and min(len(old.text), len(new.text)) >= _OPAQUE:
        return "address"
    return COUNTER if counts.creeps(old, new, line) else None
