"""What a product is called everywhere: its GTIN (EAN, UPC, ISBN), else its brand and part number."""

from __future__ import annotations

from typing import Final

from driftline.core.text.folding import title_key

FIELD: Final = "code"  # among the free fields of a product
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
    maker, number = ("".join(filter(str.isalnum, title_key(said))) for said in (brand, part))
    return f"part:{maker}/{number}"[:_LONGEST] if maker and len(number) > 2 else ""


def _is_checked(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    weighed = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(digits)))
    return weighed % 10 == 0
