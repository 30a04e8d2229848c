"""Currencies by name: `US dollars`, `Schweizer Franken`, `couronnes suédoises`, `польских злотых`; and alone: `dollars`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from driftline.core.commerce.currency_symbols import CurrencyMark
from driftline.core.lexicon import parts
from driftline.core.text.short_cache import short_cache

# Names alone: whose money it is if nobody says, and whose it may be.
_ALONE: Final = {
    "dollar": ("USD", "USD CAD AUD NZD SGD HKD TWD"), "euro": ("EUR", ""), "forint": ("HUF", "HUF"), "hryvnia": ("UAH", "UAH"),
    "leu": ("RON", "RON MDL"), "pound": ("GBP", "GBP EGP"), "rouble": ("RUB", "RUB BYN"),
    "rupee": ("INR", "INR PKR LKR NPR MUR"), "shekel": ("ILS", "ILS"), "won": ("KRW", ""), "yen": ("JPY", "JPY"),
    "yuan": ("CNY", "CNY"), "zloty": ("PLN", "PLN"),
}  # fmt: skip
_LONGEST: Final = 48  # characters of a whole name
_MOST: Final = 6  # words of it
_AROUND: Final = ".,;:!?()[]*"
_SPACES: Final = str.maketrans("\u00a0\u202f", "  ")
_WORD: Final = re.compile(r"[^\W\d_]+")
_GAP: Final = frozenset(" \u00a0\u202f-")


@cache
def _whole() -> dict[str, str]:
    return {name: code for code, names in parts("currency.full").items() for name in names}


@cache
def _stems() -> dict[str, str]:
    """How names begin by the name that they are; a whole word ends in a space."""
    named = ((stem, name) for name, stems in parts("currency.name").items() for stem in stems)
    return {stem[:-1] if stem.endswith("*") else f"{stem} ": name for stem, name in named}


@cache
def _longest_stem() -> int:
    return max(map(len, _stems()))


def name_after(text: str, start: int) -> tuple[CurrencyMark, int, int] | None:
    """The currency that is named right after `start`, where the name begins and where it ends."""
    at = _behind_gap(text, start)
    if not text[at : at + 1].isalpha():
        return None
    word = _WORD.match(text, at)
    if word is not None and not may_begin_a_name(word[0]):
        return None
    return _whole_name(text, at) or _name_alone(text, at)


@short_cache(4096)
def may_begin_a_name(word: str) -> bool:
    """Whether the name of a currency may begin with this word: most words beside numbers are none."""
    low = word.casefold() + " "
    return low[:-1] in _first_words() or any(low[:length] in _stems() for length in range(1, len(low) + 1))


@cache
def _first_words() -> frozenset[str]:
    return frozenset(word[0] for name in _whole() if (word := _WORD.match(name)))


def _whole_name(text: str, at: int) -> tuple[CurrencyMark, int, int] | None:
    """The longest whole name that stands there."""
    ahead = text[at : at + _LONGEST].translate(_SPACES)
    ends = [found for found, sign in enumerate(ahead) if sign in " \n"][:_MOST]
    for end in (*((len(ahead),) if len(text) - at <= _LONGEST and len(ends) < _MOST else ()), *reversed(ends)):
        name = ahead[:end].rstrip(_AROUND)
        if (code := _whole().get(name.casefold())) is not None:
            return CurrencyMark(code), at, at + len(name)
    return None


def _name_alone(text: str, at: int) -> tuple[CurrencyMark, int, int] | None:
    word = _WORD.match(text, at)
    if word is None:
        return None
    low = word[0].casefold() + " "
    for length in range(min(len(low), _longest_stem()), 0, -1):
        if (name := _stems().get(low[:length])) is not None:
            code, family = _ALONE[name]
            return CurrencyMark(code, frozenset(family.split())), at, word.end()
    return None


def _behind_gap(text: str, at: int) -> int:
    end = min(at + 2, len(text))
    while at < end and text[at] in _GAP:
        at += 1
    return at
