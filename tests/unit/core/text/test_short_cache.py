"""Caches keyed by texts of others hold short ones only."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime

import pytest

from driftline.core.text.short_cache import MAX_TEXT, short_cache
from driftline.engine.editing.watch_input import read_rules
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Fetched, Request

AT = datetime(2026, 1, 1, tzinfo=UTC)
HOSTILE = {
    "page": "<h1>x</h1><div class='{0}' id='{0}'><img src='/{0}.png' alt='{0}'><a href='/{0}'>{0}</a> 5 left {0}</div>",
    "catalog": "<ul><li><a href='/p{0}'>{0}</a><b class='{0}'>$5 {0}</b></ul>",
    "availability": '{{"slots": [{{"venue_id": "{0}", "time": "{0}", "{0}": "{0}", "status": "{0}"}}]}}',
    "sitemap": "<urlset><url><loc>https://a.example/{0}</loc><lastmod>{0}</lastmod></url></urlset>",
}


def test_a_short_text_is_computed_once_and_a_long_one_each_time() -> None:
    asked: list[str] = []

    @short_cache(8)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    short, long = "a" * MAX_TEXT, "a" * (MAX_TEXT + 1)
    assert [length(text) for text in (short, short, long, long)] == [MAX_TEXT, MAX_TEXT, MAX_TEXT + 1, MAX_TEXT + 1]
    assert asked == [short, long, long]


@pytest.mark.parametrize("name", HOSTILE)
def test_pages_of_long_names_leave_nothing_in_memory(name: str) -> None:
    kind, rules = KINDS[name], read_rules(KINDS[name], {})

    def read(number: int) -> None:
        body = HOSTILE[name].format(f"{number:05d}" * 1_600).encode()
        request = Request(url="https://a.example/x")
        got = Fetched(request=request, url=request.url, status=200, headers={"content-type": "text/html"}, body=body, at=AT)
        for item in kind.read(got, rules, None).items:
            assert item.state is not None

    tracemalloc.start()
    try:
        for number in range(130):  # the standard library keeps 128 URLs of 2,048 characters
            read(number)
        before, _ = tracemalloc.get_traced_memory()
        for number in range(130, 230):
            read(number)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 400_000  # bytes of short keys and shapes, which are bounded; a cache of whole texts takes 800,000
