"""When venues release their slots."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.growth import is_in_proportion

from driftline.kinds.availability.releases import release_pattern

FRIDAY = datetime(2026, 3, 6, 9, 1, tzinfo=UTC)


def test_a_venue_that_releases_on_fridays_at_ten_is_known_by_it() -> None:
    berlin = [FRIDAY + timedelta(weeks=week, minutes=week, seconds=7) for week in range(3)]  # before the clocks change
    found = release_pattern([*berlin, FRIDAY + timedelta(days=2, hours=5)], ZoneInfo("Europe/Berlin"))
    assert (found.usual, found.at, found.of, found.drops) == ("Fridays at 10:01", "10:01", 3, 4)
    assert found.weekdays == (0, 0, 0, 0, 3, 0, 1)


def test_slots_of_one_check_are_one_release() -> None:
    assert release_pattern([FRIDAY + timedelta(seconds=one) for one in range(50)], UTC).drops == 1
    assert release_pattern([FRIDAY] * 50, UTC).usual == ""


@pytest.mark.parametrize(
    ("hours", "usual"),
    [
        ([24 * day for day in range(10)], "daily at 09:01"),
        ([31 * number for number in range(10)], ""),
        ([168 * number + 5 * number for number in range(3)], "Fridays"),
        ([], ""),
    ],
)
def test_what_stands_out_is_said_and_nothing_else(hours: list[int], usual: str) -> None:
    assert release_pattern([FRIDAY + timedelta(hours=one) for one in hours], UTC).usual == usual


def test_many_drops_at_many_minutes_take_time_in_proportion() -> None:
    def read(size: int) -> None:
        release_pattern([datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=37 * number) for number in range(size)], UTC)

    assert is_in_proportion(read, 250)  # up to the minutes that a day has, each was held against all drops
