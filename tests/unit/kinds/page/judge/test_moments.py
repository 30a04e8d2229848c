"""Moments that move by themselves, each decision at its edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from driftline.kinds.page.judge.moments import Times, is_past, is_stamp, same_moment
from driftline.kinds.page.judge.spans import Span, moved_spans

AT = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def named(before: str, after: str, *, apart: timedelta = timedelta(days=1), known: bool = True) -> str | None:
    """What the only moment in two lines is, if it moved by itself."""
    ((old, new),) = moved_spans(before, after) or ((None, None),)
    assert isinstance(old, Span)
    assert isinstance(new, Span)
    times = Times(AT, AT + apart) if known else Times()
    return same_moment(old, new, before, times, listed=False)


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("Last updated: 10 March 2026", "Last updated: 11 March 2026", "date of today"),
        ("Last updated: 1 March 2026", "Last updated: 5 March 2026", "date of change"),
        ("Last updated: 5 March 2026", "Last updated: 1 March 2026", None),  # went back
        ("Last updated: 1 January 2026", "Last updated: 10 March 2026", None),  # a leap of more than two months
        ("The sale ends on 20 March 2026", "The sale ends on 25 March 2026", None),
    ],
)
def test_a_date_that_says_when_a_page_was_touched_moves_by_itself(before: str, after: str, name: str | None) -> None:
    assert named(before, after) == name


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("Last updated: 1 March 2026", "Last updated: 5 March 2026", "date of change"),
        ("Last updated: 1 January 2026", "Last updated: 10 March 2026", None),
        ("The sale ends on 20 March 2026", "The sale ends on 25 March 2026", None),
        ("Last updated: 03/04/2026", "Last updated: 05/06/2026", "date of change"),  # whose month is first, nobody knows
        ("Last updated: 03/04/2025", "Last updated: 05/06/2026", "date of change"),
        ("Last updated: 03/04/2024", "Last updated: 05/06/2026", None),
        ("Last updated: 03/04/2026", "Last updated: 05/06/2025", None),
    ],
)
def test_without_times_of_fetching_dates_alone_decide(before: str, after: str, name: str | None) -> None:
    assert named(before, after, known=False) == name


@pytest.mark.parametrize(
    ("old", "new", "stamp"),
    [
        ("1772000000", "1772000001", True),
        ("1772000000000", "1772000001000", True),
        ("1772000000", "1772000000", False),
        ("1772000001", "1772000000", False),
        ("1472000000", "1772000000", False),  # years later
        ("1772000000", "1772000001000", False),
        ("1772000000", "17720000x1", False),
        ("2772000000", "2772000001", False),
    ],
)
def test_a_stamp_counts_seconds_since_1970_and_went_on(old: str, new: str, stamp: bool) -> None:
    assert is_stamp(old, new) is stamp


@pytest.mark.parametrize(
    ("before", "after", "past"),
    [
        ("Posted 2 days ago", "Posted 8 March 2026", True),
        ("Posted today", "Posted 20 March 2026", False),  # it is ahead
    ],
)
def test_an_age_turns_into_its_date_where_that_is_past(before: str, after: str, past: bool) -> None:
    ((old, new),) = moved_spans(before, after) or ((None, None),)
    assert isinstance(old, Span)
    assert isinstance(new, Span)
    assert is_past(old, new, before, Times(AT, AT)) is past
