"""Pushed rows: one product each, as crawlers send them; a row is read, or rejected with a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple, final

import msgspec

from driftline.core.fingerprint import digest
from driftline.core.money import canonical, from_plain
from driftline.core.money_marks import currency_code
from driftline.core.money_table import CODES
from driftline.core.prices import Price, parse_price
from driftline.core.sanitize import sanitize
from driftline.core.stock import stock_from_schema, stock_from_text
from driftline.core.text import fold
from driftline.core.urls import MAX_LENGTH
from driftline.kinds.catalog.product import MAX_TITLE, Product, canonical_parts, merged, observed, product_key
from driftline.kinds.catalog.pushed import Pushed, Written
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.change import Notice
from driftline.model.item import Observed

MAX_EXTRA: Final = 16_384  # bytes of a product's free fields


_encoder: Final = msgspec.json.Encoder(order="deterministic", enc_hook=str)
_CODE_LIKE: Final = re.compile(r"[A-Z]{3}")  # not a currency that we know, and still not another one
# What most rows bring needs no cleaning.
_CLEAN: Final = re.compile(r"https?://[a-z0-9.-]+/[\w/.~+,-]*(?:%(?!00)[\w/.~+,-]*)*", re.ASCII).fullmatch
# Other names that crawlers give to the fields.
_ALIASES: Final = {
    "external_url": "url",
    "product_url": "url",
    "link": "url",
    "name": "title",
    "availability": "in_stock",
    "stock": "in_stock",
    "image_url": "image",
    "price_currency": "currency",
    "priceCurrency": "currency",
}
_KNOWN: Final = frozenset({"url", "title", "price", "currency", "in_stock", "image", "extra"})
_NOTICES: Final = {
    "bad_price": "prices that are not finite, positive amounts of at most 12 digits were left out",
    "bad_currency": "currencies that nobody knows were left out",
    "disagreeing_duplicates": "a product came more than once with different values; the last one counts",
}


@final
class Rejected(NamedTuple):  # no Struct: whether one is asked for every row, and of those it takes four times as long
    """A row that cannot be a product."""

    reason: str  # one line, constant: counted and shown with the row's line


class _Row(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A row under the usual names; any other name sends it the long way round."""

    url: Any = None
    title: Any = None
    price: Any = None
    currency: Any = None
    in_stock: Any = None
    image: Any = None
    extra: Any = None


_Values = tuple[str, str, str | None, str | None, bool | None, str]  # key, title, price, currency, in_stock, extra as JSON
_row_decoder: Final = msgspec.json.Decoder(_Row, float_hook=Written)


class RowReader:
    """Reads the rows of one pushed run and counts what it had to leave out."""

    def __init__(self, rules: CatalogRules, base: str = "") -> None:
        self._base = base  # of relative URLs: the watch's own
        self._currency = rules.currency
        self._sold_out, self._in_stock = rules.sold_out, rules.in_stock
        self._left_out: dict[str, int] = {}

    def stamp(self, line: bytes) -> bytes | Rejected:
        """One JSON text as the hash of its key and its fingerprint: all that is asked of most rows."""
        row = _decoded(line)
        if type(row) is Rejected:
            return row
        read = self._values(row)
        if type(read) is Rejected:
            return read
        key, title, price, currency, in_stock, extra = read
        return digest(key.encode()) + digest(canonical_parts(title, price, currency, in_stock, extra))

    def decode(self, line: bytes | str) -> Observed[Product] | Rejected:
        """One JSON text."""
        return self._read(_decoded(line))

    def read(self, row: object) -> Observed[Product] | Rejected:
        """One decoded row; a float is taken as it prints."""
        return self._read(_row(row))

    def _read(self, row: _Row | Rejected) -> Observed[Product] | Rejected:
        if isinstance(row, Rejected):
            return row
        read = self._values(row)
        if isinstance(read, Rejected):
            return read
        key, title, price, currency, in_stock, extra = read
        stamp = digest(canonical_parts(*read[1:]))
        return Pushed(key, title, stamp, (price, currency, in_stock, extra, row.image, self._base))

    def _values(self, row: _Row) -> _Values | Rejected:
        """What a row says, normalized."""
        url, title, price, currency, in_stock, extra = row.url, row.title, row.price, row.currency, row.in_stock, row.extra
        if type(url) is not str or not url:
            return Rejected("no url")
        if len(url) > MAX_LENGTH:
            return Rejected("url is too long")
        key = url if _CLEAN(url) else product_key(url, self._base)
        if key is None:
            return Rejected("url is not an http(s) address")
        if title is None:
            title = ""
        elif type(title) is not str:
            return Rejected("title is not text")
        elif (
            not (title.isascii() and title.isprintable() and len(title) <= MAX_TITLE) or "  " in title or title.strip() != title
        ):
            title = fold(sanitize(title[: 4 * MAX_TITLE]))[:MAX_TITLE]
        if currency is None:
            currency = self._currency
        elif type(currency) is not str or currency not in CODES:
            currency = self._code(currency)
        if type(price) is str and (found := _written_price(price, currency)):
            price, currency = found
        elif price is not None:
            if type(price) in (dict, list, bool):
                return Rejected("price is not a number or text")
            price = self._number(price)
        if in_stock is not None and type(in_stock) is not bool:
            in_stock = self._stock(in_stock)
        written = ""
        if extra:
            if type(extra) is not dict:
                return Rejected("extra is not an object")
            written = _written_extra(extra)
            if len(written) > MAX_EXTRA:
                return Rejected("extra is too large")
        return key, title, price, currency, in_stock, written

    def notices(self) -> tuple[Notice, ...]:
        """What was left out so far, counted."""
        return tuple(Notice(code=code, message=_NOTICES[code], count=count) for code, count in sorted(self._left_out.items()))

    def _count(self, code: str) -> None:
        self._left_out[code] = self._left_out.get(code, 0) + 1

    def _code(self, currency: object) -> str | None:
        code = _currency_code(currency, self._currency) if isinstance(currency, str) else None
        if code is None:
            self._count("bad_currency")
        return code or self._currency

    def _number(self, price: Any) -> str | None:
        """The amount of a JSON number; of a text that is no price, none."""
        written = "" if type(price) is str else repr(price) if type(price) in (float, int) else str(price)
        amount = _number(written)
        if amount is None and (written or price.strip()):
            self._count("bad_price")
        return amount

    def _stock(self, value: object) -> bool | None:
        if isinstance(value, int | Decimal):
            return value > 0
        if type(value) is Written:
            return (from_plain(value) or 0) > 0
        if type(value) is not str:
            return stock_from_schema(value)
        own = (
            stock_from_text(value, sold_out=self._sold_out, in_stock=self._in_stock)
            if self._sold_out or self._in_stock
            else None
        )
        said = stock_from_schema(value) if own is None else own
        return stock_from_text(value) if said is None else said


