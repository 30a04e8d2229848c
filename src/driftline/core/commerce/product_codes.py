"""What a product is called everywhere: its GTIN (EAN, UPC, ISBN), else its brand and part number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from driftline.core.text.folding import title_key
from driftline.core.text.spelling import spelling

FIELD: Final = "code"  # among the free fields of a product
GTINS: Final = ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "ean", "ean13", "upc", "isbn", "isbn13", "barcode")
BRANDS: Final = ("brand", "vendor", "manufacturer", "brandname")
PARTS: Final = ("mpn", "manufacturernumber")
_NAMES: Final = frozenset((*GTINS, *PARTS))
_LENGTHS: Final = frozenset((8, 12, 13, 14))
_LONGEST: Final = 100


def product_code(gtin: str, brand: str = "", part: str = "") -> str:
    """One text for the same product in every shop; empty where a shop names neither.

    >>> product_code("4 006381 333931"), product_code("", "Acme", "X-100")
    ('gtin:04006381333931', 'part:acme/x100')
    """
    digits = "".join(sign for sign in gtin if sign.isascii() and sign.isdigit())
    if len(digits) in _LENGTHS and _is_checked(digits) and digits.strip("0"):
        return f"gtin:{digits:0>14}"
    maker, number = ("".join(filter(str.isalnum, title_key(name))) for name in (brand, part))
    return f"part:{maker}/{number}"[:_LONGEST] if maker and len(number) > 2 else ""


def with_code(fields: dict[str, Any]) -> dict[str, Any]:
    """Free fields of a product, with its code where they have a GTIN, or a brand and a part number, and no code yet."""
    if FIELD in fields or _NAMES.isdisjoint(map(spelling, fields)):
        return fields
    named = {spelling(name): str(value) for name, value in fields.items() if isinstance(value, str | int)}
    gtin, brand, part = (_first(named, names) for names in (GTINS, BRANDS, PARTS))
    code = product_code(gtin, brand, part)
    return {**fields, FIELD: code} if code else fields


def _first(fields: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")


def _is_checked(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    weighed = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(digits)))
    return weighed % 10 == 0
