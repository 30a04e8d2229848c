"""Instants and durations as people and programs read them."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from driftline.core.text import time_text

NOW = datetime(2026, 11, 15, 21, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"),
        (-5, "in a moment"),
        (60, "1 minute ago"),
        (-600, "in 10 minutes"),
        (3600, "1 hour ago"),
        (86_400, "1 day ago"),
        (-3 * 86_400, "in 3 days"),
        (40 * 86_400, "6 October 2026"),
    ],
)
def test_an_instant_is_reported_from_here(seconds: int, words: str) -> None:
    assert time_text.ago(NOW - timedelta(seconds=seconds), now=NOW) == words


def test_the_exact_time_is_on_the_readers_clock() -> None:
    assert time_text.exact(NOW, ZoneInfo("Europe/Berlin"), seconds=True) == "15 November 2026, 22:30:00 CET"


def test_a_clock_has_seconds_where_they_are_asked_for() -> None:
    assert [time_text.clock(time(8, 5)), time_text.clock(NOW, seconds=True)] == ["08:05", "21:30:00"]


def test_a_program_reads_utc_whatever_the_zone() -> None:
    assert time_text.stamp(NOW.astimezone(ZoneInfo("Europe/Berlin"))) == "2026-11-15T21:30:00Z"


def test_a_day_has_its_name_and_its_year_where_it_is_another_one() -> None:
    today = NOW.date()
    names = [time_text.day_name(today - timedelta(days=days), today) for days in (0, 1, 11, 400)]
    assert names == ["Today", "Yesterday", "Wednesday, 4 November", "Saturday, 11 October 2025"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (900, "15 minutes"),
        (5_400, "1 hour 30 minutes"),
        (2 * 86_400 + 61, "2 days 1 minute"),
    ],
)
def test_a_duration_is_its_two_largest_parts(seconds: int, words: str) -> None:
    assert time_text.duration_text(seconds) == words