def collapse(items: Iterable[Observed[Product]]) -> tuple[list[Observed[Product]], tuple[Notice, ...]]:
    """Each product once, in order of first sight: the last one wins, unknown values are filled from the others."""
    found: dict[str, Observed[Product]] = {}
    disagreeing: set[str] = set()
    for item in items:
        earlier = found.get(item.key)
        if earlier is None or earlier.fingerprint == item.fingerprint:
            found[item.key] = item
            continue
        product, disagree = merged(earlier.state, item.state)
        found[item.key] = observed(item.key, product)
        if disagree:
            disagreeing.add(item.key)
    return list(found.values()), duplicates_notice(disagreeing)


def duplicates_notice(keys: Iterable[str]) -> tuple[Notice, ...]:
    """The warning about products that came more than once with different values; none where there are none."""
    several = sorted(keys)
    if not several:
        return ()
    code = "disagreeing_duplicates"
    return (Notice(code=code, message=_NOTICES[code], key=several[0] if len(several) == 1 else None, count=len(several)),)


def _decoded(line: bytes | str) -> _Row | Rejected:
    """A row under the usual names; or with others, and with the bare NaN and Infinity that Python writes into JSON."""
    try:
        return _row_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, UnicodeEncodeError, RecursionError):
        pass
    try:
        text = line if isinstance(line, str) else line.decode("utf-8-sig", "surrogatepass")
        return _row(json.loads(text, parse_float=Written, parse_constant=Written))
    except (ValueError, RecursionError):
        return Rejected("not JSON")


def _row(value: object) -> _Row | Rejected:
    if not isinstance(value, dict):
        return Rejected("not an object")
    return _Row(**(value if _KNOWN.issuperset(value) else _renamed(value)))


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Fields under the names that are used here; whatever else there is goes into `extra`."""
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in row.items():
        if name in _KNOWN:
            known[name] = value
        elif (other := _ALIASES.get(name)) and row.get(other) is None:
            known.setdefault(other, value)
        elif value is not None:
            extra[name] = value
    if extra and isinstance(given := known.get("extra") or {}, dict):
        known["extra"] = extra | given
    return known


def _written_extra(extra: dict[str, Any]) -> str:
    try:
        written = _encoder.encode(extra).decode()
    except UnicodeEncodeError:  # lone surrogates
        written = "\\u0000"
    return _encoder.encode(_clean_text(extra)).decode() if "\\u0000" in written else written


def _clean_text(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, list):
        return [_clean_text(one) for one in value]
    return {sanitize(name): _clean_text(one) for name, one in value.items()} if isinstance(value, dict) else value


@lru_cache(maxsize=4096)
def _currency_code(text: str, hint: str | None) -> str | None:
    code = text.strip()
    return currency_code(text[:20], hint) or (code if _CODE_LIKE.fullmatch(code) else None)


@lru_cache(maxsize=16_384)  # shops have few prices and many products
def _written_price(text: str, currency: str | None) -> tuple[str, str | None] | None:
    """A price field's text: a machine's number, or whatever people write."""
    plain = from_plain(text.strip()) if len(text) < 64 and text[-1:].isdigit() and text.isascii() and "_" not in text else None
    if plain is not None:
        return canonical(plain), currency
    found: Price | None = parse_price(text, currency=currency)
    return (canonical(found.amount), currency or found.currency) if found else None


@lru_cache(maxsize=16_384)
def _number(text: str) -> str | None:
    amount = from_plain(text)
    return None if amount is None else canonical(amount)
