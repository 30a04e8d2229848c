"""From the words of a command to a wish for a watch."""

from __future__ import annotations

from datetime import time

import pytest

from driftline.cli.watching.watch_args import fetch_options, schedule_from
from driftline.engine.imports.watch_list import inputs_from_list
from driftline.errors import BadSchedule, UsageError
from driftline.model.watch import Schedule, Window
from driftline.policy.schedule.windows import parse_window


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("mon-fri 08:00-18:00", Window(weekdays=(0, 1, 2, 3, 4), starts=time(8), ends=time(18))),
        ("Sat,Sun 10:00-12:30", Window(weekdays=(5, 6), starts=time(10), ends=time(12, 30))),
        ("fri-mon 9:00-10:00", Window(weekdays=(0, 4, 5, 6), starts=time(9), ends=time(10))),
        ("22:00-06:00", Window(starts=time(22), ends=time(6))),
    ],
)
def test_a_window_is_days_and_times(text: str, window: Window) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["", "mon", "mon-fri", "8-18", "noday 08:00-18:00", "mon 25:00-26:00", "mon 08:00"])
def test_a_window_that_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(BadSchedule):
        parse_window(text)


def test_every_and_cron_together_are_refused() -> None:
    with pytest.raises(BadSchedule):
        schedule_from("15m", "0 9 * * *", "UTC", (), adaptive=False)


def test_headers_and_cookies_are_pairs() -> None:
    options = fetch_options("post", ["Accept: text/html"], ["a=b=c"], "x")
    assert (options.method, options.headers, options.cookies, options.body) == (
        "POST",
        {"Accept": "text/html"},
        {"a": "b=c"},
        "x",
    )
    for header, cookie, method in (("Accept", "a=b", "GET"), ("A: b", "ab", "GET"), ("A: b", "a=b", "BREW")):
        with pytest.raises(UsageError):
            fetch_options(method, [header], [cookie], None)


def test_a_list_of_urls_keeps_line_numbers_names_and_exported_watches() -> None:
    text = '# mine\n\nhttps://a.example/\nhttps://b.example/ The B\n{"url": "https://c.example/", "tags": ["x"]}\n{"url": 3}\n'
    lines = list(inputs_from_list(text.encode(), "page", {}, Schedule(), ("t",)))
    assert [number for number, _, _ in lines] == [3, 4, 5, 6]
    watch_inputs = [watch_input for _, watch_input, _ in lines]
    assert [(watch_input.url, watch_input.name, watch_input.tags) for watch_input in watch_inputs if watch_input] == [
        ("https://a.example/", None, ("t",)),
        ("https://b.example/", "The B", ("t",)),
        ("https://c.example/", None, ("x",)),
    ]
    assert watch_inputs[-1] is None
    assert lines[-1][2]
