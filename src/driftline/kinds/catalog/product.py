"""A product: its state, what is fingerprinted, and how unknown values keep the last known ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

import msgspec

from driftline.core.commerce.product_codes import FIELD as CODE
from driftline.core.identity.fingerprint import digest
from driftline.core.identity.urls import MAX_LENGTH, without_port
from driftline.kinds.catalog.addresses import address
from driftline.model.item import Observed, with_state

MAX_TITLE: Final = 500  # characters
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f\\]|%00|//[^/?#]*@|[\ud800-\udfff]")
_SPACE: Final = re.compile(r"[ \t\r\n]")
_BREAK: Final = re.compile(r"[\t\r\n]")
_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_amount: Final = lru_cache(maxsize=16_384)(Decimal)  # many products share few prices
_STOCK: Final = {None: "?", True: "1", False: "0"}


class Product(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What is known of a product. Unknown is a value: no price, no currency, no stock."""

    title: str = ""
    price: str | None = None  # canonical decimal
    currency: str | None = None  # ISO 4217
    in_stock: bool | None = None
    image: str | None = None  # shown, never compared: image hosts and sizes rotate
    extra: dict[str, Any] = {}  # free fields of the shop or crawler
    # Remembered values, outside the fingerprint:
    low: str | None = None  # the lowest price ever known in this currency
    high: str | None = None
    price_before: str | None = None  # the price before the latest change, to recognize a revert
    price_told: str | None = None  # the last price that was reported, if it differs
    price_told_at: datetime | None = None  # start of the run that reported the latest price change
    stock_told_at: datetime | None = None
    carried: tuple[str, ...] = ()  # fields missing in this observation, kept from before

    @property
    def amount(self) -> Decimal | None:
        """The price as a number."""
        return None if self.price is None else _amount(self.price)


def product_key(url: str, base: str = "") -> str | None:
    """The key of a product: its clean URL; None for a URL that driftline never visits."""
    key = address(url, base)
    if key is not None and _SPACE.search(key):
        key = _BREAK.sub("", key).replace(" ", "%20")  # as browsers ask for it
    return None if key is None or len(key) > MAX_LENGTH or _FORBIDDEN.search(key) else without_port(key)


def code_of(product: Product) -> str:
    """What it is called in every shop: its GTIN, or its brand and part number; empty if nobody says."""
    code = product.extra.get(CODE)
    return code if isinstance(code, str) else ""


def canonical(product: Product) -> bytes:
    """The fingerprinted bytes; equal states give equal bytes."""
    extra = _ENCODER.encode(product.extra).decode() if product.extra else ""
    return canonical_parts(product.title, product.price, product.currency, product.in_stock, extra)


def canonical_parts(title: str, price: str | None, currency: str | None, in_stock: bool | None, extra: str) -> bytes:
    """The same without a Product: a pushed run of a million rows builds none for unchanged ones."""
    return "\x1f".join((price or "", currency or "", _STOCK[in_stock], title, extra)).encode()


def canonical_columns(
    titles: Iterable[str],
    prices: Iterable[str],
    currencies: Iterable[str],
    stocks: Iterable[bool | None],
    extras: Iterable[str],
) -> Iterator[bytes]:
    """The same for many products; an unknown price or currency is empty."""
    rows = zip(prices, currencies, map(_STOCK.__getitem__, stocks), titles, extras, strict=True)
    return map(str.encode, map("\x1f".join, rows))


def observed(key: str, product: Product) -> Observed[Product]:
    """A product as an observed item."""
    return with_state(key, key, product.title, digest(canonical(product)), product)


def carried_over(product: Product, previous: Product | None) -> Product:
    """The state to store: unknown values keep the last known ones, and price extremes are updated."""
    if previous is None:
        return msgspec.structs.replace(product, low=product.price, high=product.price)
    carried = list(product.carried)
    title, price, currency, in_stock = product.title, product.price, product.currency, product.in_stock
    if not title and previous.title:
        title = previous.title
        carried.append("title")
    if price is None:
        if previous.price is not None:
            price, currency = previous.price, previous.currency
            carried.append("price")
    elif currency is None and previous.currency is not None:
        currency = previous.currency
        carried.append("currency")
    if in_stock is None and previous.in_stock is not None:
        in_stock = previous.in_stock
        carried.append("in_stock")
    same_money = previous.currency is None or currency is None or previous.currency == currency
    low, high = _extremes(price, (previous.low, previous.high, previous.price) if same_money else ())
    return Product(
        title=title,
        price=price,
        currency=currency,
        in_stock=in_stock,
        image=product.image or previous.image,
        extra=product.extra or previous.extra,
        low=low,
        high=high,
        price_before=previous.price
        if price != previous.price and same_money
        else previous.price_before
        if same_money
        else None,
        price_told=previous.price_told if same_money else None,
        price_told_at=previous.price_told_at if same_money else None,
        stock_told_at=previous.stock_told_at,
        carried=tuple(carried),
    )


def _extremes(price: str | None, others: tuple[str | None, ...]) -> tuple[str | None, str | None]:
    prices = [text for text in (price, *others) if text is not None]
    return (min(prices, key=_amount), max(prices, key=_amount)) if prices else (None, None)


def merged(earlier: Product, later: Product) -> tuple[Product, bool]:
    """Two rows of one product in a run as one: the later wins, unknown values are filled; and whether they disagree."""
    disagree = any(
        one is not None and other is not None and one != other
        for one, other in (
            (earlier.price, later.price),
            (earlier.currency, later.currency),
            (earlier.in_stock, later.in_stock),
        )
    )
    kept_price = earlier if later.price is None else later
    product = msgspec.structs.replace(
        later,
        title=later.title or earlier.title,
        price=kept_price.price,
        currency=kept_price.currency or later.currency or earlier.currency,
        in_stock=earlier.in_stock if later.in_stock is None else later.in_stock,
        image=later.image or earlier.image,
        extra={**earlier.extra, **later.extra},
    )
    return product, disagree
