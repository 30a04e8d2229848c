"""The words that always count: however small the edit, a changed number, date or negation changes what a text says."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from driftline.core.lexicon import all_of, any_of, pattern_of, words
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.normal_form import normalized
from driftline.core.text.window import differing_part

_AROUND = 40  # characters around a difference: what a number or a date is written with
_SIGNS = "$€£¥₹₽₩₺₴₪₫฿₦₱₡₲₵₸₼₾¢"
_CODES = (
    "USD|EUR|GBP|JPY|CNY|INR|RUB|KRW|TRY|UAH|ILS|VND|THB|NGN|PHP|CHF|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|BRL|MXN|"
    "ARS|CLP|COP|PEN|ZAR|EGP|KES|SGD|HKD|TWD|MYR|IDR|AED|SAR|QAR|KWD|PKR|BDT|LKR|KZT|Rs"
)
# A number with its inner separators (1,299.00  2026-03-01  20:30  3/4  v1.2.3), its sign, unit of money and percent.
_NUMBER = (
    rf"(?:(?:[{_SIGNS}]|\b(?:{_CODES})\.?)[ ]?)?(?:(?<!\w)[-+−±<>≤≥~][ ]?)?\d+(?:[.,:/'’٫٬\-–][ ]?\d+)*"
    rf"(?:[ ]?(?:[%‰°{_SIGNS}]|(?:{_CODES})\b))?"
)


# Words that count are looked up: an expression of hundreds of them is tried word by word, at every letter.
@cache
def _counting() -> frozenset[str]:
    dated = (*all_of("months"), *all_of("weekdays"), *words("date.today", "number.word", "negation.word"))
    return frozenset(word.casefold() for word in dated)


@cache
def _short() -> frozenset[str]:
    """Dates that count only beside a number, since many are words of their own ("may", "mar", "set")."""
    return frozenset((*all_of("months_short"), *all_of("weekdays_short"))) - _counting()


_SOLID = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # scripts without spaces
# Without regard to case it would be compiled letter by letter: they have none.
_LETTERS = rf"(?<!\w)(?!n['’]\w)(?-i:[^\W\d_{_SOLID}]++)(?!\w|['’]t\b)"
_BESIDE_WORDS = re.compile(r"[\d'_]")
_PUNCTUATION = frozenset(",.;:")
_FIRST_SOLID = "\u0e00"  # scripts without spaces begin here
_ASCII_WORD = re.compile("[a-z]+")
# Endings, and scripts without spaces, where a negation is no word of its own.
_CRITICAL = lazy_regex(
    lambda: (
        rf"({_LETTERS})(?!\.?[ ]?[-+−±<>≤≥~]?[ ]?\d)|"  # USD 5 is no word
        rf"({_NUMBER}|n['’]t\b|\bn['’](?=\w)|{any_of('negation.solid')}|{_weekdays()})|({_LETTERS})"
    ),
    re.IGNORECASE,
)


def _weekdays() -> str:
    sign = f"(?:{pattern_of(all_of('weekdays_sign'))})"
    return rf"(?:{any_of('date.weekday_before')}){sign}|{sign}(?:{any_of('date.weekday_after')})"


_DATED = lazy_regex(lambda: rf"(?<=\d[ .])(?:{pattern_of(_short())})\b|\b(?:{pattern_of(_short())})(?=[.,]? \d)", re.IGNORECASE)


@cache
def _read_whole() -> frozenset[str]:
    """Words that count, or may belong to a number beside them."""
    return _counting() | _short() | {code.casefold() for code in _CODES.split("|")}


def _without_prose(text: str) -> str:
    """The text without runs of plain words, of which no part counts: most of a paragraph."""
    whole = _read_whole()
    kept: list[str] = []
    dropped = False
    for token in text.split(" "):
        word = token[:-1] if token[-1:] in _PUNCTUATION else token
        if word.isalpha() and max(word) < _FIRST_SOLID and word.casefold() not in whole:
            if not dropped:
                kept.append("x")  # what stood before and behind stays apart
            dropped = True
        else:
            kept.append(token)
            dropped = False
    return " ".join(kept)


def differs_critically(before: str, after: str) -> bool:
    """Whether two versions of a text say other numbers, dates or negations; only the part that differs is read."""
    part = differing_part(before, after, around=_AROUND)
    return critical_tokens(part.before) != critical_tokens(part.after)


def critical_tokens(text: str) -> Counter[str]:
    """The numbers (with sign, money and percent), dates, numerals and negations of a text, and how often each is there."""
    if text.isascii() and _BESIDE_WORDS.search(text) is None:  # most lines: nothing but words, which are looked up at once
        return Counter(filter(_counting().__contains__, _ASCII_WORD.findall(text.lower())))
    plain = _without_prose(normalized("NFKC", text))
    found: list[str] = []
    short = False
    for one, kept, other in _CRITICAL.findall(plain):
        if kept:
            found.append(kept.replace(" ", "").casefold())
            continue
        word = (one or other).casefold()
        if word in _counting():
            found.append(word)
        elif word in _short():
            short = True
    if short:
        found += [token.casefold() for token in _DATED.findall(plain)]
    return Counter(found)
