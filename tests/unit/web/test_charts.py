"""Axes that people can read, whatever the values."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from driftline.web.charts import NARROW, WIDE, Sample, activity, line_chart, scale

START = datetime(2026, 1, 1, tzinfo=UTC)
AMOUNTS = st.floats(min_value=-1e9, max_value=1e12, allow_nan=False, allow_infinity=False)


@given(AMOUNTS, AMOUNTS)
def test_an_axis_holds_its_values_with_a_handful_of_even_marks(one: float, other: float) -> None:
    low, high = sorted((one, other))
    axis = scale(low, high)
    slack = (axis.high - axis.low) * 1e-6
    assert axis.low <= low + slack
    assert high - slack <= axis.high
    assert axis.low < axis.high
    assert 2 <= len(axis.marks) <= 9
    steps = [after - before for before, after in zip(axis.marks, axis.marks[1:], strict=False)]
    assert all(math.isclose(step, steps[0], rel_tol=1e-3) for step in steps)


@given(AMOUNTS, AMOUNTS)
def test_no_two_marks_read_the_same(one: float, other: float) -> None:
    low, high = sorted((round(one, 2), round(other, 2)))
    axis = scale(low, high)
    reported = [f"{mark:.{axis.digits}f}" for mark in axis.marks]
    assert len(set(reported)) == len(reported)


@given(
    st.lists(st.tuples(st.integers(0, 10**7), st.none() | st.floats(0.01, 1e6), st.booleans()), min_size=1, max_size=60),
    st.sampled_from([WIDE, NARROW]),
)
def test_a_chart_is_sound_xml_and_stays_inside_its_box(raw: list[tuple[int, float | None, bool]], size: object) -> None:
    at, samples = START, []
    for seconds, value, there in raw:
        at += timedelta(seconds=seconds)
        samples.append(Sample(at, value, there))
    drawn = line_chart(samples, until_at=at, title='<b> & "quotes"', unit="<EUR>", size=size)  # type: ignore[arg-type]  # one of the two
    if all(value is None for _, value, _ in raw):
        assert drawn == ""
        return
    tree = ET.fromstring(drawn)
    assert tree.get("aria-label") == '<b> & "quotes"'
    width, height = (float(part) for part in str(tree.get("viewBox")).split()[2:])
    for circle in tree.iter("circle"):
        assert -1 <= float(str(circle.get("cx"))) <= width + 1
        assert -1 <= float(str(circle.get("cy"))) <= height + 1
    for rect in tree.iter("rect"):
        assert float(str(rect.get("x"))) + float(str(rect.get("width"))) <= width + 1
    assert "style=" not in drawn
    assert "NaN" not in drawn
    assert "inf" not in drawn


def test_a_price_that_never_moved_has_an_axis_around_it() -> None:
    axis = scale(249.0, 249.0)
    assert axis.low < 249 < axis.high


def test_a_sold_out_span_is_shaded_until_it_is_back() -> None:
    day = timedelta(days=1)
    samples = [Sample(START, 10.0), Sample(START + day, 10.0, in_stock=False), Sample(START + 2 * day, 9.0)]
    drawn = line_chart(samples, until_at=START + 4 * day, title="price")
    assert drawn.count('class="gone"') == 1


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
def test_a_sparkline_has_a_bar_a_day_and_says_the_total(counts: list[int]) -> None:
    drawn = activity(tuple(counts), title="Changes")
    assert len(re.findall("<rect", drawn)) == len(counts)
    assert f'aria-label="Changes: {sum(counts)} in {len(counts)} days"' in drawn
    assert drawn.count('class="bar"') == sum(1 for count in counts if count)


def test_a_young_chart_ends_now_and_not_in_the_future() -> None:
    now = START + timedelta(minutes=4)
    drawn = line_chart([Sample(START, 10.0), Sample(START + timedelta(minutes=2), 12.0)], until_at=now, title="price")
    marks = re.findall(r">(\d\d:\d\d)</text>", drawn)
    assert marks == [f"{START + timedelta(minutes=passed):%H:%M}" for passed in range(5)]
