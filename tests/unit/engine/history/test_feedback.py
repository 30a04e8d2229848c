"""What marking a change as noise is said to hide."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from driftline.engine.history.feedback import of_change
from driftline.model.change import Change, Suppressed
from driftline.model.noise.mask import Ignoring

ONE = UUID(int=1)
ROWS = [{"action": "changed", "before": 2, "after": 2, "marks": [["removed", "nine"], ["added", "noon"]], "count": 1}]


def change(rows: list[dict[str, object]]) -> Change:
    return Change(
        id=ONE, org_id=ONE, watch_id=ONE, run_id=ONE, report_id=ONE, item_id=None, type="content", severity="low", headline="",
        url="", before=None, after=None, diff={"rows": rows}, created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


def line(before: str, after: str) -> Suppressed:
    return Suppressed(rule="", place=">main>p", before=before, after=after)


def test_only_lines_that_the_change_shows_are_listed() -> None:
    title = Suppressed(rule="", place="title", before="A", after="B")
    found = Ignoring(
        hidden=(line("12 visitors", "13 visitors"),),
        left=(line("nine", "noon"), line("Request 1", "Request 2"), title),
        ignore_text=("nine", "noon", r"/^Request\ \d+$/"),
    )
    assert of_change(found, change(ROWS)) == Ignoring(left=(line("nine", "noon"), title), ignore_text=("nine", "noon"))
    assert of_change(found, change([])) == found  # it shows no lines: a price, or a plan without texts
