"""Currency marks: which symbol, word or code on either side of a number names which ISO 4217 currency."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from driftline.core.commerce.currencies import ALONE, CODES, SHARED, WEAK, WORDLIKE
from driftline.core.lexicon import parts
from driftline.core.text.short_cache import short_cache


class CurrencyMark:
    """A recognised currency mark: the currency that it names, and how far it may be believed."""

    __slots__ = ("alone", "currency", "family", "weak", "word")

    def __init__(
        self,
        currency: str | None,
        family: frozenset[str] = frozenset(),
        *,
        weak: bool = False,
        alone: bool = False,
        word: bool = False,
    ) -> None:
        self.currency = currency  # None: a currency, though nobody can say which
        self.family = family  # what else it may mean; empty for a mark of one currency
        self.weak = weak
        self.alone = alone  # weak, and believed only where the text is one price
        self.word = word  # of letters that join with their neighbours: needs a border, and stays on its line

    def meant(self, hint: str | None) -> str | None:
        """The currency, with a hint where the mark alone leaves a choice."""
        return hint if hint in self.family else self.currency


def _is_word(mark: str) -> bool:
    """Letters of a script that puts borders between words; 円, 원 and บาท stand against anything."""
    edge = mark[0] if mark[0].isalpha() else mark[-1]
    return (
        edge.isalpha()
        and not "\u0e00" <= edge <= "\u0e7f"
        and not "\u3040" <= edge <= "\u9fff"
        and not "\uac00" <= edge <= "\ud7af"
    )


@cache
def _table() -> dict[str, CurrencyMark]:
    marks: dict[str, CurrencyMark] = {}
    for code, written in parts("currency.mark").items():
        for mark in written:
            lowered = mark.casefold()
            marks[lowered] = CurrencyMark(code, word=_is_word(lowered))
    shared = parts("currency.shared")
    for name, (code_alone, family) in SHARED.items():
        for mark in shared[name]:
            marks[mark] = CurrencyMark(code_alone, frozenset(family.split()), word=_is_word(mark))
    for code in CODES - WORDLIKE:
        marks[code.casefold()] = CurrencyMark(code, word=True)
    marks |= {code: CurrencyMark(code, weak=True, word=True) for code in WORDLIKE}
    for lines, concept, alone in ((WEAK, "currency.weak", False), (ALONE, "currency.weak_alone", True)):
        rows = [line.split() for line in lines.strip().split("\n")]
        rows += ([mark, code] for code, written in parts(concept).items() for mark in written)
        for mark, code, *others in rows:
            marks.pop(mark.casefold(), None)
            marks[mark] = CurrencyMark(
                None if code == "-" else code, frozenset(others), weak=True, alone=alone, word=_is_word(mark)
            )
    return marks


def every_mark() -> Iterable[str]:
    """All marks as they are looked up."""
    return _table().keys()


@cache
def _lengths(edge: int) -> dict[str, list[int]]:
    """How long the marks are that have this character at their edge, the longest first."""
    lengths: dict[str, set[int]] = {}
    for mark in _table():
        for sign in {mark[edge], mark[edge].upper()}:
            lengths.setdefault(sign, set()).add(len(mark))
    return {sign: sorted(found, reverse=True) for sign, found in lengths.items()}


_BIDI: Final = "\u200e\u200f\u061c\u202a\u202b\u202c"


_SPACES: Final = str.maketrans("\u00a0\u202f", "  ")
# What may follow `$19` or `19 $` to say whose dollars they are.
_WHOSE: Final = {
    "US": "USD", "CA": "CAD", "CAN": "CAD", "CDN": "CAD", "AU": "AUD", "AUS": "AUD", "NZ": "NZD", "HK": "HKD", "SG": "SGD",
    "MX": "MXN", "MN": "MXN",
}  # fmt: skip
_WHOSE_AFTER: Final = re.compile(rf"[ \u00a0]?({'|'.join(sorted(_WHOSE, reverse=True))})(?![\w.&'’-])")


@short_cache(16_384)  # a listing asks for the same few characters again and again
def look_up(text: str) -> CurrencyMark | None:
    """The mark that is written exactly so, whatever its case."""
    table = _table()
    found = table.get(text) or table.get(text.casefold())
    if found is None and not text.isascii():
        return table.get(text.translate(_SPACES).casefold())
    return found


def mark_before(text: str, end: int) -> tuple[CurrencyMark, int] | None:
    """The mark that ends at `end`, but for a little space or a colon, and where it starts."""
    at, broken = end, False
    while at > 0 and end - at < 3 and (text[at - 1].isspace() or text[at - 1] in _BIDI or text[at - 1] == ":"):
        at -= 1
        broken = broken or text[at] in "\n\r"
    found = _ending_at(text, at, broken=broken)
    if found and found[0].weak and ":" in text[at:end]:
        return None  # G: 0.71 is a table's
    if found is None and at > 1 and text[at - 1] == "." and not text[at - 2].isalnum():
        found = _ending_at(text, at - 1, broken=broken)  # $. 35.000
    if found and text[found[1] : at] == "$" and _CANADIAN.search(text, max(0, found[1] - 3), found[1]):
        return look_up("CAD$") or found[0], found[1] - 2
    return found


# `C $19` begins what is said, or something else than a word comes before: vitamin C costs other dollars.
_CANADIAN: Final = re.compile(r"(?:\A|(?<=[^\w\s])[ \u00a0]?|(?<=\n))C[ \u00a0]\Z")


def _ending_at(text: str, at: int, *, broken: bool) -> tuple[CurrencyMark, int] | None:
    for length in _lengths(-1).get(text[at - 1], ()) if at else ():
        start = at - length
        if start < 0:
            continue
        mark = look_up(text[start:at])
        if mark and not (mark.word and (broken or (start and text[start].isalpha() and text[start - 1].isalnum()))):
            return mark, start
    return None


def mark_after(text: str, start: int) -> tuple[CurrencyMark, int, int] | None:
    """The mark that starts at `start`, but for a little space, where it starts and where it ends."""
    at, size, broken = start, len(text), False
    while at < size and at - start < 2 and (text[at].isspace() or text[at] in _BIDI):
        broken = broken or text[at] in "\n\r"
        at += 1
    for length in _lengths(0).get(text[at], ()) if at < size else ():
        end = at + length
        mark = look_up(text[at:end]) if end <= size else None
        if mark and not (mark.word and (broken or (end < size and text[end - 1].isalpha() and text[end].isalpha()))):
            return mark, at, end
    return None


def dollars_of(text: str, at: int, mark: CurrencyMark) -> tuple[CurrencyMark, int] | None:
    """Whose dollars the letters at `at` say that they are, and where that ends: `$19 CDN`."""
    found = _WHOSE_AFTER.match(text, at) if "CAD" in mark.family else None
    return (CurrencyMark(_WHOSE[found[1]]), found.end()) if found else None


def currency_code(text: str | None, hint: str | None = None) -> str | None:
    """The ISO code that a currency field names (`eur`, `€`, `US$`), or None."""
    stripped = (text or "").strip()
    if stripped.upper() in CODES:
        return stripped.upper()
    mark = look_up(stripped) if stripped else None
    return mark.meant(hint) if mark else None
