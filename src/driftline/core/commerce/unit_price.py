"""The price of a kilogram, a litre, a metre or a piece, by the size in a product's name."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NamedTuple

from driftline.core.commerce.amounts import from_plain
from driftline.core.text.lazy_regex import lazy_regex

_UNITS: Final = {
    "kg": ("kg", "1"), "g": ("kg", "0.001"), "mg": ("kg", "0.000001"), "lb": ("kg", "0.45359237"), "oz": ("kg", "0.028349523"),
    "l": ("l", "1"), "cl": ("l", "0.01"), "ml": ("l", "0.001"), "m": ("m", "1"), "cm": ("m", "0.01"),
    "pcs": ("piece", "1"), "pieces": ("piece", "1"), "stk": ("piece", "1"), "pack": ("piece", "1"),
}  # fmt: skip
_SIZE: Final = lazy_regex(
    r"(?<![\w.,-])(?:(?P<times>\d{1,3})\s?[x×]\s?)?(?P<much>\d{1,5}(?:[.,]\d{1,3})?)[\s-]?"
    r"(?P<unit>kg|g|mg|lb|oz|l|cl|ml|m|cm|pcs|pieces|stk|pack)(?!\w)",
    re.IGNORECASE,
)


class PerUnit(NamedTuple):
    """What a unit of something costs."""

    amount: Decimal
    unit: str  # kg, l, m, piece


def per_unit(title: str, price: Decimal) -> PerUnit | None:
    """The price of a unit, where the name says one size.

    >>> per_unit("Mineral water 6 x 1.5 l", Decimal("4.50"))
    PerUnit(amount=Decimal('0.50'), unit='l')
    """
    sizes = {(found["times"], found["much"], found["unit"].lower()) for found in _SIZE.finditer(title)}
    if len(sizes) != 1:
        return None
    times, much, written = sizes.pop()
    unit, factor = _UNITS[written]
    amount = from_plain(much.replace(",", "."))
    whole = (amount or Decimal(0)) * Decimal(factor) * int(times or 1)
    return PerUnit((price / whole).quantize(Decimal("0.01")), unit) if whole else None
