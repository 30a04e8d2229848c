"""What a price was over time: lows and highs, what it usually is, and how much of a discount is real.

A shop's crossed-out price says what the shop likes. Usual is the price that stood for half of the time: the median of 30 or 90
days, by how long each price stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, NamedTuple

import msgspec

from driftline.core.commerce.amounts import canonical

DAYS: Final = (30, 90)
_TENTH: Final = Decimal("0.1")


class PriceSince(NamedTuple):
    """A price from a time on, until the next one; None: not known from then on."""

    at: datetime
    amount: Decimal | None


class PriceWindow(msgspec.Struct, frozen=True, kw_only=True):
    """Prices of some days, or of all time."""

    days: int | None  # None: of all time
    low: str  # canonical decimals
    low_at: datetime  # when it was first so low
    high: str
    high_at: datetime
    median: str  # by how long each price stood
    discount_percent: str  # how far the price now is below the median; negative: above


class PriceStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The price now beside what it was. Of one currency: two are never compared."""

    price: str
    currency: str | None
    all_time: PriceWindow
    last_days: tuple[PriceWindow, ...]  # of 30 and of 90 days


def price_statistics(prices: Sequence[PriceSince], currency: str | None, *, at: datetime) -> PriceStatistics | None:
    """Statistics of a history, oldest first, up to a time; None while no price is known."""
    stood = _stood(prices, at)
    if not stood:
        return None
    now = stood[-1][0]
    windows = [_window(stood, None, now, at), *(_window(stood, days, now, at) for days in DAYS)]
    return PriceStatistics(price=canonical(now), currency=currency, all_time=windows[0], last_days=tuple(windows[1:]))


def _stood(prices: Sequence[PriceSince], at: datetime) -> list[tuple[Decimal, datetime, datetime]]:
    """Each known price with when it began and ended."""
    ends = [*(one.at for one in prices[1:]), max(at, prices[-1].at)] if prices else []
    return [(one.amount, one.at, max(one.at, end)) for one, end in zip(prices, ends, strict=True) if one.amount is not None]


def _window(stood: Sequence[tuple[Decimal, datetime, datetime]], days: int | None, now: Decimal, at: datetime) -> PriceWindow:
    since_at = stood[0][1] if days is None else at - timedelta(days=days)
    inside = [(amount, max(begins, since_at), ends) for amount, begins, ends in stood if ends >= since_at] or [stood[-1]]
    low = min(inside, key=lambda one: one[0])
    high = max(inside, key=lambda one: one[0])
    median = _median([(amount, (ends - begins).total_seconds()) for amount, begins, ends in inside])
    percent = ((median - now) * 100 / median).quantize(_TENTH, ROUND_HALF_UP) if median else Decimal(0)
    return PriceWindow(
        days=days,
        low=canonical(low[0]),
        low_at=low[1],
        high=canonical(high[0]),
        high_at=high[1],
        median=canonical(median),
        discount_percent=canonical(percent),
    )


def _median(lasting: Sequence[tuple[Decimal, float]]) -> Decimal:
    """The price that stood for half of the time; the higher one where two share it evenly."""
    ordered = sorted(lasting, reverse=True)
    half = sum(seconds for _, seconds in ordered) / 2
    passed = 0.0
    for amount, seconds in ordered:
        passed += seconds
        if passed >= half:
            return amount
    return ordered[-1][0]
