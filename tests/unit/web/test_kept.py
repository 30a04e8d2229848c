"""What was made of rows is kept, and never shown in place of anything else."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from driftline.deliver.drafting import drafted_user
from driftline.model.account import Org
from driftline.store.codec import SQLITE
from driftline.store.rows import Row
from driftline.web.auth import Identity
from driftline.web.kept import Kept
from driftline.web.pages.asked import Given
from driftline.web.pages.cards import Card
from driftline.web.pages.lines import drawn, filled
from driftline.web.pages.rendering import LATER, list_page

NOW = datetime(2026, 11, 15, 21, 30, tzinfo=UTC)
VALUES = st.none() | st.integers() | st.text(max_size=3) | st.binary(max_size=3)
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=20)


def counting(*, at_most: int = 1_000_000) -> tuple[Kept[str], list[Row]]:
    """Rows as their spelling, and which of them were made."""
    made: list[Row] = []

    def make(_codec: object, row: Row, *same: object) -> str:
        made.append(row)
        return repr((row, same))

    return Kept(make, at_most=at_most), made


@given(st.lists(st.tuples(ROWS, VALUES), max_size=8), st.sampled_from([0, 2_500, 10_000, 1_000_000]))
def test_what_is_shown_is_always_what_would_be_made(asked: list[tuple[list[Row], object]], at_most: int) -> None:
    kept, _ = counting(at_most=at_most)
    for rows, same in asked:
        assert kept.of(SQLITE, rows, same) == [repr((row, (same,))) for row in rows]


def test_a_row_is_made_once_and_again_when_anything_about_it_differs() -> None:
    kept, made = counting()
    row = (b"id", "name", None, 1)
    kept.of(SQLITE, [row, row], "UTC", True)
    kept.of(SQLITE, [(*row[:2], *row[2:])], "UTC", True)
    assert made == [row]
    others = [(b"id", "name", None, 2), (b"id", "Name", None, 1), (b"id", "name", "", 1), (b"di", "name", None, 1)]
    kept.of(SQLITE, others, "UTC", True)
    assert made == [row, *others]
    kept.of(SQLITE, [row], "Europe/Berlin", True)
    kept.of(SQLITE, [row], "UTC", False)
    assert made == [row, *others, row, row]


def test_the_oldest_are_forgotten_and_long_texts_are_not_kept() -> None:
    kept, made = counting(at_most=20_000)
    rows: list[Row] = [(number, "x" * 500) for number in range(100)]
    kept.of(SQLITE, rows)
    made.clear()
    kept.of(SQLITE, rows[-10:])
    assert made == []
    kept.of(SQLITE, rows[:1])
    assert made == rows[:1]
    made.clear()
    long: Row = ("y" * 5_000,)
    kept.of(SQLITE, [long])
    kept.of(SQLITE, [long])
    assert made == [long, long]


def card(headline: str) -> Card:
    some = UUID(int=7)
    return Card(
        id=some, watch_id=some, watch_name="", item_id=None, severity="low", label="", headline=headline, url="", at=NOW
    )  # fmt: skip


def test_a_row_that_is_kept_tells_how_long_ago_it_is_now() -> None:
    line = drawn("card", "UTC", card("Opened"))
    shown = [filled([line], now=NOW + timedelta(minutes=minutes)) for minutes in (0, 10, 300)]
    assert [">just now<" in shown[0], ">10 minutes ago<" in shown[1], ">5 hours ago<" in shown[2]] == [True] * 3
    assert 'title="15 November 2026, 21:30:00 UTC"' in shown[0]
    assert "22:30:00 CET" in filled([drawn("card", "Europe/Berlin", card("Opened"))], now=NOW)


@given(st.text() | st.just(f"\0{NOW.isoformat()}\0") | st.just("<script>alert(1)</script>"))
def test_no_text_of_a_row_passes_for_a_time_or_for_markup(headline: str) -> None:
    line = drawn("card", "UTC", card(headline))
    assert [part for part in line if isinstance(part, datetime)] == [NOW]
    shown = str(filled([line], now=NOW))
    assert "<script" not in shown
    assert LATER not in shown


def framed(late: Mapping[str, Markup | str | None], **values: Hashable) -> str:
    some = UUID(int=7)
    identity = Identity(
        user=drafted_user(some, some, "a@example.org", at=NOW), org=Org(id=some, name="o"), scopes=frozenset({"read"})
    )
    scope = {"query_string": b"", "headers": [], "path": "/articles", "state": {}, "user": identity}
    app = SimpleNamespace(state=SimpleNamespace(driftline=SimpleNamespace(clock=SimpleNamespace(now=lambda: NOW))))
    known: dict[str, Hashable] = {"given": Given(), "waiting": 0, "watching": True}
    answer = list_page(SimpleNamespace(app=app, scope=scope), "articles.html", late, **(known | values))  # type: ignore[arg-type]
    return answer.content


def test_what_comes_late_into_a_page_is_escaped_unless_it_is_markup() -> None:
    page = framed({"articles": "<script>1</script>", "cursor": 'a"b'})
    assert '<ul class="card rows">&lt;script&gt;1&lt;/script&gt;</ul>' in page
    assert '?cursor=a&#34;b"' in page
    assert "<li>one</li>" in framed({"articles": Markup("<li>one</li>"), "cursor": None})
    assert LATER not in page


def test_a_page_is_drawn_anew_where_something_around_the_rows_differs() -> None:
    some, none = {"articles": Markup("<li>one</li>"), "cursor": None}, {"articles": Markup(), "cursor": None}
    assert "2 wait for a summary" in framed(some, waiting=2)
    assert "wait for a summary" not in framed(some)
    assert "No articles yet" in framed(none)
    assert "No article fits" in framed(none, given=Given(q="x"))
    assert "Further" in framed({"articles": Markup("<li>one</li>"), "cursor": "c"})
    assert "Further" not in framed(some)
