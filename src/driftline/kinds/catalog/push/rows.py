"""Reads pushed rows, one product each; a row is read, or rejected with a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from operator import add, attrgetter
from typing import Any, Final, NamedTuple, final

import msgspec

from driftline.core.commerce.amounts import from_plain
from driftline.core.commerce.currencies import CODES
from driftline.core.commerce.product_codes import with_code
from driftline.core.commerce.stock import stock_from_schema, stock_from_text
from driftline.core.identity.fingerprint import digest
from driftline.core.identity.urls import MAX_LENGTH
from driftline.kinds.catalog import variants
from driftline.kinds.catalog.product import Product, canonical_columns, canonical_parts, merged, observed, product_key
from driftline.kinds.catalog.push import field_names
from driftline.kinds.catalog.push.fields import (
    are_clean,
    are_clean_titles,
    clean_title,
    currency_in,
    encode_extra,
    is_clean,
    price_field,
)
from driftline.kinds.catalog.push.pushed import ExactNumber, PushedProduct
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.change import Notice
from driftline.model.item import Observed

MAX_EXTRA: Final = 16_384  # bytes of a product's extra fields
_PIECES: Final = re.compile(r"\s*([0-9]{1,9})(?:\.0{1,9})?\+?\s*")
_NOTICES: Final = {
    "bad_price": "prices that are not finite, positive amounts of at most 12 digits were left out",
    "bad_currency": "unknown currencies were left out",
    "bad_stock": "stock that cannot be read is unknown: use true, false, a number, or a schema.org word",
    "zero_price": 'a price of 0 is unknown; write "free" for what costs nothing',
    "disagreeing_duplicates": "a product came more than once with different values; the last one counts",
}


@final
class Rejected(NamedTuple):  # not a Struct: isinstance is checked for every row, and is four times slower for Structs
    """A row that cannot be a product."""

    reason: str  # one line, constant: counted and shown with the row's line


class _Row(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A row with the usual names; other names take the slower path."""

    url: Any = None
    title: Any = None
    price: Any = None
    currency: Any = None
    in_stock: Any = None
    image: Any = None
    extra: Any = None


