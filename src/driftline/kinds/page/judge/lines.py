"""Why a line that differs is noise: one function a property, asked in order; the first that has a reason gives it."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.identity.timestamps import instant
from driftline.core.lexicon import any_of, word_set
from driftline.core.text.critical_words import differs_critically
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.window import window
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.masks import bare_number
from driftline.kinds.page.judge.moments import RIGHTS, Times, goes_along, is_past, same_moment, todays_date, touched_by
from driftline.kinds.page.judge.spans import Span, blanked
from driftline.kinds.page.parsed import NO_ENTRY, Image, Line, Link, ParsedPage

FRAME: Final = ("navigation", "pagination")  # recorded, not sent
_AROUND: Final = 120  # characters around a difference: no span that it lies in is longer
_CREEP: Final = 0.003  # of a large number alone in its line: what a site's counter grows between two visits
_LARGE: Final = 10_000
_DIGITS: Final = re.compile(r"\D+")
_CHECKED: Final = lazy_regex(  # a token that files are checked against
    lambda: (
        rf"sha-?\d|md5|checksum|{any_of('checksum.word')}|\.(?:exe|msi|dmg|pkg|iso|img|zip|7z|[gx]z|bz2|deb|rpm|jar|whl|apk|appimage)\b"
    )
)
_DOCUMENT: Final = ("json", "xml", "feed")  # values by their way down: lists, whatever their length
_OWN: Final = re.compile(r">(?:main|article)\b")
_DAYS: Final = lazy_regex(lambda: rf"\s(?:{any_of('date.days')})\b", re.IGNORECASE)
_ROWS: Final = re.compile(r">(?:t[dhr]|d[dt]|li)\b")
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_LONGEST_COUNT: Final = 60  # characters of a line that is nothing but ages and counts
_LONGEST_AGE: Final = 25  # where no figure is in it: a few minutes ago
_RANK: Final = re.compile(r"(?:#\d{1,4}|\d{1,4}[.):])(?:$|\s+(?=\S))")  # marked: "3 places left" has a number that counts
_BEHIND: Final = re.compile(r"\s\(\d[\d.,]*\)$")  # how many pages a topic has
_DIGIT: Final = re.compile(r"\d")
_LISTED: Final = re.compile(r">(?:li|dd|td)\b[^>]*(?:>(?:span|b|strong|div|p)\b[^>]*)?$")
_WON: Final = re.compile(r"(?:points?|votes?)$", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<!\w)(\w)[^\W\d_]{1,40}\s$")
_PARTS: Final = re.compile(r"\s[|·•–—]\s")
_LEAST: Final = 40  # characters of a line that is a label
_FEW: Final = 3  # words of a count: "one comment"
_AGE: Final = lazy_regex(
    lambda: rf"\d{{1,3}}\s?(?:s|sec|m|min|h|hr|d|w|wk|mo|y|yr|{any_of('ago_short.unit')})\.?", re.IGNORECASE
)
_LOOKED_AT: Final = 60  # lines of one place
_TEASED: Final = 3  # lines of a teaser below its link
_WINDOW: Final = 5  # days in a row that are a calendar, not a choice
# Names of elements whose numbers are what visitors make; a score or a rating may be what the page is about.
_VISITED: Final = re.compile(
    r"[.#_-](?:votes|upvotes|likes|views|hits|visits|visitors|online|reactions|claps|(?:view|vote|like|share)s?-counts?)(?=[.#>_-]|$)"
)
_VISITS: Final = lazy_regex(lambda: any_of("counted.visit"))
_STARS: Final = 10  # so many are a grade that somebody gave
_ABOVE: Final = 12  # lines between an allowance and the heading with its price
_DOCUMENTS: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|rtf|epub)(?:$|[?#~])", re.IGNORECASE)


def noise_reason(difference: LineDifference, before: ParsedPage, after: ParsedPage, times: Times) -> str | None:
    """The rule that explains a difference as noise; None: it counts."""
    line = difference.line
    if line.region == "overlay":
        return "overlay"
    if line.region == "advert":
        return "advertising"
    if is_aside(line, after if difference.after is not None else before) and not _is_rewritten(difference):
        return "list of other pages"
    if (difference.before is None or difference.after is None) and _is_teaser(difference, before, after):
        return "list of other pages"
    if difference.action == "moved":
        return "order" if _is_listed(line) or after.format in _DOCUMENT else None
    if difference.before is not None and difference.after is not None:
        if difference.before.text is None or difference.after.text is None:
            return None
        rule = (
            _rank(difference.before, difference.after)
            or same_meaning(difference.before.text, difference.after.text, times, listed=_is_row(difference.after, after))
            or _below_label(difference, before, after, times)
            or _short_age(difference, before, after)
            or touched_by(difference.before.text, difference.after.text, times)
            or _day_above(difference, after, times)
            or _named_counter(difference, after)
            or _became_count(difference, after, times)
        )
        return None if rule == "counter" and _is_allowance(difference, after) else rule
    if line.text is None:
        return None
    if line.entry != NO_ENTRY and (rank := _RANK.match(line.text)) and rank.end() == len(line.text):
        return "rank"
    if _is_passed_day(difference, before, after):
        return "date of today"
    if _is_pressed(line, after if difference.after is not None else before) and bare_number(line.text) is not None:
        return "counter"
    if not _only_moves(line.text):
        return None
    return "relative time" if any(span.type == "relative" for span in blanked(line.text)[1]) else "counter"


def _is_pressed(line: Line, page: ParsedPage) -> bool:
    """Whether a line is what a button says: a number there counts who pressed it."""
    return line.place < len(page.paths) and page.paths[line.place].rpartition(">")[2].startswith("button")


def _day_above(difference: LineDifference, page: ParsedPage, times: Times) -> str | None:
    """Where nobody knows when the page was fetched: a day alone above the page's heading, and outside of its text, is today."""
    old, new = difference.before, difference.after
    if times.after_at is not None or old is None or new is None or _is_row(new, page) or _OWN.search(page.paths[new.place]):
        return None
    if difference.to >= _LOOKED_AT or not todays_date(old.text or "", new.text or ""):
        return None
    headings = [at for at, line in enumerate(page.line_details[: 2 * _LOOKED_AT]) if line.heading]
    return "date of today" if headings and headings[0] > difference.to else None


