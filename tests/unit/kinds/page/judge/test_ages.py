"""How long ago something was: noise while it grows, and when it turns into the date that it stood for."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Jane Roe · 6 days ago", "Jane Roe · 7 days ago"),
        ("Jane Roe · 6 days ago", "Jane Roe · 9 Nov"),
        ("Jane Roe, vor 3 Stunden", "Jane Roe, 15. November 2026"),
        ("2 часа назад", "3 часа назад"),
        ("вчера в 10:22", "10 марта 2026"),
        ("3分前", "5分前"),
        ("Today", "Nov 15, 2026"),
        ("Yesterday at 10:22", "Nov 15, 2026 at 10:22"),
    ],
)
def test_an_age_grows_and_turns_into_its_date_in_silence(before: str, after: str) -> None:
    assert seen(body(f"<p>{before}</p>"), body(f"<p>{after}</p>")) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Deadline: today", "Deadline: 22 November 2026"),
        ("Sale ends today", "Sale ends 22 November 2026"),
        ("Jane Roe · 6 days ago", "Tom Ray · 9 Nov"),
        ("Next meeting", "Next meeting 22 November 2026"),
        ("Meeting on 15 Nov", "Meeting on 22 Nov"),
    ],
)
def test_a_date_that_somebody_set_is_reported(before: str, after: str) -> None:
    assert seen(body(f"<p>{before}</p>"), body(f"<p>{after}</p>")) is not None
