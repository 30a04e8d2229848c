"""Lists of other pages turn their entries over by themselves, and never rewrite one: what reads otherwise was edited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from driftline.core.noise import sense
from driftline.core.passing import Passing
from driftline.core.prices import without_prices
from driftline.core.stock import without_stock
from driftline.core.urls import same_but_tokens
from driftline.kinds.page.links import address
from driftline.kinds.page.masks import Edit
from driftline.kinds.page.parsed import ParsedPage

_MOST: Final = 200  # entries of a page
_SHORTEST: Final = 8  # characters; shorter texts are buttons and numbers
_TITLE: Final = 20  # characters of a text that names one page
_MONEY: Final = re.compile(r"[$€£¥₹₽₩₺₴₪₫฿]|\d\s?(?:kr|zł|kč|ft|lei|tl|eur|usd|chf)\b", re.IGNORECASE)
_COUNT: Final = re.compile(r"\s?[(\[]\d[\d.,]{0,8}[)\]]$")
_SHORT_COUNT: Final = re.compile(r"([^\d\W][^\d]{0,18}?)\s?\d{1,5}")  # Politics 123
_RANK: Final = re.compile(r"^[\d\W]+")  # the place in a ranking comes before the title


def entries(passed: Passing, base: str) -> dict[str, str]:
    """The addresses that lists of other pages point to, with what they say; none that is said in several ways."""
    found: dict[str, set[str]] = {}
    for href, text in passed.entries:
        url, said = address(href, base), _RANK.sub("", _named(text))
        if url is not None and len(said) >= _SHORTEST:
            found.setdefault(url, set()).add(said)
    return {url: texts.pop() for url, texts in list(found.items())[:_MOST] if len(texts) == 1}


def _named(text: str) -> str:
    """What an entry is called: a product that is listed beside another may cost more tomorrow, a topic have more pages."""
    if not _MONEY.search(text):
        short = _SHORT_COUNT.fullmatch(text)
        return short[1] if short is not None else _COUNT.sub("", text)
    return without_stock(without_prices(text)).rstrip(" ¤")


def rewritten(before: ParsedPage, after: ParsedPage) -> Iterator[Edit]:
    """Entries that both pages list and that read otherwise now, noise aside, or lead elsewhere on their site."""
    for url, new in after.aside.items():
        old = before.aside.get(url)
        if old is not None and old != new and sense(old) != sense(new):
            yield Edit("changed", old, new, None, None, 0)
    there = {text: url for url, text in before.aside.items() if len(text) >= _TITLE}
    for url, text in after.aside.items():
        other = there.get(text)
        if (
            other is not None
            and other != url
            and url not in before.aside
            and other not in after.aside
            and _is_same_site(url, other)
            and not same_but_tokens(url, other)
        ):
            yield Edit("changed", f"{text} ({other})", f"{text} ({url})", None, None, 0)


def _is_same_site(one: str, other: str) -> bool:
    return one.split("/", 3)[:3] == other.split("/", 3)[:3]
