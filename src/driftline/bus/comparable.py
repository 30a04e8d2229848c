"""Prepares a stored page and a message's page for comparison: the same treatment of metadata, text and prices on both sides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Final

import msgspec

from driftline.bus.scripts import without_scripts
from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.prices import parse_price
from driftline.core.identity.urls import clean
from driftline.kinds.page.parsed import MESSAGE_PATHS, Offer, ParsedPage

_WORDS_TO_ONE_DIFFERENT: Final = 5  # otherwise it is another text
PRICES: Final = "priceCandidates"  # metadata field that lists all prices, where no single one is the page's price
READING_FIELD: Final = "@reading"  # metadata field with the reader's version; fields that an older reader left out are not new
READING_VERSION: Final = "2"

_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)
_PARAMETER: Final = re.compile(r"(?:(?<=[?&])|\b)(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id)=[^&\s\"'<>)]*&?", re.IGNORECASE)
_DANGLING: Final = re.compile(r"(?<![?&])[?&]{1,50}(?=[\s\"'<>)]|$)")
_INSTANT: Final = re.compile(  # as machines write it, to the second and with its zone: when something was made or sent
    r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})? ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?!\w)", re.ASCII
)
_ACCOUNT: Final = re.compile(r"\b(?:UA-\d{4,10}-\d{1,3}|GTM-[A-Z0-9]{5,9}|G-(?=[A-Z]*\d)[A-Z0-9]{10}|AW-\d{8,12})\b")


def strip_tracking(lines: Iterable[str]) -> list[str]:
    """The lines without tracking parameters, analytics scripts and account ids."""
    return [line for raw in lines if (line := _strip_line(raw))]


def _strip_line(line: str) -> str:
    line = without_scripts(line)
    if "://" in line:
        line = _URL.sub(lambda found: clean(found[0]) or found[0] if "?" in found[0] else found[0], line)
    if "=" in line:
        line = _DANGLING.sub("", _PARAMETER.sub("", line))
    return _ACCOUNT.sub("", _INSTANT.sub("", line)).strip() if "-" in line else line.strip()


def comparable(before: ParsedPage, after: ParsedPage) -> tuple[ParsedPage, ParsedPage]:
    """Both pages in the form in which they are compared; it is not stored."""
    text = "\n".join(strip_tracking(before.text.split("\n"))) if before.text is not None else None
    if text is not None and after.text is not None and text != after.text:
        text = _broken_like(text, after.text)
    if text != before.text or before.paths != MESSAGE_PATHS:
        before = msgspec.structs.replace(before, text=text, paths=MESSAGE_PATHS)
    if before.metadata.get(READING_FIELD) != after.metadata.get(READING_FIELD):
        both = before.metadata.keys() & after.metadata.keys()
        before, after = (
            msgspec.structs.replace(page, metadata={key: value for key, value in page.metadata.items() if key in both})
            for page in (before, after)
        )
    return _with_price_difference(before, after)


def _broken_like(text: str, other: str) -> str:
    """The text with the line breaks of the other, where hardly another word differs: line breaks are whitespace."""
    words, wanted = text.split(), other.split()
    differing = sum(one != two for one, two in zip(words, wanted, strict=False))
    if len(words) != len(wanted) or differing * _WORDS_TO_ONE_DIFFERENT > len(words):
        return text
    rest = iter(words)
    return "\n".join(" ".join(islice(rest, len(line.split()))) for line in other.split("\n"))


def _with_price_difference(before: ParsedPage, after: ParsedPage) -> tuple[ParsedPage, ParsedPage]:
    """Keep only prices that differ: candidates have no order, and where one side has none there is nothing to compare."""
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
        msgspec.structs.replace(before, offer=after.offer, metadata={**before.metadata, PRICES: _listed_prices(old)}),
        msgspec.structs.replace(after, metadata={**after.metadata, PRICES: _listed_prices(new)}),
    )


def amounts(candidates: Iterable[str]) -> list[tuple[str, str | None]]:
    """Amount and currency of each candidate that is a price."""
    found = (parse_price(candidate) for candidate in candidates)
    return [(canonical(price.amount), price.currency) for price in found if price is not None]


def _listed_prices(prices: Counter[tuple[str, str | None]]) -> str:
    return ", ".join(sorted(" ".join(filter(None, price)) for price in prices.elements()))
