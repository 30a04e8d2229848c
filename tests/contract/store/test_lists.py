"""Lists stay quick however much lies behind them: what they need stands in an index."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import reduce
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from tests.contract.store.world import START, World

from driftline.store.db.database import Tx
from driftline.store.runs.baseline_queries import items_with_codes
from driftline.store.session import OrgData, Session
from driftline.store.store import Store

SOME = UUID(int=7)


def plan(world: World, ask: Callable[[Session], Any]) -> str:
    """How SQLite goes about everything that is asked."""

    def explained(session: Session) -> str:
        asked: list[str] = []
        connection = session.tx.connection
        connection.set_trace_callback(asked.append)
        try:
            ask(session)
        finally:
            connection.set_trace_callback(None)
        return "; ".join(row[3] for sql in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}"))

    return world.store.read_now(explained)


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda data: data.watches.page(roots=True), "ix_watches_org_id_name"),
        (lambda data: data.changes.page(), "ix_changes_org_id_created_at"),
        (lambda data: data.changes.page(slots_once=True), "ix_changes_org_id_created_at"),
        (lambda data: data.changes.page(unread_by=SOME), "ix_changes_org_id_created_at"),
        (lambda data: data.read_marks.count(SOME, at_most=100), "SEARCH r USING PRIMARY KEY (user_id=?)"),
        (lambda data: data.slots.just_opened(since_at=START), "ix_changes_drops"),
        (lambda data: data.articles.page(), "ix_items_articles"),
        (lambda data: data.deliveries.page(), "ix_deliveries_org_id_created_at"),
        (lambda data: data.deliveries.page(states=["dead"]), "ix_deliveries_dead"),
        (lambda data: data.deliveries.page(states=["skipped"]), "ix_deliveries_skipped"),
        (lambda data: data.deliveries.listing(states=["skipped"]), "ix_deliveries_skipped"),
        (lambda data: data.deliveries.page(states=["pending", "retrying"]), "ix_deliveries_due"),
        (lambda data: data.deliveries.listing(states=["pending"]), "ix_deliveries_due"),
        (lambda data: data.deliveries.listing(), "ix_deliveries_org_id_created_at"),
        (lambda data: data.deliveries.page(user_id=SOME), "ix_deliveries_org_id_created_at"),
        (lambda data: data.deliveries.dead(), "ix_deliveries_dead"),
        (lambda data: data.deliveries.waiting(), "ix_deliveries_due"),
        (lambda data: data.articles.waiting(), "ix_summaries_waiting"),
        (lambda data: data.changes.page(run_id=SOME), "ix_changes_report_id"),
        (lambda data: data.changes.page(item_id=SOME), "ix_changes_item_id"),
        (lambda data: data.changes.page(watch_id=SOME), "ix_changes_watch_id_created_at"),
        (lambda data: data.watches.children(SOME), "sqlite_autoindex_watches_2"),
        (lambda data: data.watches.page(roots=True, tag="news"), "ix_watches_tagged"),
        (lambda data: data.changes.page(tag="news"), "ix_watches_tagged"),
        (lambda data: data.watches.page(roots=True, state="troubled"), "ix_watches_failing"),
        (lambda data: data.runs.reasons([SOME]), "ix_runs_watch_id_started_at"),
    ],
)
def test_a_list_is_read_off_an_index(sqlite_world: World, ask: Callable[[OrgData], Any], index: str) -> None:
    reported = plan(sqlite_world, lambda session: ask(session.org(sqlite_world.org.id)))
    assert index in reported
    walked = (f"SCAN i USING INDEX {index}", "SCAN t VIRTUAL TABLE")  # in order as far as it is shown; the tags of one watch
    assert "SCAN" not in reduce(lambda text, known: text.replace(known, ""), walked, reported)


def test_what_is_asked_for_by_id_is_not_looked_for_in_the_whole_org(sqlite_world: World) -> None:
    org_id = sqlite_world.org.id
    for ask in (
        lambda session: session.org(org_id).watches.names([SOME]),
        lambda session: session.org(org_id).watches.some([SOME]),
    ):
        assert "org_id" not in plan(sqlite_world, ask)


def test_a_product_is_found_in_other_shops_by_an_index(sqlite_world: World) -> None:
    asked = plan(sqlite_world, lambda session: items_with_codes(session.tx, sqlite_world.org.id, ["gtin:1", "part:a/b1"]))
    assert "USING INDEX ix_items_code" in asked
    assert "SCAN" not in asked


def test_how_watches_stand_is_counted_without_their_rows(sqlite_world: World) -> None:
    reported = plan(sqlite_world, lambda session: session.org(sqlite_world.org.id).activity.counts())
    assert "COVERING INDEX ix_watches_org_id_name" in reported
    assert "INDEX ix_watches_failing" in reported


def test_what_just_opened_is_found_drop_by_drop_on_postgresql(postgres_url: str) -> None:
    """However much is open: by itself the planner begins there, and sorts."""
    with closing(Store.open(postgres_url)) as store:
        world = World(store)

        def explained(session: Session) -> str:
            connection, asked = session.tx.connection, []

            def execute(*given: Any) -> Any:
                asked.append(given)
                return connection.execute(*given)

            tx = Tx(session.tx.driver, SimpleNamespace(execute=execute))
            OrgData(tx, world.org.id).slots.just_opened(since_at=START)
            return "; ".join(row[0] for sql, params in asked for row in connection.execute(f"EXPLAIN {sql}", params))

        reported = store.read_now(explained)
    assert "Index Scan Backward using ix_changes_drops" in reported
    assert "Sort" not in reported
    assert "Merge" not in reported
