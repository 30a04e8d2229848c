"""Normalizes single fields of pushed rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import repeat
from string import ascii_letters, digits
from typing import Any, Final

import msgspec

from driftline.core.commerce.amounts import canonical, from_plain
from driftline.core.commerce.currency_symbols import currency_code
from driftline.core.commerce.prices import parse_price
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize
from driftline.core.text.short_cache import short_cache
from driftline.kinds.catalog.product import MAX_TITLE

# A URL that needs no cleaning, like most.
is_clean: Final = re.compile(r"https?://[a-z0-9.-]+/[\w/.~+,-]*(?:%(?!00)[\w/.~+,-]*)*", re.ASCII).fullmatch
_host_of: Final = re.compile(r"https?://[a-z0-9.-]+/", re.ASCII).match
_CLEAN: Final = (ascii_letters + digits + "_/.~+,-%:").encode()
_CODE_LIKE: Final = re.compile(r"[A-Z]{3}")  # looks like a code, known or not
_PRINTABLE: Final = bytes(range(0x20, 0x7F))
_encoder: Final = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def are_clean(urls: Sequence[str]) -> bool:
    """Whether all of them are certainly clean and of one host; checked as one text."""
    host = _host_of(urls[0])
    if host is None or not all(map(str.startswith, urls, repeat(host[0]))):
        return False
    shown = "".join(urls)
    colons = len(urls)  # one per URL, after http
    return shown.isascii() and not shown.encode().translate(None, _CLEAN) and shown.count(":") == colons and "%00" not in shown


def clean_title(title: str) -> str:
    """A title on one line, sanitized and cut."""
    if title.isascii() and title.isprintable() and len(title) <= MAX_TITLE and "  " not in title and title.strip() == title:
        return title
    return fold(sanitize(title[: 4 * MAX_TITLE]))[:MAX_TITLE]


def are_clean_titles(titles: Sequence[str]) -> bool:
    """Whether all of them are certainly clean; checked as one text."""
    shown = f"`{'`'.join(titles)}`"
    return (
        shown.isascii()
        and not shown.encode().translate(None, _PRINTABLE)
        and not ("  " in shown or "` " in shown or " `" in shown)
        and max(map(len, titles)) <= MAX_TITLE
    )


@short_cache(4096)
def currency_in(text: str, hint: str | None) -> str | None:
    """The code of a currency in text."""
    code = text.strip()
    return currency_code(text[:20], hint) or (code if _CODE_LIKE.fullmatch(code) else None)


@short_cache(16_384, typed=True)  # many products share few prices; True is not 1
def price_field(price: Any, currency: str | None) -> tuple[str, str, str]:
    """Amount, currency and fault of a price field: the amount is empty where there is none, the fault where it is sound.

    A written 0 stands for "not known" in most shops; a word such as "free" says that it costs nothing.
    """
    amount = None
    if type(price) is not str:
        if price is not None:
            amount = from_plain(repr(price) if type(price) in (float, int) else str(price))
        given = price is not None
    else:
        if len(price) < 64 and price[-1:].isdigit() and price.isascii() and "_" not in price:  # a machine-written number
            amount = from_plain(price.strip())
        if amount is None and (found := parse_price(price, currency=currency)):
            amount, currency = found.amount, currency or found.currency
        given = bool(price.strip())
    if amount is None:
        return "", currency or "", "bad_price" if given else ""
    if not amount and not (type(price) is str and not any(map(str.isdigit, price))):
        return "", currency or "", "zero_price"
    return canonical(amount), currency or "", ""


def encode_extra(extra: dict[str, Any]) -> str:
    """Free fields as JSON with sorted keys."""
    try:
        text = _encoder.encode(extra).decode()
    except UnicodeEncodeError:  # lone surrogates
        text = "\\u0000"
    return _encoder.encode(_clean(extra)).decode() if "\\u0000" in text else text


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    return {sanitize(name): _clean(one) for name, one in value.items()} if isinstance(value, dict) else value
