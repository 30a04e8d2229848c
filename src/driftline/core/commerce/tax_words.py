"""Words about tax beside a price: without it, or with it."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex

_AMOUNT: Final = r"[:：\s]*[¥￥]?\d"  # 税込1,298円: the words lead to the next amount


def _tax(beside: str) -> str:
    share = r"\s?(?:\d{1,2}(?:[.,]\d)?\s?%\s?)?(?:of\s)?"
    return rf"(?:{beside}){share}(?:{any_of('tax.name')})\b"


NET_AFTER: Final = lazy_regex(
    lambda: (
        rf"[ \u00a0]{{0,2}}[(（]?\s?(?:{_tax(any_of('tax.without') + '|' + re.escape('+'))}|"
        rf"(?:{any_of('tax.net')})(?![^\W\d_])|(?:{any_of('tax.net_solid')})(?!{_AMOUNT}))(?!\.?\s?[:：])"
    ),
    re.IGNORECASE,
)
_GROSS_AFTER: Final = lazy_regex(
    lambda: (
        rf"\s{{0,2}}[(（]?\s?(?:{_tax(any_of('tax.with'))}|(?:{any_of('tax.gross')})(?![^\W\d_])|"
        rf"(?:{any_of('tax.gross_solid')})(?!{_AMOUNT}))"
    ),
    re.IGNORECASE,
)
_GROSS_LED: Final = lazy_regex(
    lambda: rf"(?:{any_of('tax.gross_solid')}|{_tax(any_of('tax.with'))}\.?|{any_of('tax.gross_before')})[\s:：(（]*\Z",
    re.IGNORECASE,
)
_LOOK: Final = 24  # characters before an amount


def is_taxed(text: str, start: int, end: int) -> bool:
    """Whether the words beside the amount at `start:end` say that the tax is in it."""
    return _GROSS_AFTER.match(text, end) is not None or _GROSS_LED.search(text[max(0, start - _LOOK) : start]) is not None
