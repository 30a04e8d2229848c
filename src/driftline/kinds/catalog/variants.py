"""Sizes and colours: one product, with the price and stock of each variant among its free fields, by the variant's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

import msgspec

from driftline.core.commerce.variant_markup import VariantSeen
from driftline.core.text.folding import fold, title_key
from driftline.core.text.safety.sanitize import sanitize
from driftline.kinds.catalog.product import Product

FIELD: Final = "variants"  # of `extra`
_MOST: Final = 200  # of one product
_LONGEST: Final = 80  # characters of a name
_NAMES: Final = ("name", "title", "option", "label", "size", "color", "colour", "sku", "id")
_STOCKS: Final = ("in_stock", "inStock", "available", "availability", "stock", "quantity")
_NONE: Final = frozenset(("default title", "default", ""))  # what a shop system calls the one variant of a product without any
_NAMED: Final = 3  # names in a headline


class Variant(NamedTuple):
    """One way in which a product is sold."""

    price: str | None  # canonical decimal, in the product's currency
    in_stock: bool | None


class VariantChange(NamedTuple):
    """A variant that is there again, is gone, or costs something else."""

    name: str
    before: Variant
    after: Variant


def normalized(
    given: object,
    price_of: Callable[[object], str | None],
    stock_of: Callable[[object], bool | None],
    options: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Variants as they are stored, only those that were asked for: of a list of objects, or of an object by name."""
    rows = given.items() if isinstance(given, dict) else ((None, one) for one in given) if isinstance(given, list) else ()
    found: dict[str, dict[str, Any]] = {}
    for key, row in rows:
        if not isinstance(row, Mapping) or len(found) >= _MOST:
            continue
        written = key if isinstance(key, str) else next((row[name] for name in _NAMES if row.get(name) not in (None, "")), "")
        name = fold(sanitize(str(written)))[:_LONGEST]
        if name.casefold() in _NONE or not is_wanted(name, options):
            continue
        stock = next((row[field] for field in _STOCKS if row.get(field) is not None), None)
        found[name] = {"price": price_of(row.get("price")), "in_stock": stock if isinstance(stock, bool) else stock_of(stock)}
    return dict(sorted(found.items()))


def with_variants(product: Product, shown: Iterable[VariantSeen], options: Sequence[str]) -> Product:
    """A product with the variants that its page shows; a choice that says nothing has the stock of the product."""
    found: dict[str, dict[str, Any]] = {}
    for one in shown:
        name = fold(sanitize(one.name))[:_LONGEST]
        if name.casefold() not in _NONE and is_wanted(name, options):
            stock = product.in_stock if one.in_stock is None else one.in_stock
            found.setdefault(name, {"price": one.price, "in_stock": stock})
    if not found:
        return product
    lowest, there = summed(found)
    none_left = all(one["in_stock"] is False for one in found.values())  # whatever the button beside them says
    return msgspec.structs.replace(
        product,
        price=lowest if lowest is not None and (options or product.price is None) else product.price,
        in_stock=there if there is not None and (options or none_left or product.in_stock is None) else product.in_stock,
        extra={**product.extra, FIELD: dict(sorted(found.items()))},
    )


def is_wanted(name: str, options: Sequence[str]) -> bool:
    """Whether a variant is one of the options that a watch names: `42`, of `42 / Black` too."""
    if not options:
        return True
    parts = {title_key(part) for part in (name, *name.replace(",", "/").replace("|", "/").split("/"))}
    return any(title_key(option) in parts for option in options)


def summed(variants: Mapping[str, Mapping[str, Any]]) -> tuple[str | None, bool | None]:
    """The product by its variants: the lowest price of those in stock, and whether one is."""
    stocks = [one["in_stock"] for one in variants.values() if one["in_stock"] is not None]
    there = [one["price"] for one in variants.values() if one["price"] is not None and one["in_stock"] is not False]
    prices = there or [one["price"] for one in variants.values() if one["price"] is not None]
    return min(prices, key=Decimal, default=None), any(stocks) if stocks else None


def variants_in(extra: Mapping[str, Any]) -> dict[str, Variant]:
    """The variants among the free fields of a product."""
    stored = extra.get(FIELD)
    if not isinstance(stored, dict):
        return {}
    return {name: Variant(one.get("price"), one.get("in_stock")) for name, one in stored.items() if isinstance(one, dict)}


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[VariantChange]]:
    """What became of the variants of a product, by type of change; unknown is no transition."""
    old, new = variants_in(before), variants_in(after)
    found: dict[str, list[VariantChange]] = {}
    for name in old.keys() & new.keys():
        was, now = old[name], new[name]
        if was.in_stock is not None and now.in_stock is not None and was.in_stock != now.in_stock:
            found.setdefault("variant_back" if now.in_stock else "variant_gone", []).append(VariantChange(name, was, now))
        if was.price is not None and now.price is not None and Decimal(was.price) != Decimal(now.price):
            found.setdefault("variant_price", []).append(VariantChange(name, was, now))
    return {kind: sorted(changes) for kind, changes in found.items()}


def listed(changes: Iterable[VariantChange]) -> str:
    """Their names for a headline: `42, 43 and 2 more`."""
    names = [change.name for change in changes]
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])} and {more} more" if more > 0 else ", ".join(names)
