"""Whether a text can have a price in it at all: most numbers of a page stand among words that name no currency."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from driftline.core.commerce.currency_names import may_begin_a_name
from driftline.core.commerce.currency_symbols import every_mark
from driftline.core.lexicon import words
from driftline.core.text.lazy_regex import lazy_regex

# Letters as marks border on them; a raised digit is a letter to an expression and none to a mark: 5 m².
_WORD: Final = re.compile(r"[^\W\d_\u00b2\u00b3\u00b9\u00bc-\u00be]+")
_LAST_SPACED: Final = chr(0x52F)  # of the scripts below, every mark is a word with a border, or a sign
# What stands in the place of cents or of a currency: 12.-  199:-  500/=
_DASHES: Final = re.compile(r"[.,:/][ \u00a0]?[-_]|/=")


def _any_sign() -> str:
    """The signs of marks without letters, each but for what stands beside a sign."""
    signs = {sign for mark in every_mark() if _WORD.search(mark) is None for sign in mark if sign not in " ./"}
    return "[" + "".join(map(re.escape, sorted(signs | {"\u00a2"}))) + "]"


_SIGN: Final = lazy_regex(_any_sign)


def may_name_a_currency(text: str) -> bool:
    """Whether anything in a text could be the mark of a price; never False where one is."""
    if max(text, default="") > _LAST_SPACED or _SIGN.search(text) is not None or _DASHES.search(text) is not None:
        return True
    said = _WORD.findall(text.casefold())
    return not _known().isdisjoint(said) or any(map(may_begin_a_name, said))


@cache
def _known() -> frozenset[str]:
    """The first word of each mark without a sign, and the words for cents."""
    unsigned = (mark for mark in every_mark() if _SIGN.search(mark) is None)
    named = (*unsigned, *words("currency.cent"), *words("currency.minor"), "ct", "cent", "cents", "p")
    return frozenset(word[0].casefold() for name in named if (word := _WORD.search(name)) is not None)