def _below_label(difference: LineDifference, before: ParsedPage, after: ParsedPage, times: Times) -> str | None:
    """A date or a number whose label is the line above it, on both sides: a term and its description, two cells."""
    old, new = difference.before, difference.after
    if old is None or new is None or difference.at < 1 or difference.to < 1:
        return None
    above, label = before.line_details[difference.at - 1], after.line_details[difference.to - 1]
    if not label.text or above.hash != label.hash or len(label.text) > _LEAST or label.linked:
        return None
    if after.paths[label.place].rpartition(">")[0] != after.paths[new.place].rpartition(">")[0]:
        return None
    name = label.text.rstrip(" :")
    return same_meaning(f"{name}: {old.text}", f"{name}: {new.text}", times, listed=True)


def _short_age(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> str | None:
    """An age as timelines write it ("2h"): alone in its line, as in all entries, and most of them moved with it."""
    old, new = difference.before, difference.after
    if old is None or new is None or new.entry == NO_ENTRY or after.paths[new.place] not in before.places_by_path:
        return None
    if not (_AGE.fullmatch(old.text or "") and _AGE.fullmatch(new.text or "")):
        return None
    news = [line.text or "" for line in after.lines_at(new.place)[:_LOOKED_AT] if _AGE.fullmatch(line.text or "")]
    olds = {line.text for line in before.lines_at(before.places_by_path[after.paths[new.place]])[:_LOOKED_AT]}
    return "relative time" if len(news) > 1 and 2 * sum(text in olds for text in news) <= len(news) else None


def _named_counter(difference: LineDifference, page: ParsedPage) -> str | None:
    """A line whose markup calls it votes, views or likes, or that is a button's, and that differs in its numbers alone."""
    old, new = difference.before, difference.after
    if old is not None and new is not None and _is_pressed(new, page):
        return "counter" if bare_number(old.text) is not None and bare_number(new.text) is not None else None
    if old is None or new is None or not _VISITED.search(">".join(page.paths[new.place].split(">")[-2:])):
        return None
    one, olds = blanked(old.text or "")
    other, news = blanked(new.text or "")
    if one != other or len(olds) != len(news):
        return None
    types = {span.type for pair in zip(olds, news, strict=True) if pair[0].text != pair[1].text for span in pair}
    return "counter" if "amount" not in types else None


def _became_count(difference: LineDifference, page: ParsedPage, times: Times) -> str | None:
    """A part of an entry's line that became a count, or was one ("discuss", "3 comments"): its siblings have one there."""
    old, new = difference.before, difference.after
    if old is None or new is None or NO_ENTRY in (old.entry, new.entry):
        return None
    olds, news = _PARTS.split(old.text or ""), _PARTS.split(new.text or "")
    if len(olds) == len(news) == 1 and _from_nothing(old.text or "", new.text or ""):
        return "counter"
    if len(olds) != len(news) or len(olds) < 2:
        return None
    counted = False
    for number, (one, other) in enumerate(zip(olds, news, strict=True)):
        if one == other or same_meaning(one, other, times) is not None:
            continue
        if not (_only_moves(one) or _only_moves(other)) or (_DIGIT.search(one) and _DIGIT.search(other)):
            return None
        if not _counts_beside(page, new, len(news), number):
            return None
        counted = True
    return "counter" if counted else None


def _from_nothing(old: str, new: str) -> bool:
    """Whether a line asked for the first comment, and counts them now, or the other way around."""
    said = [text.lower().strip(" .!…") for text in (old, new)]
    counts = [" ".join(text.split()[-1:]) in word_set("counted.word") and text.count(" ") < _FEW for text in said]
    return any(one in word_set("counted.nothing") and counted for one, counted in zip(said, reversed(counts), strict=True))


def _counts_beside(page: ParsedPage, line: Line, parts: int, number: int) -> bool:
    """Whether another line of the same place has a count as this part."""
    around = page.lines_at(line.place)[:_LOOKED_AT]
    siblings = (_PARTS.split(one.text or "") for one in around if one.hash != line.hash)
    return any(len(said) == parts and _only_moves(said[number]) for said in siblings)


def _is_passed_day(difference: LineDifference, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a line is the newest or the oldest day of a list that shows one day after the other, and moved on by some."""
    here, there = (after, before) if difference.after is not None else (before, after)
    if difference.line.place >= len(here.paths):  # a page that came parsed, through the queue, has no paths
        return False
    path = here.paths[difference.line.place]
    if path not in there.places_by_path or instant(difference.line.text or "") is None:
        return False
    old, new = (_days_at(page, path) for page in (before, after))
    return len(old) == len(new) >= _WINDOW and old != new and old <= new and bool(set(old) & set(new))


def _days_at(page: ParsedPage, path: str) -> list[int]:
    """The days that stand alone in the lines of a path, as numbers, if they are consecutive; else none."""
    place = page.places_by_path[path]
    lines = page.lines_at(place)
    found = [instant(line.text or "") for line in lines] if len(lines) <= _LOOKED_AT else [None]
    days = sorted(moment.date().toordinal() for moment in found if moment is not None)
    return days if len(days) == len(found) and days == list(range(days[0], days[0] + len(days))) else []


def is_aside(thing: Line | Link | Image, page: ParsedPage) -> bool:
    """Whether it belongs to an entry that leads elsewhere, beside the text that the page is about."""
    if thing.region in FRAME or not (thing.region == "beside" or (page.article and thing.outside)):
        return False
    if thing.entry != NO_ENTRY:
        entry = page.entries[thing.entry]
        return entry.linked and not _DOCUMENTS.search(entry.key)
    return page.article and isinstance(thing, Line) and thing.linked


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


def _is_allowance(difference: LineDifference, page: ParsedPage) -> bool:
    """Whether a count is what a plan grants: alone in a list, with a price above it, up to its heading."""
    old, new = difference.before, difference.after
    if old is None or new is None or not _LISTED.search(page.paths[new.place]):
        return False
    left, found = blanked(new.text or "")
    if len(found) != 1 or _WORD.search(left):
        return False
    lines = page.line_details
    for at in range(difference.to - 1, max(difference.to - _ABOVE, -1), -1):
        if any(span.type == "amount" for span in blanked(lines[at].text or "")[1]):
            return True
        if lines[at].heading:
            return False
    return False


def _is_rewritten(difference: LineDifference) -> bool:
    """Whether an entry that stayed says another number, date or negation; numbers that only went up count visits."""
    if difference.before is None or difference.after is None:
        return False
    one, olds = blanked(difference.before.text or "")
    other, news = blanked(difference.after.text or "")
    if one == other and len(olds) == len(news):
        pairs = [pair for pair in zip(olds, news, strict=True) if pair[0].text != pair[1].text]
        if all(old.type == new.type == "number" and _whole(new) - _whole(old) > 0 for old, new in pairs):
            return False
    old, new = (_BEHIND.sub("", line.text or "") for line in (difference.before, difference.after))
    return differs_critically(old, new)


def _is_listed(line: Line) -> bool:
    """Whether another order of such lines means nothing: entries, rows, links; running text has its order."""
    return line.entry != NO_ENTRY or line.linked or line.text is None or len(line.text) < 80


def _rank(before: Line, after: Line) -> str | None:
    """The place in a list that an entry begins with."""
    if NO_ENTRY in (before.entry, after.entry) or before.text is None or after.text is None:
        return None
    old, new = _RANK.match(before.text), _RANK.match(after.text)
    return "rank" if old and new and before.text[old.end() :] == after.text[new.end() :] else None


def _only_moves(text: str) -> bool:
    """Whether a line that came or went is nothing but a distance from now or a count."""
    if len(text) > (_LONGEST_COUNT if _DIGIT.search(text) else _LONGEST_AGE):
        return False
    left, found = blanked(text)
    return bool(found) and all(span.type in ("relative", "counter") for span in found) and not any(map(str.isalnum, left))


def _is_row(line: Line, page: ParsedPage) -> bool:
    """Whether a line is one of many, or stands in a table: a time there is when something happens."""
    return line.entry != NO_ENTRY or (line.place < len(page.paths) and _ROWS.search(page.paths[line.place]) is not None)


def same_meaning(before: str, after: str, times: Times = Times(), *, listed: bool = False) -> str | None:  # noqa: B008 - a value
    """Why two versions of a line mean the same; None: they do not. `listed`: it is one of many."""
    part = window(before, after, around=_AROUND)
    one, olds = blanked(part.before)
    other, news = blanked(part.after)
    if one != other or len(olds) != len(news):
        return None
    name = None
    counted = any(old.type == "counter" and old.text != new.text for old, new in zip(olds, news, strict=True))
    visits = counted and _VISITS.search(part.before.lower()) is not None
    for old, new in zip(olds, news, strict=True):
        if old.text != new.text:
            name = _same_span(old.moved(part.start), new, before, times, listed=listed)
            if name is None and visits and old.type == new.type == "number":
                name = "counter"  # guests beside users online, all beside those of today
            if name is None:
                return None
    return name or "writing"


def _same_span(old: Span, new: Span, line: str, times: Times, *, listed: bool) -> str | None:
    types = {old.type, new.type}
    if types == {"token"}:
        return None if _CHECKED.search(line.lower()) else "token"
    if types == {"relative"}:
        return "relative time"
    if types == {"relative", "moment"}:
        return "relative time" if is_past(old, new, line, times) else None
    if types == {"moment"}:
        return same_moment(old, new, line, times, listed=listed)
    if types == {"counter"}:
        return None if _is_standing(old, line) or (_is_grade(old.text) and _is_grade(new.text)) else "counter"
    return _same_number(old, new, line, times) if types <= {"number", "counter"} else None


def _is_standing(counted: Span, line: str) -> bool:
    """Whether points or votes are those of the name before them: a table of results."""
    named = _NAME.search(line[: counted.start])
    return bool(_WON.search(counted.text) and named and named[1].isupper())


def _is_grade(counted: str) -> bool:
    return "star" in counted.lower() and int(_DIGITS.sub("", counted) or 0) <= _STARS


def _whole(span: Span) -> int:
    return int(_DIGITS.sub("", span.text) or 0)


def _same_number(old: Span, new: Span, line: str, times: Times) -> str | None:
    one, other = _whole(old), _whole(new)
    if len(line) <= _LONGEST_COUNT and _DAYS.match(line, old.end) and goes_along(other - one, times):
        return "relative time"
    if RIGHTS.search(line[: old.start]) and 1990 < one < 2100:
        return "copyright year"
    alone = not _WORD.search(line[: old.start] + line[old.end :])
    return "counter" if alone and one >= _LARGE and 0 < other - one <= _CREEP * one else None
