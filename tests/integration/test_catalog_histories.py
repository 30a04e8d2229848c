"""Any history of runs, judged at once or later from stored rows, in any order and any number of times: the same reports."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.conftest import Runner

from driftline.cli.results.runs import run_document
from driftline.wiring import run_loop

START = datetime(2026, 3, 1, tzinfo=UTC)
TABLES = ("items", "snapshots", "watch_items", "sights")
scopes = itertools.count()


class Push(msgspec.Struct, frozen=True):
    """One run: of which watch, how it ended, and what it showed."""

    watch: int
    status: str
    rows: list[dict[str, Any]]


rows = st.lists(
    st.fixed_dictionaries(
        {
            "url": st.sampled_from([f"https://shop.example/{name}" for name in "abcd"]),
            "price": st.sampled_from([None, "10", "10.20", "9", "NaN", "30"]),
        },
        optional={
            "title": st.sampled_from(["", "Kettle", "Pot"]),
            "currency": st.sampled_from(["EUR", "USD"]),
            "in_stock": st.sampled_from([True, False, None]),
            "extra": st.sampled_from([{}, {"colour": "red"}]),
        },
    ),
    max_size=5,
)
pushes = st.builds(Push, st.sampled_from([0, 1]), st.sampled_from(["completed"] * 5 + ["partial", "failed"]), rows)
rules = st.fixed_dictionaries(
    {},
    optional={
        "min_price_change": st.sampled_from(["5%", "1"]),
        "price_below": st.just("10"),
        "cooldown_for": st.just(7200.0),
        "alert_after": st.just(99),
    },
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.lists(pushes, min_size=1, max_size=6), rules)
def test_judged_later_in_any_order_and_number_the_reports_are_the_same(
    runner: Runner, data: st.DataObject, history: list[Push], rules: dict[str, Any]
) -> None:
    told = rules | {"scope": f"shop {next(scopes)}"}
    watches = [runner.watch("https://shop.example/", kind="catalog", rules=told) for _ in range(2)]
    runs = []
    for hour, push in enumerate(history):
        shown: list[Any] = [*push.rows] if push.rows else [b"[]"]
        said: dict[str, Any] = {
            "started_at": START + timedelta(hours=hour),
            "completed_at": START + timedelta(hours=hour, minutes=5),
        }
        runs.append(runner.app.ingest(watches[push.watch].id, shown, status=push.status, **said).run_id)
    at_once = {run_id: verdict(runner, run_id) for run_id in runs}
    stored = {table: runner.count(table) for table in TABLES}
    judged = [run_id for run_id, push in zip(runs, history, strict=True) if push.status == "completed"]
    forgotten = data.draw(st.sets(st.sampled_from(judged))) if judged else set()
    forget(runner, forgotten)
    again = data.draw(st.lists(st.sampled_from(judged), max_size=3)) if judged else []
    rejudge = runner.app.rejudge()
    for run_id in (*data.draw(st.permutations(sorted(forgotten))), *again):
        run_loop(lambda run_id=run_id: rejudge.judge(run_id))  # type: ignore[misc]  # the loop's own run
    assert {run_id: verdict(runner, run_id) for run_id in runs} == at_once
    assert {table: runner.count(table) for table in TABLES} == stored


def forget(runner: Runner, run_ids: set[Any]) -> None:
    """As after a crash between recording and judging."""

    def remove(session: Any) -> None:
        for run_id in run_ids:
            session.tx.run("DELETE FROM reports WHERE run_id = ?", (run_id,))
            session.tx.run("UPDATE runs SET judged_at = NULL WHERE id = ?", (run_id,))

    runner.app.store.write_now(remove)


def verdict(runner: Runner, run_id: Any) -> dict[str, Any]:
    """All that a run tells, without the ids of what was written."""
    document = run_document(runner.app, run_id)
    report = document.pop("report")
    changes = [
        {
            name: change[name]
            for name in ("run", "item", "type", "severity", "headline", "url", "before", "after", "diff", "flags")
        }
        for change in (report["changes"] if report else ())
    ]
    return document | {"total": report["total"] if report else 0, "changes": changes}
