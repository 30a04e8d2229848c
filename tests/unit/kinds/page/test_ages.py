"""How long ago something was: noise while it grows, and when it turns into the date that it stood for."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen

from driftline.pages import compare_pages, read_page

TURNED = [
    ("<p>Jane Roe · 6 days ago</p>", "<p>Jane Roe · 9 Nov</p>"),
    ("<p>Jane Roe, vor 3 Stunden</p>", "<p>Jane Roe, 15. November 2026</p>"),
    (
        '<p><a href="/j">Jane Roe</a> <time>3 hours ago</time></p>',
        '<p><a href="/j">Jane Roe</a> <time>15 November 2026</time></p>',
    ),
    ("<time>2h</time>", "<time>Nov 15</time>"),
    ('<span class="post-time">2h</span>', '<span class="post-time">Nov 15</span>'),
    ("<span>Today</span>", "<span>Nov 15, 2026</span>"),
    ("<p>Yesterday at 10:22</p>", "<p>Nov 15, 2026 at 10:22</p>"),
]
TOLD = [
    ("<p>Deadline: today</p>", "<p>Deadline: 22 November 2026</p>"),
    ("<p>Sale ends today</p>", "<p>Sale ends 22 November 2026</p>"),
    ("<p>Jane Roe · 6 days ago</p>", "<p>Tom Ray · 9 Nov</p>"),
    ("<p>Next meeting</p>", "<p>Next meeting 22 November 2026</p>"),
    ("<p>Meeting on 15 Nov</p>", "<p>Meeting on 22 Nov</p>"),
]


@pytest.mark.parametrize(("before", "after"), TURNED)
def test_an_age_that_turns_into_a_date_tells_nothing(before: str, after: str) -> None:
    assert not compare_pages(body(before), body(after)).different
    assert seen(body(before), body(after)) is None


@pytest.mark.parametrize(("before", "after"), TOLD)
def test_a_date_that_somebody_set_is_told(before: str, after: str) -> None:
    assert compare_pages(body(before), body(after)).meaningful


def test_an_age_is_read_where_it_stands_unless_all_around_it_passes() -> None:
    aged = "<p>Jane Roe <time>2h</time></p>"
    others = '<div class="related-posts"><a href="/1">Bridge closed</a> <time>3h</time> <a href="/2">Bus late</a></div>'
    lines = read_page(body(aged + others)).lines
    assert "Jane Roe 2h" in lines
    assert not any("3h" in line for line in lines)
