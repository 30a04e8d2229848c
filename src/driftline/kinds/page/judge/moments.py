"""Decides whether two times in a line mean the same: clocks, today's dates, "last updated" dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from driftline.core.commerce.buy_buttons import is_beside_buying
from driftline.core.identity.timestamps import instant
from driftline.core.lexicon import words as lexicon_words
from driftline.core.text.language import dates
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.judge.spans import Span

_NEAR: Final = 200  # characters before a date in which its label is looked for
_LABEL: Final = 5  # words before a date that may say what it is
_CLOSE: Final = timedelta(hours=26)  # between a clock or a date of today and the fetch, time zones included
_FULL_DAY: Final = timedelta(days=1)
_LATE: Final = timedelta(minutes=20)  # of a clock on a page that was made some time before it was sent
_SOON: Final = timedelta(days=14)  # ahead of the fetch: when what is ordered now comes
_LEAD: Final = 40  # characters in which a line says what it is about
_DRIFT: Final = timedelta(days=62)  # between two dates of change that nobody set; a longer leap is a new edition
_CLOCK: Final = re.compile(r"\d[:.h]\d\d")
_SECONDS: Final = re.compile(r"\d[:.h]\d\d[:.]\d\d(?!\d)")
_TODAY: Final = lazy_regex(lambda: rf"(?<!\w)(?:{dates.now_words()})(?:\s\w{{1,4}})?[\s:,]{{0,3}}$")  # today is
_ONLY_CLOCK: Final = re.compile(r"(?:[^\W\d_]{2,20}\.?,?\s)?\d{1,2}[:.h]\d\d(?:[:.]\d\d)?(?:\D.*)?")
RIGHTS: Final = re.compile(r"(?:©|\(c\)|copyright)[^\n]{0,20}$", re.IGNORECASE)
_DAY: Final = re.compile(r"\d\D+\d")  # a date that names its day
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")  # fields of documents: updatedAt
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile(r"\d")
_WEEKDAY: Final = re.compile(r"[^\W\d_]{2,20}\.?,?\s(?=\d{1,4}[-/.]\d)")  # Tuesday, 17.11.2026
_CTIME: Final = re.compile(r"(\w{3} \d{1,2}) (\d\d:\d\d:\d\d)(?: [A-Z]{2,5})? ((?:19|20)\d\d)$")
_STAMP: Final = re.compile(r"1[4-9]\d{8}(?:\d{3})?")
_YEAR: Final = 366 * 86_400  # seconds
_SOME_YEAR: Final = datetime(2024, 1, 1, tzinfo=UTC)  # with a 29th of February
_FEW_DAYS: Final = timedelta(days=7)  # between two checks
_YEARS: Final = re.compile(r"(?:19|20)\d\d")
_WORD: Final = re.compile(r"[^\W\d_]{2}")


class Times(NamedTuple):
    """When the two versions were fetched; None if unknown."""

    before_at: datetime | None = None
    after_at: datetime | None = None


def is_past(old: Span, new: Span, line: str, times: Times) -> bool:
    """Whether an age became the date that it stood for."""
    moment = instant((old if old.type == "moment" else new).text)
    if moment is not None and times.after_at is not None:
        return moment < times.after_at + _CLOSE
    aged = old if old.type == "relative" else new
    return bool(_DIGIT.search(aged.text)) or not _WORD.search(line[: old.start])


def same_moment(old: Span, new: Span, line: str, times: Times, *, listed: bool) -> str | None:
    """Whether two times differ only because time passed: a clock, today's date, or a "last updated" date."""
    around = line[: old.start] + line[old.end :]
    if RIGHTS.search(line[: old.start]):
        return "copyright year"
    label = _label(line[: old.start])
    labelled = _is_touched(label) or _TODAY.search(line[: old.start].lower()) is not None
    labelled = labelled or (not listed and _is_written_by_machine(old.text, new.text, around))
    timed = bool(_CLOCK.search(old.text) and _CLOCK.search(new.text))
    ticking = ticks(old.text, new.text)
    alone = not _WORD.search(around)
    if times.before_at is not None and times.after_at is not None:
        was, now = _instant(old.text, times.before_at), _instant(new.text, times.after_at)
        bare = instant(old.text) is None or instant(new.text) is None
        close = _is_close(was, times.before_at) and _is_close(now, times.after_at)
        close = close and (labelled or not bare or _keeps_time(was, now, times))
        if close and (labelled or (alone and not timed) or ticking):
            return "clock" if timed else "date of today"
        touched = was is not None and now is not None and was <= now < min(was + _DRIFT, times.after_at + _CLOSE)
        if labelled and touched:
            return "date of change"
        return "day of delivery" if is_beside_buying(line[:_LEAD]) and _comes_soon(old.text, new.text, times) else None
    if is_beside_buying(line[:_LEAD]) and _went_on_some_days(old.text, new.text):
        return "day of delivery"
    was, now = _instant(old.text, None), _instant(new.text, None)
    single = ticking and not listed and not any(map(str.isalnum, around))
    if was is None or now is None:
        if single or (timed and labelled and _ONLY_CLOCK.fullmatch(old.text)):
            return "clock"
        return "date of change" if labelled and _is_near(old.text, new.text) else None
    if labelled and now - was < _DRIFT and _DAY.search(old.text):
        return "date of change"
    return "clock" if (single or (ticking and alone)) and timedelta() <= now - was < _DRIFT else None


