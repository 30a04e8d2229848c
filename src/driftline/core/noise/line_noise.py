"""Text of an article that changes without an edit: "last updated" dates, ages ("3 days ago") and visitor counts.

Elements split such phrases (`<b>1,204</b> <span>views</span>`), so neighbouring lines are searched together. Whole sentences
are left as they are: their dates and numbers are content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any, Final

import re2

from driftline.core.lexicon import any_of, pattern_of, word_set, words
from driftline.core.text.language import dates
from driftline.core.text.lazy_regex import lazy_regex

PLACEHOLDER: Final = "•"  # stands where noise was
_FEWEST_WORDS: Final = 8  # of a sentence whose numbers are content
_SENTENCE_ENDS: Final = frozenset(".!?。！？")
_LONGEST: Final = 20_000  # characters; beyond it lines are data
_LABEL: Final = 4  # words before a date that may say what it is
_LABEL_BEFORE: Final = 70  # characters in which they stand
_JOINS: Final = 4  # letters of a word between the two: "updated on", "aggiornato alle"
_ANY_WORD: Final = lazy_regex(r"[^\W\d_][\w'’-]*")
_MOMENT: Final = lazy_regex(lambda: rf"(?<![a-z\d.,/:-])(?:{dates.moment()})(?![\w/])")
_AGES: Final = tuple((language, lazy_regex(partial(dates.ago, language))) for language in dates.AGO_LANGUAGES)
_COUNTDOWNS: Final = tuple((needs, lazy_regex(pattern)) for needs, pattern in dates.COUNTDOWNS)
_NOW: Final = lazy_regex(lambda: rf"\W{{0,3}}(?:{dates.now_words()})\W{{0,3}}")
_NUMBER: Final = r"\d{1,9}(?:[.,'’ ]\d{3}){0,4}(?:[.,]\d{1,2})?\s?[km]?\+?"
# A count stands alone between separators: in "up to 10 downloads" and "500 views included" the number is a limit.
_BEGINS: Final = r"(?<![^\n|·•,;()])\s?"
_ENDS: Final = r"(?=\s?(?:[\n|·•,;()]|\Z))"
_PHRASE: Final = r"([^\W\d_][\w'’-]{0,40}(?:\s[^\W\d_][\w'’-]{0,40}){0,2})"
_COUNTS: Final = (
    lazy_regex(rf"{_BEGINS}{_NUMBER}\s{_PHRASE}{_ENDS}"),
    lazy_regex(rf"{_BEGINS}{_PHRASE}(?:\s?[:：(]\s?|\n){_NUMBER}\)?{_ENDS}"),
)
_COUNT_SOLID: Final = lazy_regex(
    lambda: rf"{_NUMBER}\s?(?:{any_of('counted.solid')})|(?:{any_of('counted.solid')})\s?[:：]?\s?{_NUMBER}"
)


def without_line_noise(lines: Sequence[str]) -> list[str]:
    """The lines with each such phrase replaced by a placeholder; neighbouring lines may be joined."""
    found: list[str] = []
    for sentence, group in groupby(lines, key=_is_sentence):
        run = list(group)
        found += run if sentence else [_with_placeholders("\n".join(run))]
    return found


def _is_sentence(line: str) -> bool:
    return len(line) > _LONGEST or (line.rstrip("\"”»)’' ")[-1:] in _SENTENCE_ENDS and line.count(" ") >= _FEWEST_WORDS)


def _with_placeholders(text: str) -> str:
    low = text.lower()
    if len(low) != len(text):  # lower-casing changed the length, so offsets would not match
        low = text
    pieces: list[str] = []
    at = 0
    for start, end in sorted((*_update_dates(low), *_ages_in(low), *_counts_in(low))):
        if start >= at:
            pieces += (text[at:start], PLACEHOLDER)
        at = max(at, end)
    return "".join((*pieces, text[at:]))


def _update_dates(low: str) -> Iterator[tuple[int, int]]:
    """Spans of dates behind a label such as "last updated"."""
    if _any_update_label().search(low.encode("utf-8", "replace")) is not None:
        for found in _MOMENT.finditer(low):
            if _is_update_label(low[max(0, found.start() - _LABEL_BEFORE) : found.start()]):
                yield found.span()


def _is_update_label(before: str) -> bool:
    """Whether the text before a date ends with a label such as "last updated"."""
    if before.rstrip(" :：(\n").endswith(words("touched.solid")):
        return True
    said = _ANY_WORD.findall(before)
    if said[-2:-1] == ["as"]:  # only when alone: "valid as of 1 May" is content
        return len(said) == 2
    ends = [said, said[:-1]] if said and len(said[-1]) <= _JOINS else [said]
    return any(
        " ".join(end[-size:]) in word_set("touched.word") for end in ends for size in range(1, min(len(end), _LABEL) + 1)
    )


@cache
def _any_update_label() -> Any:
    """One of these words stands in every such label; RE2 searches for all of them in one pass."""
    return re2.compile(
        pattern_of((*(phrase.split()[-1] for phrase in words("touched.word")), *words("touched.solid"))).encode()
    )


@cache
def _ages() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    return (*_COUNTDOWNS, *((dates.ago_words(language), pattern) for language, pattern in _AGES))


@cache
def _any_age_word() -> Any:
    """One of these words stands in every age; RE2 searches for all of them in one pass."""
    return re2.compile(pattern_of(word for needs, _ in _ages() for word in needs).encode())


def _ages_in(low: str) -> Iterator[tuple[int, int]]:
    """Spans of ages, countdowns and words such as "just now"."""
    aged = _any_age_word().search(low.encode("utf-8", "replace")) is not None
    for needs, pattern in _ages() if aged else ():
        if any(word in low for word in needs):
            yield from (found.span() for found in pattern.finditer(low))
    at = 0
    for line in low.split("\n"):
        if _NOW.fullmatch(line) or line.strip(" .!…") in word_set("counted.nothing"):
            yield at, at + len(line)
        at += len(line) + 1


def _counts_in(low: str) -> Iterator[tuple[int, int]]:
    """Spans of counts of visitors, views, downloads and the like."""
    for pattern in _COUNTS:
        yield from (found.span() for found in pattern.finditer(low) if " ".join(found[1].split()) in word_set("counted.word"))
    if not low.isascii():
        yield from (found.span() for found in _COUNT_SOLID.finditer(low))
