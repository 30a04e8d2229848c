"""The shapes in which the world's pages write dates, times and distances from now. Patterns are for lower-cased text."""

from __future__ import annotations

from functools import cache
from typing import Final

from driftline.core.lexicon import all_of, any_of, by_language, guarded, is_solid, pattern_of, words


def _months() -> tuple[str, ...]:
    return (*all_of("months"), *all_of("months_short"))


def _weekdays() -> tuple[str, ...]:
    return (*all_of("weekdays"), *all_of("weekdays_short"), *all_of("weekdays_two"))


@cache
def months() -> str:
    """The names of months and their abbreviations."""
    return pattern_of(_months())


@cache
def weekdays() -> str:
    """The names of weekdays and their abbreviations."""
    return pattern_of(_weekdays())


_ZONE: Final = (
    r"(?:utc|gmt|cest|cet|est|edt|pst|pdt|cst|cdt|mst|mdt|bst|ist|jst|kst|msk|eest|eet|aest|aedt|"
    r"z)(?:[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d"
)
_ISO: Final = r"(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:[0-2]?\d|3[01])"
_SPACED_OUT: Final = r"(?:[0-2]?\d|3[01])\.\s(?:0?[1-9]|1[0-2])\.\s?(?:19|20)\d\d"  # 10. 3. 2026
NUMERIC: Final = rf"{_ISO}|{_SPACED_OUT}|(?:[0-2]?\d|3[01])[-/.](?:[0-2]?\d|3[01])[-/.](?:(?:19|20)\d\d|\d\d)"
_YEAR: Final = r"(?:19|20)\d\d"
_JOIN_SIGNS: Final = r"\s?[,@|·•–—-]\s?|\s?\(|t"


@cache
def day_pattern() -> str:
    """The number of a day."""
    return rf"(?:[0-2]?\d|3[01])(?:{any_of('date.ordinal')}|\.)?"


@cache
def gap_pattern() -> str:
    """What stands between day, month and year."""
    return rf"(?:,\s?|\.\s?|\s(?:{any_of('date.of')})\s|\s|-|/)"


@cache
def signed_pattern() -> str:
    """A date with a sign behind each number: 2026年3月1日(日)."""
    sign, after = f"(?:{pattern_of(all_of('weekdays_sign'))})", any_of("date.weekday_after")
    numbers = (
        rf"(?:(?:\d{{4}}|(?:{any_of('date.era')})\s?\d{{1,2}})\s?(?:{any_of('date.year')})\s?)?"
        rf"\d{{1,2}}\s?(?:{any_of('date.month')})\s?\d{{1,2}}\s?(?:{any_of('date.day')})?"
    )
    weekday = rf"\s?[（(]{sign}(?:{after})?[)）]|\s?(?:{any_of('date.weekday_before')}){sign}|\s?{sign}(?:{after})"
    return rf"{numbers}(?:{weekday})?"


def _named() -> str:
    named, weekday, day, gap = guarded(_months()), guarded(_weekdays()), day_pattern(), gap_pattern()
    return (
        rf"(?:{weekday}\.?,?\s(?:de[rn]\s|d\.\s?)?)?"
        rf"(?:{day}{gap}{named}(?!\w)\.?(?:{gap}{_YEAR})?(?:\s(?:{any_of('date.year_mark')}))?"
        rf"|{named}(?!\w)\.?\s(?:{day})(?!\d)(?:{gap}{_YEAR})?)(?:,?\s{weekday}(?!\w))?"
    )


def _clock() -> str:
    hour, minute, second, uhr = (any_of(f"clock.{part}") for part in ("hour", "minute", "second", "uhr"))
    return (
        rf"(?:[01]?\d|2[0-4])(?:[:.h]|\s?(?:{uhr})\s?|(?:{hour})\s?)[0-5]\d"
        rf"(?:(?:[:.]|(?:{minute})\s?)[0-5]\d(?:[.,]\d{{1,9}})?)?(?:{minute}|{second})?(?:\s?(?:{uhr}))?(?:\s?[ap]\.?m\.?(?![a-z]))?"
        rf"(?:\s?\(?(?:{_ZONE})(?![a-z])\)?)?|(?:1[0-2]|[1-9])\s?[ap]\.?m\.?(?![a-z])"
    )


