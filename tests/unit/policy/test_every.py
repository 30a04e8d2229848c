from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadSchedule
from driftline.policy.every import format_every, parse_every


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15m", 900),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1 hour, 30 minutes", 5400),
        ("2d", 172_800),
        ("90s", 90),
        ("1.5h", 5400),
        (" 10 MIN ", 600),
        ("weekly", 604_800),
        ("Daily", 86_400),
        ("hourly", 3600),
        ("every 2 weeks", 1_209_600),
        ("every hour", 3600),
        ("every day", 86_400),
        ("366d", 366 * 86_400),
    ],
)
def test_an_interval_is_read_as_people_write_it(text: str, seconds: float) -> None:
    assert parse_every(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "15",
        "m15",
        "0s",
        "0.5s",
        "-5m",
        "+5m",
        "5x",
        "5m5m",
        "1h m",
        "1e3s",
        "٥m",
        "367d",
        "5 m 3",
        "soon",
        "every",
        "5m!",
        "∞",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadSchedule):
        parse_every(text)


def test_a_very_long_text_is_refused_quickly() -> None:
    with pytest.raises(BadSchedule):
        parse_every("1m" * 100_000)
    with pytest.raises(BadSchedule):
        parse_every("9" * 1_000_000 + "m")


@given(st.integers(min_value=1_000_000, max_value=366 * 86_400 * 1_000_000))
def test_a_written_interval_reads_back_as_the_same_seconds(microseconds: int) -> None:
    seconds = microseconds / 1_000_000
    assert parse_every(format_every(seconds)) == pytest.approx(seconds, abs=2e-6)


@given(st.integers(min_value=1, max_value=366 * 86_400))
def test_whole_seconds_read_back_exactly(seconds: int) -> None:
    assert parse_every(format_every(seconds)) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"), [(5400.0, "1h30m"), (900.0, "15m"), (604_800.0, "1w"), (1.5, "1.5s"), (86_461.0, "1d1m1s")]
)
def test_intervals_are_written_short(seconds: float, text: str) -> None:
    assert format_every(seconds) == text


@given(st.text(max_size=30))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    with contextlib.suppress(BadSchedule):
        assert parse_every(text) >= 1
