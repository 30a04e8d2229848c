"""Recognizes numbers that visitors change (views, likes, comments) by their names, surroundings and growth."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import any_of, word_set
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.spans import Span, blanked, is_sentence, moved_spans
from driftline.kinds.page.parsed import NO_ENTRY, Line, ParsedPage, table_of

COUNTER: Final = "counter"
SPACED: Final = re.compile(r"\s[|·•–—]\s")  # between the parts of one line
_LOOKED_AT: Final = 60  # lines of one place
_CREEP: Final = 0.01  # of a large number alone in its line: what a site's counter grows between two visits
_LARGE: Final = 1_000
_FELL, _GREW, _BY = 0.02, 0.25, 3  # by which a count inside a sentence may differ: a part of it, or at least
_MANY: Final = 100  # that a sentence counts; fewer are what somebody may have
_ROUND: Final = 5  # chosen numbers are multiples of this
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_BARE: Final = re.compile(r"\d{1,3}(?:[.,'\u00a0\u202f ]\d{3}){1,4}|\d{1,12}")
_DIGITS: Final = re.compile(r"\D+")
_THOUSANDS: Final = re.compile(r"[kKM](?![^\W_])")  # rounded, as only large counts are
_WON: Final = re.compile(r"(?:points?|votes?)$", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<!\w)(\w)[^\W\d_]{1,40}\s$")
_DIGIT: Final = re.compile(r"\d")
_SENTENCE_END: Final = re.compile(r"[^\W\d]?[.!?]\s")
_GRADE: Final = re.compile(r"\d[.,]\d{1,2}")  # what so many gave on average: 4.7
_STARS: Final = 10  # so many are a grade that somebody gave
LONGEST_COUNT: Final = 60  # characters of a line that is nothing but ages and counts
_LONGEST_AGE: Final = 25  # where no figure is in it: a few minutes ago
_LISTED: Final = re.compile(r">(?:li|dd|td)\b[^>]*(?:>(?:span|b|strong|div|p)\b[^>]*)?$")
_AROUND: Final = 8  # lines of an entry
_ABOVE: Final = 12  # lines between an allowance and the heading with its price
# Names of elements whose numbers are what visitors make; a score or a rating may be what the page is about.
_VISITED: Final = re.compile(
    r"[.#_-](?:votes|upvotes|likes|views|hits|visits|visitors|online|reactions|claps|(?:view|vote|like|share)s?-counts?)(?=[.#>_-]|$)"
)
_UPTIME: Final = lazy_regex(lambda: any_of("counted.uptime"))
_SHARE: Final = re.compile(r"(\d{1,3}(?:[.,]\d{1,6})?)\s?%")
_NAMES_IT: Final = 3  # words beside it
_VISITS: Final = lazy_regex(lambda: any_of("counted.visit"))
_PRESENT: Final = lazy_regex(lambda: any_of("counted.present"))


def whole(text: str) -> int:
    """The digits of a span as a number."""
    return int(_DIGITS.sub("", text) or 0)


def bare_number(text: str | None) -> int | None:
    """The integer that a line consists of, with or without thousands separators; None for any other line."""
    found = _BARE.fullmatch(text or "")
    return int(_DIGITS.sub("", found[0])) if found else None


def same_count(old: Span, new: Span, line: str, *, beside: bool) -> bool:
    """Whether two numbers are the same count, or each stands next to a count that changed."""
    one, other = whole(old.text), whole(new.text)
    rounded = _THOUSANDS.match(line, old.end) or _THOUSANDS.search(old.text)
    if rounded and "number" in (old.type, new.type):
        return abs(other - one) <= _GREW * one
    if old.type == new.type == "number":
        if beside and _GRADE.fullmatch(old.text) and _GRADE.fullmatch(new.text):
            return True
        if _PRESENT.search(line.lower()) or (beside and _VISITS.search(_label(old, line).lower())):
            return True
        # Opening hours or a notice period next to a view count are content.
        return beside and one >= _MANY and _is_statistics(line) and -_FELL * one <= other - one <= _GREW * one
    if _is_standing(old, line) or ("star" in old.text.lower() and max(one, other) <= _STARS):
        return False
    left, found = blanked(line)
    around = len(_WORD.findall(left))
    beside = sum(span.type in ("relative", "counter") for span in found) > 1  # a line of counts and ages
    if around <= 1 or beside or _VISITS.search(line.lower()):
        return True
    if one % _ROUND == other % _ROUND == 0:
        return False
    return not is_sentence(line) or (one >= _MANY and -_FELL * one <= other - one <= _GREW * one)


def is_uptime(old: str, new: str) -> bool:
    """Whether two lines both state the availability of a service over the last months."""
    if max(len(old), len(new)) > LONGEST_COUNT or not _UPTIME.search(new.lower()):
        return False
    olds, news = _SHARE.findall(old), _SHARE.findall(new)
    if not olds or len(olds) != len(news) or _SHARE.sub("%", old) != _SHARE.sub("%", new):
        return False
    return len(_WORD.findall(_SHARE.sub("", new))) <= _NAMES_IT and all(
        abs(float(one.replace(",", ".")) - float(other.replace(",", "."))) < 1 for one, other in zip(olds, news, strict=True)
    )


def _label(number: Span, line: str) -> str:
    """The text before a number, back to the previous number."""
    return _DIGIT.split(line[: number.start])[-1]


def _is_statistics(line: str) -> bool:
    """Whether a line consists of labelled numbers only."""
    left, found = blanked(line)
    return not _SENTENCE_END.search(line) and len(_WORD.findall(left)) <= len(found)


def creeps(old: Span, new: Span, line: str) -> bool:
    """Whether a large number alone in its line, or next to an age only, grew a little."""
    one, other = whole(old.text), whole(new.text)
    if one >= _MANY and 0 < other - one <= _GREW * one and _is_beside_age(line):
        return True
    return not _WORD.search(line[: old.start] + line[old.end :]) and one >= _LARGE and 0 < other - one <= _CREEP * one


def _is_beside_age(line: str) -> bool:
    """Whether a line is one number and an age: 10,233 · 3 weeks ago."""
    left, found = blanked(line)
    return sorted(span.type for span in found) == ["number", "relative"] and not _WORD.search(left)


def _is_standing(counted: Span, line: str) -> bool:
    """Whether points or votes are results of the name before them, as in a league table."""
    named = _NAME.search(line[: counted.start])
    return bool(_WON.search(counted.text) and named and named[1].isupper())


def named_so(difference: LineDifference, page: ParsedPage) -> str | None:
    """Whether a line differs only in its numbers, and its markup calls it votes, views or likes, or it is a button's number."""
    old, new = difference.before, difference.after
    if old is None or new is None:
        return None
    if is_pressed(new, page) and bare_number(old.text) is not None:
        return COUNTER
    if _counts_what_it_leads_to(old, new) or _counts_readers(difference, page) or _is_so_headed(old, new, page):
        return COUNTER
    if not _VISITED.search(">".join(page.paths[new.place].split(">")[-2:])):
        return None
    moved = moved_spans(old.text or "", new.text or "")
    return COUNTER if moved is not None and all(span.type != "amount" for pair in moved for span in pair) else None