@cache
def moment() -> str:
    """A date, a time, or both together in either order."""
    date = rf"(?:{signed_pattern()}|{NUMERIC}|{_named()})(?!\d)"
    join, clock = rf"(?:,?\s(?:{any_of('date.at')})\s|{_JOIN_SIGNS}|\s)", _clock()
    return rf"(?:{date})(?:{join}(?:{clock}))?|(?:{clock})(?:{join}(?:{date}))?"


ENDING: Final = r"\w{0,6}"  # of a unit: Minuten, minutach
_EN_SHORT: Final = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?)"
_LEFT: Final = (
    rf"\d{{1,4}}\s(?:days?|{_EN_SHORT})(?:\s\d{{1,2}}\s{_EN_SHORT}){{0,3}}\s(?:left|remaining|to go)(?!\s(?:of|for|per|in))"
)
# Distances from now that are counted down, each with words without which it cannot be there.
COUNTDOWNS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    ((" left", " remaining", " to go"), rf"(?<!\w)(?:{_LEFT})(?!\w)"),
    (("d ", "h "), r"(?<!\w)(?:\d{1,3}d\s\d{1,2}h(?:\s\d{1,2}m(?:\s\d{1,2}s)?)?|\d{1,2}h\s\d{1,2}m\s\d{1,2}s)(?!\w)"),
)
AGO_LANGUAGES: Final = tuple(by_language("ago"))


@cache
def units() -> str:
    """The units of a length of time, of languages that have spaces between words."""
    found = (word for ago in by_language("ago").values() for word in ago["unit"] if not is_solid(word))
    return pattern_of(found, ending=ENDING)


@cache
def ago_words(language: str) -> tuple[str, ...]:
    """Words without which a language says of nothing how long ago it was: finding one is much quicker than trying a pattern."""
    ago = by_language("ago")[language]
    after = (word if is_solid(word) else f" {word}" for name in ("after", "after_bare") for word in ago.get(name, ()))
    before = (f"{word} " for name in ("before", "before_bare") for word in ago.get(name, ()))
    return (*before, *after, *ago.get("since", ()))


@cache
def ago(language: str) -> str:
    """How a language says how long ago something was."""
    ago = by_language("ago")[language]
    unit = f"(?:{pattern_of(ago['unit'], ending=ENDING)})"
    if is_solid(ago["unit"][0]):
        return rf"\d{{1,3}}\s?{unit}\s?(?:{pattern_of(ago['after'])})" + (r"(?!\w)" if language == "ko" else "")
    number = r"\d{1,3}(?:[.,]\d)?\+?"
    number = rf"(?:{number}|{pattern_of(ago['one'])})" if "one" in ago else number
    about = rf"(?:(?:{pattern_of(ago['about'])})\s)?" if "about" in ago else ""
    between = rf"(?:(?:{pattern_of(ago['of'])})\s)?" if "of" in ago else ""
    counted = rf"{number}\s?{between}{unit}"
    forms = {
        "before": ("(?:", rf")\s{about}{counted}"),
        "before_bare": ("(?:", rf")\s{about}(?:{number}\s)?{unit}"),
        "after": (rf"{about}{counted}(?:,?\s(?:and\s)?\d{{1,2}}\s?{unit})?\s(?:", ")"),
        "after_bare": (rf"(?:\d{{1,3}}\s)?{unit}\s(?:", ")"),
        "since": (r"\d{1,3}\s(?:", ")"),
    }
    found = (before + pattern_of(ago[name]) + behind for name, (before, behind) in forms.items() if name in ago)
    return rf"(?<!\w)(?:{'|'.join(found)})(?!\w)"


@cache
def now_words() -> str:
    """Words for "now-ish" that are noise when they are the whole line."""
    return pattern_of(words("date.now"))