class _UsualRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A row as most crawlers send it."""

    url: str
    title: str = ""
    price: Any = None
    currency: str | None = None
    in_stock: Any = None
    image: Any = None
    extra: dict[str, Any] | None = None


_Values = tuple[str, str, str | None, str | None, bool | None, str]  # key, title, price, currency, in_stock, extra as JSON
_row_decoder: Final = msgspec.json.Decoder(_Row, float_hook=ExactNumber)
_usual_decoder: Final = msgspec.json.Decoder(_UsualRow, float_hook=ExactNumber)
_fields: Final = attrgetter("url", "title", "price", "currency", "in_stock", "extra")
_AMOUNTS: Final = frozenset({str, int, ExactNumber, type(None)})
_STOCKS: Final = frozenset({bool, type(None)})
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, UnicodeEncodeError, RecursionError)


class RowReader:
    """Reads the rows of one pushed run and counts rejected values."""

    def __init__(self, rules: CatalogRules, base: str = "") -> None:
        self._base = base  # of relative URLs
        self._currency = rules.currency
        self._sold_out, self._in_stock = rules.sold_out, rules.in_stock
        self._options = rules.options
        self._left_out: dict[str, int] = {}

    def stamps(self, lines: Sequence[bytes]) -> Sequence[bytes] | None:
        """`stamp` of each line, by columns, in little more than half the time; None if one needs separate treatment."""
        try:
            rows = list(map(_usual_decoder.decode, lines))
        except _UNREADABLE:
            return None
        urls, titles, prices, currencies, stocks, extras = zip(*map(_fields, rows), strict=True)
        if max(map(len, urls)) > MAX_LENGTH or not _AMOUNTS.issuperset(map(type, prices)):
            return None
        keys = urls if are_clean(urls) else [self._key(url) for url in urls]
        if None in keys:
            return None
        if not CODES.issuperset(currencies):
            if not CODES.issuperset(filter(None, currencies)) or "" in currencies:
                return None
            currencies = tuple(currency or self._currency for currency in currencies)
        if any(extras) and any(variants.FIELD in extra for extra in extras if extra):
            return None
        texts = [encode_extra(with_code(extra)) if extra else "" for extra in extras] if any(extras) else [""] * len(rows)
        if max(map(len, texts)) > MAX_EXTRA:
            return None
        if not _STOCKS.issuperset(map(type, stocks)):
            stocks = tuple(stock if type(stock) in _STOCKS else self._stock(stock) for stock in stocks)
        amounts, currencies, faults = zip(*map(price_field, prices, currencies), strict=True)
        if any(faults):
            for fault in filter(None, faults):
                self._count(fault)
        states = canonical_columns(
            titles if are_clean_titles(titles) else map(clean_title, titles), amounts, currencies, stocks, texts
        )
        return list(map(add, map(digest, map(str.encode, keys)), map(digest, states)))

    def stamp(self, line: bytes) -> bytes | Rejected:
        """The key hash and fingerprint of a row, which is all that most rows need."""
        row = _decoded(line)
        if type(row) is Rejected:
            return row
        read = self._values(row)
        if type(read) is Rejected:
            return read
        key, title, price, currency, in_stock, extra = read
        return digest(key.encode()) + digest(canonical_parts(title, price, currency, in_stock, extra))

    def decode(self, line: bytes | str) -> Observed[Product] | Rejected:
        """The product of a JSON row."""
        return self._read(_decoded(line))

    def read(self, row: object) -> Observed[Product] | Rejected:
        """The product of a decoded row; a float is taken as it prints."""
        return self._read(_row(row))

    def _read(self, row: _Row | Rejected) -> Observed[Product] | Rejected:
        if isinstance(row, Rejected):
            return row
        read = self._values(row)
        if isinstance(read, Rejected):
            return read
        key, title, price, currency, in_stock, extra = read
        stamp = digest(canonical_parts(*read[1:]))
        return PushedProduct(key, title, stamp, (price, currency, in_stock, extra, row.image, self._base))

    def _values(self, row: _Row) -> _Values | Rejected:
        """The normalized values of a row."""
        url, title, price, currency, in_stock, extra = row.url, row.title, row.price, row.currency, row.in_stock, row.extra
        if type(url) is not str or not url:
            return Rejected("no url")
        if len(url) > MAX_LENGTH:
            return Rejected("url is too long")
        key = self._key(url)
        if key is None:
            return Rejected("url is not an http(s) address")
        if title is None:
            title = ""
        elif type(title) is not str:
            return Rejected("title is not text")
        if type(price) is dict:
            price, named = field_names.money(price)
            currency = named if currency is None else currency
        if currency is None:
            currency = self._currency
        elif type(currency) is not str or currency not in CODES:
            currency = self._code(currency)
        if type(price) in (dict, list, bool):
            return Rejected("price is not a number or text")
        if type(in_stock) not in _STOCKS:
            in_stock = self._stock(in_stock)
        if extra and type(extra) is not dict:
            return Rejected("extra is not an object")
        amount, currency, fault = price_field(price, currency)
        if fault:
            self._count(fault)
        if extra and variants.FIELD in extra:
            extra, amount, in_stock = self._with_variants(extra, amount, currency, in_stock)
        text = encode_extra(with_code(extra)) if extra else ""
        if len(text) > MAX_EXTRA:
            return Rejected("extra is too large")
        return key, clean_title(title), amount or None, currency or None, in_stock, text

    def notices(self) -> tuple[Notice, ...]:
        """Warnings about what was left out, counted."""
        return tuple(Notice(code=code, message=_NOTICES[code], count=count) for code, count in sorted(self._left_out.items()))

    def _count(self, code: str, more: int = 1) -> None:
        self._left_out[code] = self._left_out.get(code, 0) + more

    def _key(self, url: str) -> str | None:
        return url if is_clean(url) else product_key(url, self._base) if url else None

    def _code(self, currency: object) -> str | None:
        code = currency_in(currency, self._currency) if isinstance(currency, str) else None
        if code is None:
            self._count("bad_currency")
        return code or self._currency

    def _stock(self, value: object) -> bool | None:
        stock = self._in_stock_by(value)
        if stock is None and value not in ("", None):
            self._count("bad_stock")
        return stock

    def _with_variants(
        self, extra: dict[str, Any], amount: str, currency: str, in_stock: bool | None
    ) -> tuple[dict[str, Any], str, bool | None]:
        """The variants in one writing, and what they make of the product where it or the watch's options leave that open."""
        found = variants.normalized(
            extra[variants.FIELD],
            lambda price: price_field(price, currency or None)[0] or None,
            self._in_stock_by,
            self._options,
        )
        rest = {name: value for name, value in extra.items() if name != variants.FIELD}
        if not found:
            return rest, amount, in_stock
        lowest, there = variants.summed(found)
        if self._options or not amount:
            amount = lowest or amount
        if self._options or in_stock is None:
            in_stock = there if there is not None else in_stock
        return {**rest, variants.FIELD: found}, amount, in_stock

    def _in_stock_by(self, value: object) -> bool | None:
        if isinstance(value, int | Decimal) or (isinstance(value, float) and value == value):  # noqa: PLR0124 - no NaN
            return value > 0
        if type(value) is ExactNumber:
            number = from_plain(value)
            return None if number is None else number > 0
        if type(value) is not str:
            return stock_from_schema(value)
        if counted := _PIECES.fullmatch(value):
            return int(counted[1]) > 0
        own = (
            stock_from_text(value, sold_out=self._sold_out, in_stock=self._in_stock)
            if self._sold_out or self._in_stock
            else None
        )
        stock = stock_from_schema(value) if own is None else own
        return stock_from_text(value) if stock is None else stock


def collapse(items: Iterable[Observed[Product]]) -> tuple[list[Observed[Product]], tuple[Notice, ...]]:
    """Each product once, in order: the last one wins, unknown values are filled from the others."""
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
    """The warning about products that came more than once with different values."""
    several = sorted(keys)
    if not several:
        return ()
    code = "disagreeing_duplicates"
    return (Notice(code=code, message=_NOTICES[code], key=several[0] if len(several) == 1 else None, count=len(several)),)


def _decoded(line: bytes | str) -> _Row | Rejected:
    """A row with the usual names, or with others, or with the bare NaN and Infinity that Python writes."""
    try:
        return _row_decoder.decode(line)
    except _UNREADABLE:
        pass
    try:
        text = line if isinstance(line, str) else line.decode("utf-8-sig", "surrogatepass")
        return _row(json.loads(text, parse_float=ExactNumber, parse_constant=ExactNumber))
    except (ValueError, RecursionError):
        return Rejected("not JSON")


def _row(value: object) -> _Row | Rejected:
    if not isinstance(value, dict):
        return Rejected("not an object")
    return _Row(**(value if field_names.KNOWN.issuperset(value) else field_names.renamed(value)))
