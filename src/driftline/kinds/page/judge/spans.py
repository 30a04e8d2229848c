"""Finds the typed spans of a line (times, ages, tokens, amounts, counters, numbers) with one RE2 expression, in linear time.

Two lines whose blanked forms are equal differ in such spans alone, and only those have to be judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import re2

from driftline.core.lexicon import any_of, word_set
from driftline.core.lexicon import words as lexicon_words
from driftline.core.text.folding import with_plain_signs
from driftline.core.text.language import dates
from driftline.core.text.short_cache import short_cache

SpanType = Literal["token", "relative", "amount", "moment", "counter", "number"]
_TYPES: Final[Sequence[SpanType]] = ("token", "relative", "amount", "counter", "moment", "number")  # the scanner's groups

CAP: Final = 4_000  # characters of a line that are looked at; what differs beyond it counts
_BLANK: Final = {"relative": "\x01", "moment": "\x01", "number": "\x02", "counter": "\x02", "token": "\x03"}
# Characters that separate words. With all letters of all scripts (\pL) the compiled expression is ten times as large, and every
# process spends 350 ms on compiling it instead of 20 ms.
_APART: Final = (
    r"\s!-/:-@\[-^`{-~\x{a0}-\x{a9}\x{ab}-\x{b1}\x{b4}-\x{b8}\x{bb}\x{bf}\x{d7}\x{f7}\x{60c}\x{61b}\x{61f}\x{2000}-\x{206f}"
    r"\x{20a0}-\x{20cf}\x{2190}-\x{27bf}\x{3000}-\x{3003}\x{3008}-\x{303f}\x{ff00}-\x{ff0f}\x{ff1a}-\x{ff20}"
)
_WORDS: Final = r"[^\W\d_][\w'’-]{0,40}(?:\s[^\W\d_][\w'’-]{0,40}){0,2}"
_BEHIND: Final = re.compile(rf"\s?[km]?\+?\s({_WORDS})")
_BEFORE: Final = re.compile(rf"({_WORDS})\s?[:：(]\s?$")
_COLONS: Final = frozenset(":：(")  # between the name of a count and its number
_ROUNDED: Final = re.compile(r"\s?[km]?\+?\)?")
_SENTENCE: Final = 4  # words beside what is counted
_SENTENCE_ENDS: Final = frozenset(".!?。！？")
_CLOSING: Final = ")”»\"'’ "
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_THOUSAND: Final = 4  # digits
_LABEL: Final = 90  # characters before a number in which the name of a count is looked for
# RE2's word boundaries are ASCII only; these work in all scripts, but consume the character beside the word.
_BEGINS: Final = rf"(?:\b|^|[{_APART}])"
_ENDS: Final = rf"(?:\b|$|[{_APART}])"
# Thousands are parted by one sign: two figures in a row are two numbers.
_NUMBER: Final = r"(?:\d{1,3}(?:[ \x{a0}\x{202f}]\d{3})+\b|\d+(?:[.,'’]\d{3})*)(?:[.,]\d+)?"
_WHOLE: Final = re.compile(r"\d+(?:[.,'’ \xa0\u202f]\d{3})*(?:[.,]\d+)?|.")
_REACTIONS: Final = "👍👎❤♥♡🧡💛💚💙💜🖤💬🗨👁👀🔥🎉😄😂😍🚀👏🙌🔁"  # before a number: so many pressed it
_CURRENCY: Final = r"[$€£¥₹₽₩₺₴₪₫฿%‰]|eur\b|usd\b|chf\b|gbp\b|euros?\b|dollars?\b"


class Span(NamedTuple):
    """A typed part of a line."""

    type: SpanType
    start: int
    end: int
    text: str

    def moved(self, by: int) -> Span:
        """The span shifted by an offset."""
        return self._replace(start=self.start + by, end=self.end + by)


def _dates() -> tuple[str, str]:
    """Expressions for a moment and for a distance from now, from `core.text.language.dates`."""
    clock = (
        r"(?:[01]?\d|2[0-4])[:.h][0-5]\d(?:[:.][0-5]\d(?:[.,]\d{1,9})?)?(?:\s?uhr)?(?:\s?[ap]\.?m\.?)?"
        r"(?:\s?\(?(?:utc|gmt|cest|cet|est|edt|pst|pdt|bst|ist|msk|z|[+-]\d\d:?\d\d)\b\)?)?"
    )
    day, year, gap = dates.day_pattern(), r"(?:19|20)\d\d", dates.gap_pattern()
    numeric = (
        r"(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:[0-2]?\d|3[01])|(?:[0-2]?\d|3[01])\.\s(?:0?[1-9]|1[0-2])\.\s?(?:19|20)\d\d|"
        r"(?:[0-2]?\d|3[01])[-/.](?:[0-2]?\d|3[01])[-/.](?:(?:19|20)\d\d|\d\d)"
    )
    of_year, of_month, of_day = (any_of(f"date.{part}") for part in ("year", "month", "day"))
    signed = rf"(?:\d{{4}}\s?(?:{of_year})\s?)?\d{{1,2}}\s?(?:{of_month})\s?\d{{1,2}}\s?(?:{of_day})?"
    month = f"(?:{dates.months()})"
    named = (
        rf"(?:(?:{dates.weekdays()})\.?,?\s(?:de[rn]\s|d\.\s?)?)?"
        rf"(?:{day}{gap}{month}(?:\.?{gap}{year}|\b\.?|\s|$)|{month}(?:\b\.?\s{day}\b(?:{gap}{year})?|\.?\s{year}))"
    )
    weekday = rf"(?:(?:{dates.weekdays()})\.?,?\s)?"
    date = rf"{signed}|{weekday}(?:{numeric})|{named}"
    join = rf"(?:,?\s(?:{any_of('date.at')})\s|\s?[,@|·•–—-]\s?|\s?\(|t|\s)"
    patterns = (*(pattern for _, pattern in dates.COUNTDOWNS), *map(dates.ago, dates.AGO_LANGUAGES))
    relative = "|".join(map(_without_lookaround, patterns))
    said = rf"(?:{dates.now_words()})(?:{join}(?:{clock}))?"  # yesterday at 10:22
    # Hours and minutes behind a word: in 3 h 12 min, noch 2 Std. und 5 Min. Of the units the first letters are enough.
    letter = rf"[^\d{_APART}]"
    hours, minutes = rf"[dghjostu]{letter}{{0,7}}\.?,?", rf"[hm]{letter}{{0,7}}"
    left = rf"(?:{any_of('countdown.before')}):?\s\d{{1,3}}\s?{hours}\s(?:{letter}{{1,3}}\s)?\d{{1,2}}\s?{minutes}"
    left += rf"(?:\s\d{{1,2}}\s?[ms]{letter}{{0,7}}){{0,2}}"
    timed = rf"(?:{date})(?:{join}(?:{clock})(?:\s{year}\b)?)?"  # Mon Nov 16 21:30:09 UTC 2026
    return rf"{timed}|{weekday}(?:{clock})(?:{join}(?:{date}))?", rf"{relative}|{left}|{said}"


def _without_lookaround(pattern: str) -> str:
    for around in (r"(?<!\w)", r"(?!\w)", r"(?!\s(?:of|for|per|in))"):
        pattern = pattern.replace(around, "")
    # Counted repeats of so large a set make the machine four times as large.
    return pattern.replace(dates.ENDING, r"\w*").replace(r"\w", f"[^{_APART}]")


@lru_cache(maxsize=1)
def _scanner() -> Any:
    """The expression, compiled at the first line that differs."""
    moment, relative = _dates()
    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    return re2.compile(
        r"(?P<token>\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}|\d{1,2}\.[0-9a-f]{6,8}\.\d{10}\.[0-9a-f]{6,8})\b)"
        rf"|{_BEGINS}(?P<relative>{relative}){_ENDS}"
        rf"|(?P<amount>[$€£¥₹₽₩₺₴₪₫฿]\s?{_NUMBER}|{_NUMBER}\s?(?:{_CURRENCY}|(?:{any_of('currency.amount')})\b))"
        rf"|(?P<counter>[★☆⭐]\s?\({_NUMBER}\)|[{_REACTIONS}]\x{{fe0f}}?\s?{_NUMBER})"
        rf"|\b(?P<moment>{moment})"
        rf"|(?P<number>{_NUMBER})",
        options,
    )


def spans(text: str) -> Iterator[Span]:
    """The typed spans of a line, in order; the first type that fits at a place wins."""
    low = text[:CAP].lower()
    if len(low) != len(text[:CAP]):  # lower-casing changed the length, so offsets would not match
        low = text[:CAP]
    last = 0
    for found in _scanner().finditer(low.encode() if low.isascii() else low):  # bytes have no positions to be counted
        index = found.lastindex
        type_, (start, end) = _TYPES[index - 1], found.span(index)
        if start < last:
            continue
        if type_ == "moment" and low[end - 1 : end + 1].isdigit() and end < len(low):  # 10.233 is not 10.23 o'clock
            whole = _WHOLE.match(low, start)
            type_, end = "number", whole.end() if whole else end
        while type_ == "number" and low[end : end + 1].isdigit():  # 1.0842 has no thousands
            end += 1
        if type_ == "number" and (counted := _counted(low, start, end, last)) is not None:
            type_, (start, end) = "counter", counted
        last = end
        yield Span(type_, start, end, text[start:end])


def _counted(low: str, start: int, end: int, last: int) -> tuple[int, int] | None:
    """The number as a count if a name of a count stands before or behind it; else None."""
    counts = _counts(low[start:end])
    found = _BEHIND.match(low, end)
    behind = found[1].split() if found is not None else []
    before = low[max(last, start - _LABEL) : start]
    rounded = _ROUNDED.match(low, end)
    named = next((name for size in (1, 2) if (name := " ".join(before.split()[-size:])) in counts), "")
    if named and before.endswith(f"{named} ") and (not behind or _name_of_count(behind, counts)):  # Issues 213 Stars 12
        return start - len(named) - 1, rounded.end() if rounded else end
    if found is not None and (size := _name_of_count(behind, counts)):
        return start, found.start(1) + len(" ".join(behind[:size]))
    if found is not None and behind[0] in word_set("counted.times") and set(before.split()[-1:]) & word_set("counted.done"):
        return start, found.start(1) + len(behind[0])
    from_ = max(0, start - _LABEL)
    named_before = _COLONS & set(low[max(0, start - 2) : start])  # looked for only behind one
    if named_before and (label := _BEFORE.search(low[from_:start])) is not None:
        words = label[1].split()
        for at in range(len(words)):
            if " ".join(words[at:]) in counts or words[at] in word_set("counted.visited"):
                begins = from_ + label.end(1) - len(" ".join(words[at:]))
                return max(last, begins), rounded.end() if rounded else end
    solid = lexicon_words("counted.solid")
    if low.startswith(solid, end + (low[end : end + 1] == " ")) or low[last:start].rstrip(" :：").endswith(solid):
        return start, end
    return None


def _counts(number: str) -> frozenset[str]:
    """What counts are called in a line that differs; what goes by the thousand, from there on."""
    crowd = ("counted.crowd",) if sum(map(str.isdigit, number)) >= _THOUSAND else ()
    return word_set("counted.word", "counted.in_line", *crowd)


def _name_of_count(words: Sequence[str], counts: frozenset[str]) -> int:
    """How many of the words behind a number say what it counts; 0: none."""
    for size in range(1, len(words) + 1):
        last = words[size - 1]  # global ratings, happy customers
        if (
            " ".join(words[:size]) in counts
            or last in word_set("counted.qualified")
            or last in word_set("counted.crowd") & counts
        ):
            return size
    return 0


@short_cache(256)  # judging and reporting ask for the same lines
def blanked(text: str) -> tuple[str, Sequence[Span]]:
    """The line with its spans replaced by their types and its signs unified; and the spans."""
    found = tuple(spans(text))
    pieces: list[str] = []
    at = 0
    for span in found:
        pieces += (text[at : span.start], _BLANK.get(span.type, span.text))
        at = span.end
    pieces.append(text[at:])
    return with_plain_signs("".join(pieces)), found


def moved_spans(before: str, after: str) -> list[tuple[Span, Span]] | None:
    """The spans in which two lines differ; None if they differ in anything else."""
    one, olds = blanked(before)
    other, news = blanked(after)
    if one != other or len(olds) != len(news):
        return None
    return [pair for pair in zip(olds, news, strict=True) if pair[0].text != pair[1].text]


def is_sentence(text: str) -> bool:
    """Whether a line is a sentence of several words, whose numbers are content."""
    return text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS and len(_WORD.findall(blanked(text)[0])) >= _SENTENCE


def quieted(text: str) -> str:
    """The line without its ages, counts and tokens."""
    pieces: list[str] = []
    at = 0
    sentence = is_sentence(text)
    for span in spans(text):
        if span.type in ("relative", "token") or (span.type == "counter" and not sentence):
            pieces += (text[at : span.start], "\x01")
            at = span.end
    return "".join((*pieces, text[at:]))
