"""Several processes judge one run at the same moment: one report, one set of changes, one set of deliveries."""

from __future__ import annotations

import multiprocessing
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.contract.store.world import World
from tests.subscribers import Subscribers

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App, run_loop

JUDGES = 3
RUNS = 6
PRODUCTS = 60
START = datetime(2026, 3, 1, tzinfo=UTC)


def judge_all(db: str, run_ids: list[str], start: Any, answers: Any) -> None:
    """A process of its own: judges every run as soon as all others are ready to."""
    app = App(Settings(db=db))
    found = []
    try:
        for run_id in run_ids:
            rejudge = app.rejudge()
            start.wait(60)
            found.append(str(run_loop(lambda rejudge=rejudge, run_id=run_id: rejudge.judge(UUID(run_id)))))  # type: ignore[misc]  # the loop's own
    finally:
        app.close()
        answers.put(found)


def push(app: App, watch: Watch, number: int) -> UUID:
    rows = [
        {"url": f"https://shop.example/{name}", "price": name + number, "in_stock": number % 2 == 0} for name in range(PRODUCTS)
    ]
    began = START + timedelta(hours=number)
    return app.ingest(watch.id, rows, started_at=began, completed_at=began + timedelta(minutes=1)).run_id


def table(app: App, name: str) -> list[Any]:
    columns = {
        "reports": "run_id, total, counts",
        "changes": "run_id, item_id, type, headline, prev_snapshot_id, next_snapshot_id",
        "deliveries": "channel_id, state",
        "runs": "id, outcome, counters",
    }
    return sorted(map(repr, app.store.read_now(lambda session: session.tx.rows(f"SELECT {columns[name]} FROM {name}"))))


def test_of_many_judges_of_one_run_exactly_one_tells(database_url: str) -> None:
    app = App(Settings(db=database_url))
    try:
        watch = app.add([app.draft(WatchInput(url="https://shop.example/", kind="catalog"))])[0]
        subscribers = Subscribers(World(app.store))
        subscribers.listener(watch, "reader")
        subscribers.listener(watch, "second")
        run_ids = [push(app, watch, number) for number in range(RUNS)]
        tables = ("reports", "changes", "deliveries", "runs")
        reported = {name: table(app, name) for name in tables}
        assert len(reported["reports"]) == RUNS
        assert len(reported["deliveries"]) == 2 * RUNS

        def forget(session: Any) -> None:
            session.tx.run("DELETE FROM reports")
            session.tx.run("UPDATE runs SET judged_at = NULL")

        app.store.write_now(forget)
        assert table(app, "changes") == table(app, "deliveries") == []
        context = multiprocessing.get_context("spawn")
        start, answers = context.Barrier(JUDGES), context.Queue()
        arguments = (database_url, [str(run_id) for run_id in run_ids], start, answers)
        judges = [context.Process(target=judge_all, args=arguments) for _ in range(JUDGES)]
        for judge in judges:
            judge.start()
        said = [answers.get(timeout=120) for _ in judges]
        for judge in judges:
            judge.join(60)
        assert {judge.exitcode for judge in judges} == {0}
        assert {name: table(app, name) for name in tables} == reported
        assert len(set(map(tuple, said))) == 1, "every judge gives the same report"
    finally:
        app.close()
