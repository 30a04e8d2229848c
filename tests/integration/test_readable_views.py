"""Snapshots, changes and blocks as other programs read them from the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from tests.integration.conftest import Runner
from tests.integration.test_retention import jobs
from tests.scripted import Page, ScriptedSite

from driftline.store.db.readable_views import NAMES


def read(url: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows as a program gets them that knows nothing of driftline."""
    if url.startswith("postgresql://"):
        with psycopg.connect(url) as connection:
            return connection.execute(sql.encode()).fetchall()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
        return file.execute(sql).fetchall()


def uuid(value: object) -> UUID:
    return UUID(str(value))


def instant(value: object) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


def test_snapshots_changes_and_blocks_are_readable_views(runner: Runner, site: ScriptedSite, database_url: str) -> None:
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    (first,) = runner.check(watch)
    site.show("/jobs", jobs("Cook", "Baker", "Pilot"))
    (second,) = runner.check(watch)
    (change,) = second.changes
    snapshots = read(
        database_url,
        "SELECT id, monitor_id, check_id, tier, content_hash, html_path, text_normalized, created_at, expires_at "
        "FROM monitor_snapshots ORDER BY version",
    )
    assert [uuid(row[1]) for row in snapshots] == [watch.id] * 2
    assert [uuid(row[2]) for row in snapshots] == [first.run.id, second.run.id]
    assert [(row[3], len(row[4]), len(row[5])) for row in snapshots] == [("embedded", 32, 64)] * 2
    assert "Pilot" in snapshots[1][6]
    assert instant(snapshots[1][7]).astimezone(UTC) == second.run.completed_at
    assert snapshots[1][8] is None
    ((id_, monitor, before, after, type_, severity, summary, notified_at, created_at),) = read(
        database_url,
        "SELECT id, monitor_id, prev_snapshot_id, next_snapshot_id, change_type, severity, summary, notified_at, created_at "
        "FROM change_events WHERE notified_at IS NULL",
    )
    assert (uuid(id_), uuid(monitor)) == (change.id, watch.id)
    assert [uuid(before), uuid(after)] == [uuid(row[0]) for row in snapshots]
    assert (type_, severity, summary, notified_at) == (change.type, change.severity, change.headline, None)
    assert instant(created_at).astimezone(UTC) == change.created_at
    blocks = read(database_url, "SELECT id, change_event_id, action, title FROM change_blocks")
    assert blocks
    assert {(uuid(row[1]), row[2], row[3]) for row in blocks} == {(change.id, "added", "Pilot")}
    assert len({uuid(row[0]) for row in blocks}) == len(blocks)


def test_a_change_about_health_shows_the_latest_snapshot(runner: Runner, site: ScriptedSite, database_url: str) -> None:
    watch = runner.watch(site.show("/jobs", jobs("Cook")))
    runner.check(watch)
    site.show("/jobs", Page(status=403))
    runner.check(watch)
    rows = read(
        database_url,
        "SELECT e.change_type, s.id FROM change_events AS e JOIN monitor_snapshots AS s ON s.id = e.next_snapshot_id",
    )
    assert [row[0] for row in rows] == ["blocked"]


def test_every_column_of_the_views_is_documented(runner: Runner, site: ScriptedSite, database_url: str) -> None:
    runner.watch(site.show("/jobs", jobs("Cook")))
    documented = (Path(__file__).parents[2] / "docs" / "howto-sql.md").read_text()
    for view in NAMES:
        postgres = "SELECT column_name FROM information_schema.columns WHERE table_name = '{}'"
        sqlite = "SELECT name FROM pragma_table_info('{}')"
        columns = read(database_url, (postgres if database_url.startswith("postgresql://") else sqlite).format(view))
        part = documented.partition(f"| `{view}` |")[2].partition("\n\n")[0]
        assert columns
        assert [name for (name,) in columns if f"`{name}`" not in part] == []
