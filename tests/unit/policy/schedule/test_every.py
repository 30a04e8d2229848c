from __future__ import annotations

import pytest

from driftline.errors import BadSchedule
from driftline.policy.schedule.every import parse_every


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
