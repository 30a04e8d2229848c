"""What crawlers call the fields of a product, each name in any spelling: `external_url`, `externalUrl`, `EXTERNAL-URL`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from driftline.core.text.spelling import spelling

KNOWN: Final = frozenset({"url", "title", "price", "currency", "in_stock", "image", "extra"})
_ALIASES: Final = {
    "externalurl": "url",
    "producturl": "url",
    "link": "url",
    "href": "url",
    "name": "title",
    "producttitle": "title",
    "productname": "title",
    "currentprice": "price",
    "availability": "in_stock",
    "available": "in_stock",
    "isavailable": "in_stock",
    "isinstock": "in_stock",
    "stock": "in_stock",
    "stockstatus": "in_stock",
    "imageurl": "image",
    "pricecurrency": "currency",
    "currencycode": "currency",
    **{spelling(name): name for name in KNOWN},
}
_AMOUNTS: Final = ("amount", "value")


def renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields under our names; all others go into `extra`."""
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in row.items():
        if name in KNOWN:
            fields[name] = value
        elif (other := _ALIASES.get(spelling(name))) and row.get(other) is None:
            fields.setdefault(other, value)
        elif value is not None:
            extra[name] = value
    if extra and isinstance(given := fields.get("extra") or {}, dict):
        fields["extra"] = extra | given
    return fields


def money(price: Mapping[str, Any]) -> tuple[Any, Any]:
    """Amount and currency of a price that is an object: `{"amount": "19.90", "currencyCode": "EUR"}`."""
    amount = next((price[name] for name in _AMOUNTS if price.get(name) is not None), price)
    return amount, renamed(price).get("currency")
