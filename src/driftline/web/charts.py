"""Draws charts as SVG with readable axes; classes instead of styles, for themes and the CSP."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from html import escape
from typing import Final, NamedTuple

_LEFT: Final = 70  # for the amounts
_RIGHT: Final = 16
_TOP: Final = 14
_BOTTOM: Final = 28  # for the days
_POINTS_AT_MOST: Final = 400
CURVES: Final = 6  # colours of curves that share a chart
_DAY: Final = 86_400.0
_STEPS: Final = (
    1 / 1440,
    5 / 1440,
    15 / 1440,
    1 / 24,
    0.25,
    1,
    2,
    7,
    14,
    30.4375,
    91.3125,
    182.625,
    365.25,
    1826.25,
)  # days between two ticks of the time axis


class Size(NamedTuple):
    """The size of a chart: text keeps its size, so phones get a chart of their own."""

    name: str  # the class by which a stylesheet chooses it
    width: int
    height: int
    days: int  # ticks of the time axis, at most


WIDE: Final = Size("wide", 960, 260, 7)
NARROW: Final = Size("narrow", 326, 200, 3)


class Sample(NamedTuple):
    """A value from an instant on."""

    at: datetime
    value: float | None  # None: unknown
    in_stock: bool = True  # False: sold out from here on


class Scale(NamedTuple):
    """An axis with round bounds and ticks."""

    low: float
    high: float
    marks: tuple[float, ...]
    digits: int  # after the decimal point


def scale(low: float, high: float, *, about: int = 4) -> Scale:
    """Round bounds around two values, with about so many ticks; never of zero height."""
    if not math.isfinite(low) or not math.isfinite(high):
        raise ValueError("an axis has finite bounds")
    if high - low < max(abs(high), 1e-9) * 1e-9:
        pad = abs(high) * 0.1 or 1.0
        low, high = (0.0 if 0 <= low < pad else low - pad), high + pad
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, min(8, 1 - math.floor(math.log10(step)) if step % power and power <= 1 else -math.floor(math.log10(step))))
    marks = tuple(number * step for number in range(first, last + 1))
    return Scale(first * step, last * step, marks, digits)


def line_chart(samples: Sequence[Sample], *, until_at: datetime, title: str, unit: str = "", size: Size = WIDE) -> str:
    """Values as steps; periods without stock are shaded. Empty for no values."""
    shown = _thin([one for one in samples if one.value is not None])
    if not shown:
        return ""
    values = [one.value for one in shown if one.value is not None]
    axis = scale(min(values), max(values))
    start_at = shown[0].at
    end_at = max(until_at, shown[-1].at, start_at + timedelta(minutes=1))  # nothing is drawn for the future
    whole = (end_at - start_at).total_seconds()

    def x(at: datetime) -> float:
        return _LEFT + (at - start_at).total_seconds() / whole * (size.width - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (axis.high - value) / (axis.high - axis.low) * (size.height - _TOP - _BOTTOM)

    curve = _steps([(x(one.at), y(one.value)) for one in shown if one.value is not None], x(end_at))
    floor = size.height - _BOTTOM
    parts = [
        *_amounts(axis, y, unit, size),
        *_days(start_at, end_at, x, size),
        f'<path class="area" d="{curve} V {floor} H {x(start_at):.1f} Z"/>',
        *_absences(samples, end_at, x, start_at, size),
        f'<path class="curve" d="{curve}"/>',
        *(
            f'<circle class="point" cx="{x(one.at):.1f}" cy="{y(one.value):.1f}" r="3.5"><title>'
            f"{escape(_amount(one.value, axis.digits, unit))}, {one.at.day} {one.at:%B %Y, %H:%M}</title></circle>"
            for one in shown[-60:]
            if one.value is not None
        ),
    ]
    description = f"From {_amount(values[0], axis.digits, unit)} to {_amount(values[-1], axis.digits, unit)}, lowest "
    description += f"{_amount(min(values), axis.digits, unit)}, highest {_amount(max(values), axis.digits, unit)}."
    return _svg(f"chart {size.name}", size.width, size.height, title, description, parts)


def lines_chart(
    curves: Sequence[Sequence[Sample]], *, until_at: datetime, title: str, unit: str = "", size: Size = WIDE
) -> str:
    """Several series as steps on the same axes, each with a class of its own; empty for no values."""
    shown = [_thin([one for one in samples if one.value is not None]) for samples in curves]
    values = [one.value for samples in shown for one in samples if one.value is not None]
    if not values:
        return ""
    axis = scale(min(values), max(values))
    start_at = min(samples[0].at for samples in shown if samples)
    end_at = max(until_at, *(samples[-1].at for samples in shown if samples), start_at + timedelta(minutes=1))
    whole = (end_at - start_at).total_seconds()

    def x(at: datetime) -> float:
        return _LEFT + (at - start_at).total_seconds() / whole * (size.width - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (axis.high - value) / (axis.high - axis.low) * (size.height - _TOP - _BOTTOM)

    drawn = [
        f'<path class="curve c{number % CURVES}" d="{_steps([(x(one.at), y(one.value or 0)) for one in samples], x(end_at))}"/>'
        for number, samples in enumerate(shown)
        if samples
    ]
    description = f"Lowest {_amount(min(values), axis.digits, unit)}, highest {_amount(max(values), axis.digits, unit)}."
    parts = [*_amounts(axis, y, unit, size), *_days(start_at, end_at, x, size), *drawn]
    return _svg(f"chart {size.name}", size.width, size.height, title, description, parts)


@lru_cache(maxsize=4096)
def activity(counts: tuple[int, ...], *, title: str) -> str:
    """A sparkline: one bar per day, newest at the right; a day without changes is a dash."""
    width, height, gap = 92, 24, 1.5
    bar = (width - gap * (len(counts) - 1)) / max(1, len(counts))
    top = max([*counts, 1])
    parts = []
    for index, count in enumerate(counts):
        tall = 3 + (height - 3) * math.sqrt(count / top) if count else 2
        shape = f'x="{index * (bar + gap):.1f}" y="{height - tall:.1f}" width="{bar:.1f}" height="{tall:.1f}" rx="1"'
        parts.append(f'<rect class="{"bar" if count else "none"}" {shape}/>')
    total = sum(counts)
    return _svg("spark", width, height, f"{title}: {total} in {len(counts)} days", "", parts)


def _svg(name: str, width: int, height: int, title: str, description: str, parts: Iterable[str]) -> str:
    described = f"<desc>{escape(description)}</desc>" if description else ""
    return (
        f'<svg class="{name}" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'
        f"{described}{''.join(parts)}</svg>"
    )


def _steps(points: Sequence[tuple[float, float]], end: float) -> str:
    path = f"M {points[0][0]:.1f} {points[0][1]:.1f}"
    for across, up in points[1:]:
        path += f" H {across:.1f} V {up:.1f}"
    return f"{path} H {end:.1f}"


def _amounts(axis: Scale, y: Callable[[float], float], unit: str, size: Size) -> Iterable[str]:
    for mark in axis.marks:
        height = y(mark)
        yield f'<line class="grid" x1="{_LEFT}" x2="{size.width - _RIGHT}" y1="{height:.1f}" y2="{height:.1f}"/>'
        text = escape(_amount(mark, axis.digits, unit))
        yield f'<text class="axis" x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{text}</text>'


def _amount(value: float, digits: int, unit: str) -> str:
    return f"{value:,.{digits}f} {unit}".strip()


def _days(start_at: datetime, end_at: datetime, x: Callable[[datetime], float], size: Size) -> Iterable[str]:
    """The ticks of the time axis, each with room for its label."""
    days = (end_at - start_at).total_seconds() / _DAY
    step = next((one for one in _STEPS if days / one <= size.days), _STEPS[-1] * math.ceil(days / _STEPS[-1] / size.days))
    form = "%H:%M" if step < 1 else ("%b %Y" if step > 27 else "%b")
    for number in range(int(days / step) + 1):
        at = start_at + timedelta(days=number * step)
        words = f"{at:{form}}" if step < 1 or step > 27 else f"{at.day} {at:{form}}"
        anchor = "start" if number == 0 else ("end" if x(at) > size.width - 50 else "middle")
        yield f'<text class="axis" x="{x(at):.1f}" y="{size.height - 8}" text-anchor="{anchor}">{words}</text>'


def _absences(
    samples: Sequence[Sample], end_at: datetime, x: Callable[[datetime], float], start_at: datetime, size: Size
) -> Iterable[str]:
    gone_at: datetime | None = None
    for one in [*samples, Sample(end_at, None, in_stock=True)]:
        if gone_at is None and not one.in_stock:
            gone_at = max(one.at, start_at)
        elif gone_at is not None and one.in_stock:
            left, right = x(gone_at), x(min(one.at, end_at))
            height = size.height - _TOP - _BOTTOM
            yield f'<rect class="gone" x="{left:.1f}" y="{_TOP}" width="{max(1.0, right - left):.1f}" height="{height}"/>'
            gone_at = None


def _thin(samples: Sequence[Sample]) -> list[Sample]:
    """At most as many samples as there are pixels; the first and the last stay."""
    if len(samples) <= _POINTS_AT_MOST:
        return list(samples)
    every = math.ceil(len(samples) / _POINTS_AT_MOST)
    return [*samples[:-1:every], samples[-1]]
