"""Amounts of money: the world's digits and separators as exact, bounded decimals; and what a unit costs."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from driftline.core.commerce.currencies import decimals_of
from driftline.core.text.lazy_regex import lazy_regex

WHOLE_DIGITS = 12  # a number with more digits before the point is no price
FRACTION_DIGITS = 30  # as many as a program may print of a float
_NO_CENTS_FROM = Decimal(10_000)
_LIMIT = Decimal(10) ** WHOLE_DIGITS

# Horizontal spaces that group digits; a line break never does.
SPACES = " \u00a0\u2002-\u200a\u202f\u205f\u3000"
_APOSTROPHES = "'\u2018\u2019\u02bc\u2032\u00b4`"
_POINTS = (
    ".,\u00b7\uff0e\uff0c\u066b\u066c\u060c"  # ASCII, middle dot, fullwidth, Arabic decimal, Arabic thousands, Arabic comma
)

# One number with its separators. `\d` matches the digits of every script. A space may only precede exactly three digits.
NUMBER = (
    rf"(?:(?<!\d)\d{{1,15}}(?:[{_POINTS}{_APOSTROPHES}]\d{{1,30}}(?!\d)|[{SPACES}]\d{{3}}(?!\d))*(?![.,]?\d)"
    rf"|(?<![\w.,])[.,]\d{{2}}(?![\d.,]\d|\d))"
)
_SEPARATOR = re.compile(r"\D")
_FOLDED = str.maketrans(
    {
        **dict.fromkeys(_APOSTROPHES, "'"),
        **dict.fromkeys("\u00a0\u202f\u205f\u3000" + "".join(map(chr, range(0x2002, 0x200B))), " "),
        "\u00b7": "\u066b",  # always decimal: 19·99
        "\uff0e": ".",
        "\uff0c": ",",
        "\u066c": "'",  # always thousands
        "\u060c": ",",
    }
)
_DECIMAL_ONLY = "\u066b"


def bounded(amount: Decimal) -> Decimal | None:
    """The amount if it can be a price: finite, not negative, at most 12 digits before the point."""
    if not amount.is_finite() or (amount.is_signed() and amount) or not amount < _LIMIT:
        return None
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > FRACTION_DIGITS:
        return None
    return abs(amount)


def canonical(amount: Decimal) -> str:
    """One text per value: `2879.20` and `2879.2` are equal, nothing is rounded, and there is no exponent."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(amount: Decimal | str, currency: str | None) -> str:
    """A price for people, wherever one is shown, with the cents of its currency: `1,299.00 EUR`; nothing is rounded."""
    text = _with_decimals(f"{Decimal(amount):,f}", _cents(currency, amount))
    return f"{text} {currency}" if currency else text


def from_to(before: Decimal | str, after: Decimal | str, currency: str | None) -> str:
    """Two prices for people, both with cents where one has them: `from 7.00 to 7.20 EUR`."""
    texts = [f"{Decimal(amount):,f}" for amount in (before, after)]
    decimals = max(_cents(currency, before, after), *(len(text.partition(".")[2]) for text in texts))
    old, new = (_with_decimals(text, decimals) for text in texts)
    return f"from {old} to {new} {currency}" if currency else f"from {old} to {new}"


def _cents(currency: str | None, *amounts: Decimal | str) -> int:
    """The decimals of a currency; nobody writes them behind the price of a car or a house."""
    return 0 if all(Decimal(amount) >= _NO_CENTS_FROM for amount in amounts) else decimals_of(currency)


def _with_decimals(text: str, least: int) -> str:
    """At least so many digits after the point; one alone becomes two, as people write cents."""
    whole, _, fraction = text.partition(".")
    fraction = fraction.ljust(max(least, 2) if fraction or least else 0, "0")
    return f"{whole}.{fraction}" if fraction else whole


def from_plain(text: str) -> Decimal | None:
    """A machine-written number (`1299.00`, `1e3`) as a bounded amount, without guessing about separators."""
    try:
        return bounded(Decimal(text))
    except InvalidOperation:
        return None


def read_number(token: str, *, thousandths: str = "") -> Decimal | None:
    """The value of one written number, or None where its separators make no sense.

    Three digits after a lone separator are thousands, unless it is one of `thousandths`: those that a currency with three
    decimals writes before them.
    """
    text = token.translate(_FOLDED)
    separators = _SEPARATOR.findall(text)
    if not separators:
        return _made(text, "")
    groups = _SEPARATOR.split(text)
    last, tail = separators[-1], groups[-1]
    repeated = separators.count(last) > 1
    if last == "'" and len(separators) == 1 and len(tail) == 2:  # 12'50 €
        return _made(groups[0], tail)
    if last in " '":
        return _made("".join(groups), "") if _grouped(groups, separators) else None
    if len(separators) == 1:
        if last != _DECIMAL_ONLY and len(tail) == 3 and last not in thousandths and _grouped(groups, separators):
            return _made("".join(groups), "")
        return _made(groups[0], tail)
    if repeated and _grouped(groups, separators):
        return _made("".join(groups), "")
    whole = groups[:-1]
    if _grouped(whole, separators[:-1]) and (not repeated or len(tail) <= 2):
        return _made("".join(whole), tail)
    return None


def _grouped(groups: list[str], separators: list[str]) -> bool:
    """Western (1.234.567) or Indian (12,34,567) grouping by one separator, and not a decimal like 0.999."""
    if len(set(separators)) != 1 or not 1 <= len(groups[0]) <= 3 or int(groups[0]) == 0:
        return False
    western = all(len(group) == 3 for group in groups[1:])
    indian = len(groups) > 2 and len(groups[-1]) == 3 and all(len(group) == 2 for group in groups[1:-1]) and len(groups[0]) <= 2
    return western or indian


def _made(whole: str, fraction: str) -> Decimal | None:
    amount = Decimal(f"{whole or '0'}.{fraction}" if fraction else whole)
    return amount if len(whole) <= WHOLE_DIGITS and len(fraction) <= FRACTION_DIGITS else bounded(amount)


# The size in a product's name.
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
