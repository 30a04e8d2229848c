"""A stored page and a message's page, brought to where they can be compared: one reading of metadata, text and prices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.prices import parse_price
from driftline.core.identity.urls import clean
from driftline.kinds.page.parsed import MESSAGE_PATHS, Offer, ParsedPage

PRICES: Final = "priceCandidates"  # a field for what no single price says
READING: Final = "@reading"  # a field for how metadata were read; what an older reading left out is no news
CURRENT: Final = "2"

_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)
_PARAMETER: Final = re.compile(r"(?:(?<=[?&])|\b)(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id)=[^&\s\"'<>)]*&?", re.IGNORECASE)
_DANGLING: Final = re.compile(r"(?<![?&])[?&]{1,50}(?=[\s\"'<>)]|$)")
# A line that calls or names an analytics script is no content; nor are the ids of accounts, wherever they stand.
_SCRIPT: Final = re.compile(
    r"\b(?:gtag|fbq|ga|_paq\.push|_gaq\.push|dataLayer\.push|ttq\.\w+|twq|hj|clarity|snaptr|pintrk|lintrk|mixpanel\.\w+)\s*\("
    r"|google-analytics\.com/|googletagmanager\.com/|connect\.facebook\.net/|\bGoogleAnalyticsObject\b"
)
_INSTANT: Final = re.compile(  # as machines write it, to the second and with its zone: when something was made or sent
    r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})? ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?!\w)", re.ASCII
)
_ACCOUNT: Final = re.compile(r"\b(?:UA-\d{4,10}-\d{1,3}|GTM-[A-Z0-9]{5,9}|G-(?=[A-Z]*\d)[A-Z0-9]{10}|AW-\d{8,12})\b")


def quiet_lines(lines: Iterable[str]) -> list[str]:
    """Lines without tracking in their addresses, analytics scripts, the ids of accounts and machines' timestamps."""
    return [line for raw in lines if (line := _quiet(raw))]


def _quiet(line: str) -> str:
    if _SCRIPT.search(line):
        return ""
    if "://" in line:
        line = _URL.sub(lambda found: clean(found[0]) or found[0] if "?" in found[0] else found[0], line)
    if "=" in line:
        line = _DANGLING.sub("", _PARAMETER.sub("", line))
    return _ACCOUNT.sub("", _INSTANT.sub("", line)).strip() if "-" in line else line.strip()


def comparable(before: ParsedPage, after: ParsedPage) -> tuple[ParsedPage, ParsedPage]:
    """Both pages as they are compared; neither is stored so."""
    text = "\n".join(quiet_lines(before.text.split("\n"))) if before.text is not None else None
    if text is not None and after.text is not None and text != after.text and text.split() == after.text.split():
        text = after.text  # other line breaks are other whitespace
    if text != before.text or before.paths != MESSAGE_PATHS:
        before = msgspec.structs.replace(before, text=text, paths=MESSAGE_PATHS)
    if before.metadata.get(READING) != after.metadata.get(READING):
        both = before.metadata.keys() & after.metadata.keys()
        before, after = (
            msgspec.structs.replace(page, metadata={key: value for key, value in page.metadata.items() if key in both})
            for page in (before, after)
        )
    return _priced(before, after)


def _priced(before: ParsedPage, after: ParsedPage) -> tuple[ParsedPage, ParsedPage]:
    """With the prices that differ: candidates have no order, and one that is unknown says nothing."""
    old, new = Counter(amounts(before.price_candidates)), Counter(amounts(after.price_candidates))
    gone, come = list((old - new).elements()), list((new - old).elements())
    if not old or not new or not (gone or come):
        return before, msgspec.structs.replace(after, offer=before.offer)
    if after.classification.type == "product" and gone and come and gone[0][1] == come[0][1]:
        return (
            msgspec.structs.replace(before, offer=Offer(*gone[0])),
            msgspec.structs.replace(after, offer=Offer(*come[0])),
        )
    return (
        msgspec.structs.replace(before, offer=after.offer, metadata={**before.metadata, PRICES: _written(old)}),
        msgspec.structs.replace(after, metadata={**after.metadata, PRICES: _written(new)}),
    )


def amounts(candidates: Iterable[str]) -> list[tuple[str, str | None]]:
    """The candidates that are prices: amount and currency."""
    found = (parse_price(candidate) for candidate in candidates)
    return [(canonical(price.amount), price.currency) for price in found if price is not None]


def _written(prices: Counter[tuple[str, str | None]]) -> str:
    return ", ".join(sorted(" ".join(filter(None, price)) for price in prices.elements()))
