"""Words about tax beside a price: without it, or with it."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.text.lazy_regex import lazy_regex

_TAX: Final = (
    r"\s?(?:\d{1,2}(?:[.,]\d)?\s?%\s?)?(?:of\s)?"
    r"(?:v\.?a\.?t|sales tax|tax(?:es)?|gst|hst|b\.?t\.?w|mwst|ust|t\.?v\.?a|i\.?v\.?a|moms|mva|alv|dph|ндс|пдв|kdv)\b"
)
_WITHOUT: Final = (
    r"(?:\+|plus|exc?l?\.?|excluding|exclusief|exclus[ie]ve|zzgl\.?|exkl\.?|ekskl\.?|eks\.?|ohne|hors|sans|senza|sin|más|mas|bez|"
    r"fără|без|sem)"
)
_WITH: Final = r"(?:incl?\.?|including|inclusief|inclus[ie]ve|inkl\.?|einschl\.?|avec|con|s|with|z|cu|с|med)"
_AMOUNT: Final = r"[:：\s]*[¥￥]?\d"  # 税込1,298円: the words lead to the next amount
NET_AFTER: Final = lazy_regex(
    rf"[ \u00a0]{{0,2}}[(（]?\s?(?:{_WITHOUT}{_TAX}|(?:h\.?t|nett?o?|nettó|i\.?v\.?a\.? (?:esclusa|excl|no inclu)\w*|kdv hariç|"
    rf"sin impuestos(?: nacionales)?|"
    rf"\+ ?áfa|alv 0)(?![^\W\d_])|(?:税抜|税別|未税|不含税)(?!{_AMOUNT}))(?!\.?\s?[:：])",
    re.IGNORECASE,
)
_GROSS_AFTER: Final = lazy_regex(
    rf"\s{{0,2}}[(（]?\s?(?:{_WITH}{_TAX}|(?:ttc|t\.t\.c|brutto|bruttó|gross|i\.?v\.?a\.? inclu\w+)(?![^\W\d_])|"
    rf"税込(?:み|価格)?(?!{_AMOUNT}))",
    re.IGNORECASE,
)
_GROSS_LED: Final = lazy_regex(
    rf"(?:税込(?:価格|み)?|{_WITH}{_TAX}\.?|ttc|brutto|bruttopreis|bruttó)[\s:：(（]*\Z", re.IGNORECASE
)
_LOOK: Final = 24  # characters before an amount


def is_taxed(text: str, start: int, end: int) -> bool:
    """Whether the words beside the amount at `start:end` say that the tax is in it."""
    return _GROSS_AFTER.match(text, end) is not None or _GROSS_LED.search(text[max(0, start - _LOOK) : start]) is not None
