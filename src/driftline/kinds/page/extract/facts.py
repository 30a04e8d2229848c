"""What the text of a block says in so many words: salary, location, price, date."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from driftline.core.lexicon import any_of, parts, pattern_of, words
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

_SIGNS: Final = ("$", "€", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "PLN")
_DIGIT: Final = re.compile(r"\d")
_COLON: Final = re.compile("[:：]")
_LONGEST: Final = 60  # characters of a label
_PER: Final = r"(?:/|per|pro|par)\s?(?:year|yr|hour|hr|month|annum|jahr|monat|stunde|an|mois|h|y)"


def _salary() -> str:
    figure = r"\d[\d.,]{0,30}\s?[kK]?"
    codes = "EUR|USD|GBP|CHF|PLN"
    money = rf"(?:(?:[$€£¥₹]|\b(?:{codes}))\s?{figure}|{figure}\s?(?:€|{codes}|{any_of('currency.amount')}))"
    return rf"{money}(?:\s?(?:-|–|—|to)\s?(?:{money}|{figure}))?(?:\s?{_PER})?"


@cache
def _labels() -> dict[str, str]:
    return {label: fact for fact, labels in parts("job").items() for label in labels}


_SALARY: Final = lazy_regex(_salary, re.IGNORECASE)
_PAID: Final = lazy_regex(rf"{_PER}|\dk|[-–—]", re.IGNORECASE)  # what makes money a salary and not a price
_LABELLED: Final = lazy_regex(lambda: rf"\b({pattern_of(_labels())})\s?[:：]\s?([^|·•\n]{{2,80}})", re.IGNORECASE)


@cache
def _amounts() -> tuple[str, ...]:
    return (*_SIGNS, *words("currency.amount"))


def _has_label(text: str) -> bool:
    """Whether a colon stands behind a label: much quicker to ask than to look for every label everywhere."""
    before = _COLON.split(text)[:-1]
    return any(part[-_LONGEST:].rstrip().lower().endswith(_label_words()) for part in before)


@cache
def _label_words() -> tuple[str, ...]:
    return tuple(_labels())


def _mentions_money(text: str) -> bool:
    return _DIGIT.search(text) is not None and any(sign in text for sign in _amounts())


def fact_at(path: str) -> str | None:
    """The fact that an element's class names: `p.location`."""
    return _fact_of(path.rpartition(">")[2])


@short_cache(1_024)  # the lines of a list have few paths
def _fact_of(step: str) -> str | None:
    return next((_labels()[name] for name in step.split(".")[1:] if name in _labels()), None)


def facts_in(text: str) -> dict[str, str]:
    """The labelled facts of a text, and the money in it where no label names it."""
    found: dict[str, str] = {}
    for label, value in _LABELLED.findall(text) if _has_label(text) else ():
        found.setdefault(_labels()[label.lower()], fold(value))
    if not found.keys() & {"salary", "price"} and _mentions_money(text) and (money := _SALARY.search(text)):
        found["salary" if _PAID.search(money[0]) else "price"] = money[0].strip()
    return found