def is_clock(text: str) -> bool:
    """Whether a span is a time of the day without a date."""
    return _ONLY_CLOCK.fullmatch(text) is not None and instant(text) is None


def ticks(old: str, new: str) -> bool:
    """Whether two times both have a time of day that nobody chose."""
    return bool(_CLOCK.search(old) and _CLOCK.search(new)) and not _is_set(old, new)


def _is_written_by_machine(old: str, new: str, around: str) -> bool:
    """Whether two times have seconds that nobody chose, and at most a label beside them."""
    seconds = [found[0][-2:] for text in (old, new) if (found := _SECONDS.search(text))]
    return len(seconds) == 2 and seconds != ["00", "00"] and len(_LETTERS.findall(around)) <= _LABEL


def is_stamp(old: str, new: str) -> bool:
    """Whether two numbers are Unix timestamps, in seconds or milliseconds, and the second is later."""
    if not (_STAMP.fullmatch(old) and len(old) == len(new) and new.isdecimal()):
        return False
    return 0 < int(new[:10]) - int(old[:10]) < _YEAR


def _is_set(old: str, new: str) -> bool:
    """Whether both times of day were chosen by a person, because they are round."""
    return all((clock := _CLOCK.search(text)) is not None and int(clock[0][-2:]) % 5 == 0 for text in (old, new)) and not any(
        _SECONDS.search(text) for text in (old, new)
    )


def _is_close(moment: datetime | None, at: datetime) -> bool:
    return moment is not None and abs(moment - at) < _CLOSE


def _keeps_time(was: datetime | None, now: datetime | None, times: Times) -> bool:
    """Whether a time of day advanced as much as the fetch time, in whatever zone."""
    if was is None or now is None or times.before_at is None or times.after_at is None:
        return False
    apart = ((now - was) - (times.after_at - times.before_at)) % _FULL_DAY
    return min(apart, _FULL_DAY - apart) <= _LATE


def _comes_soon(old: str, new: str, times: Times) -> bool:
    """Whether both days are the next possible delivery days; a later one is news."""
    if times.before_at is None or times.after_at is None:
        return False
    was, now = _day(old, times.before_at), _day(new, times.after_at)
    if was is None or now is None or now < was:
        return False
    return was - times.before_at < _SOON and now - times.after_at < _SOON


def _went_on_some_days(old: str, new: str) -> bool:
    """Whether a day is a few days after another one, where nobody knows when they were read."""
    was, now = _day(old, _SOME_YEAR), _day(new, _SOME_YEAR)
    if was is None or now is None:
        return False
    went = now - was if _YEARS.search(old) else (now - was) % timedelta(seconds=_YEAR)
    return timedelta() < went <= _FEW_DAYS


def _day(text: str, near: datetime) -> datetime | None:
    """The day that is meant; one without a year is of this one, or of the next."""
    bare = text[next((at for at, sign in enumerate(text) if sign.isdigit()), 0) :] if _DIGIT.search(text) else text
    for said in (text, bare, f"{bare} {near.year}", f"{text} {near.year}"):
        if (found := instant(said)) is not None:
            return found if found > near - _CLOSE or said in (text, bare) else instant(f"{said[:-4]}{near.year + 1}")
    return None


def _label(before: str) -> str:
    """The last words before a date, without a short joining word: "aggiornato alle"."""
    words = _LETTERS.findall(_CAMEL.sub(" ", before[-_NEAR:]).lower())[-_LABEL:]
    label = " ".join(words)
    return " ".join(words[:-1]) if words and not _is_touched(label) and len(words[-1]) <= 4 else label


def _is_touched(label: str) -> bool:
    """Whether the words before a date are a label such as "last updated"."""
    return label.endswith(lexicon_words("touched.word", "touched.solid"))


def _is_near(old: str, new: str) -> bool:
    """Whether two dates are of one year, of its end and the next one's beginning, or say no year."""
    years = [int(found[0]) for found in (_YEARS.search(old), _YEARS.search(new)) if found]
    if not years:
        return bool(_DIGIT.search(old) and _DIGIT.search(new))
    return len(years) == 2 and 0 <= years[1] - years[0] <= 1 and _DAY.search(old) is not None


def _instant(text: str, near: datetime | None) -> datetime | None:
    """The instant of a time in text; a time of day alone is on the day of the fetch."""
    found = instant(text)
    if found is None and (ctime := _CTIME.search(text)):
        found = instant(f"{ctime[1]} {ctime[3]} {ctime[2]}")
    if found is None and (named := _WEEKDAY.match(text)):
        found = instant(text[named.end() :])
    if found is None and near is not None and (clock := re.match(r"\D{0,25}(\d{1,2})[:.h](\d\d)", text)):
        return near.replace(hour=int(clock[1]) % 24, minute=int(clock[2]) % 60)
    return found