def _is_so_headed(old: Line, new: Line, page: ParsedPage) -> bool:
    """Whether integers in a table row grew, at most as many as there are columns called replies, views or likes."""
    table = table_of(page.paths[new.place])
    olds, news = (old.text or "").split(), (new.text or "").split()
    if not table or len(olds) != len(news):
        return False
    moved = [pair for pair in zip(olds, news, strict=True) if pair[0] != pair[1]]
    if not all((one := bare_number(a)) is not None and one < (bare_number(b) or 0) for a, b in moved):
        return False
    names = page.table_heads.get(table, "").lower().split()
    return len(moved) <= sum(name in word_set("counted.word") for name in names)


def _counts_what_it_leads_to(old: Line, new: Line) -> bool:
    """Whether a line is the bare number in an entry's link, and grew: comments, members."""
    if not (old.linked and new.linked) or NO_ENTRY in (old.entry, new.entry):
        return False
    one, other = bare_number(old.text), bare_number(new.text)
    return one is not None and other is not None and one < other


def _counts_readers(difference: LineDifference, page: ParsedPage) -> bool:
    """Whether a line consists of bare numbers that grew, in an entry that links to comments."""
    old, new = difference.before, difference.after
    if old is None or new is None or new.entry == NO_ENTRY or not page.entries[new.entry].linked:
        return False
    olds, news = (old.text or "").split(), (new.text or "").split()
    grew = [(one, other) for one, other in zip(olds, news, strict=False) if _BARE.fullmatch(one) and _BARE.fullmatch(other)]
    if not grew or not len(olds) == len(news) == len(grew) or any(whole(other) < whole(one) for one, other in grew):
        return False
    around = page.line_details[max(0, difference.to - _AROUND) : difference.to + _AROUND]
    return any(line.entry == new.entry and line.linked and only_moves(line.text or "") for line in around)


def is_pressed(line: Line, page: ParsedPage) -> bool:
    """Whether a line is the bare number on a button, which counts how often it was pressed."""
    pressed = line.place < len(page.paths) and page.paths[line.place].rpartition(">")[2].startswith("button")
    return pressed and bare_number(line.text) is not None


def counts_beside(page: ParsedPage, line: Line, parts: int, number: int) -> bool:
    """Whether another line at the same place has a count in this position."""
    around = page.lines_at(line.place)[:_LOOKED_AT]
    siblings = (SPACED.split(one.text or "") for one in around if one.hash != line.hash)
    return any(len(said) == parts and only_moves(said[number]) for said in siblings)


def only_moves(text: str) -> bool:
    """Whether an added or removed line is nothing but an age or a count."""
    if len(text) > LONGEST_COUNT or (len(text) > _LONGEST_AGE and not _DIGIT.search(text)):
        return False
    left, found = blanked(text)
    return bool(found) and all(span.type in ("relative", "counter") for span in found) and not any(map(str.isalnum, left))


def is_allowance(difference: LineDifference, page: ParsedPage) -> bool:
    """Whether a number is an allowance of a plan: alone in a list between a heading and a price."""
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
