"""The history checker: whatever happened, the database tells the story that the site told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from uuid import UUID

from tests.faults.story import Story, edition, edition_in

from driftline.store.blobs import blobs_for
from driftline.wiring import App

PATIENCE = 180.0  # seconds for what takes two on a machine with nothing else to do


def enrol(app: App, story: Story) -> list[UUID]:
    """Watches for all pages of the story, due now."""
    return [watch.id for watch in app.add([app.draft(watch_input) for watch_input in story.watch_inputs()])]


def rows(app: App, sql: str, *params: object) -> list[Any]:
    return app.store.read_now(lambda session: session.tx.rows(sql, params))


def make_due(app: App) -> None:
    """Time has come for every watch."""
    at = app.clock.now()
    app.store.write_now(lambda session: session.tx.run("UPDATE watches SET next_due_at = ?", (at,)))


def let_leases_end(app: App) -> None:
    """As if the time of whoever is dead had run out."""
    at = app.clock.now()
    app.store.write_now(lambda session: session.tx.run("UPDATE watches SET lease_until = ? WHERE lease_until > ?", (at, at)))


def until(condition: Callable[[], object], what: str, *, seconds: float = PATIENCE) -> None:
    """Wait for something that other processes do."""
    ends = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < ends, f"in vain: {what}"
        pause.wait(0.02)


def seen_version(app: App, story: Story) -> int:
    """The version up to which every page is recorded."""
    latest = dict(rows(app, _LATEST))
    return min(latest.get(path) or 0 for path in story.paths)


def wait_until_seen(app: App, story: Story, *, seconds: float = PATIENCE) -> None:
    """Until the present version of every page is recorded."""
    until(lambda: seen_version(app, story) >= story.version, f"version {story.version} of every page", seconds=seconds)


def faults(app: App, story: Story, *, whole: bool = True) -> list[str]:
    """Whatever in the database contradicts the story; not `whole`: the database may know only its beginning."""
    found = [fault for path in story.paths for fault in _faults_of_page(app, path, story.version if whole else None)]
    for what, sql in _NEVER.items():
        found += [f"{what}: {row}" for row in rows(app, sql)[:3]]
    blobs = blobs_for(app.settings.blobs)
    for key, text in rows(app, "SELECT blob_key, text FROM snapshots WHERE blob_key IS NOT NULL"):
        body = app.store.read_now(lambda session: blobs.load(session.tx, key))  # noqa: B023 - called at once
        if edition_in((body or b"").decode()) != edition_in(text):
            found.append(f"a body that is not the snapshot's: {key}")
    return found


def _faults_of_page(app: App, path: str, versions: int | None) -> list[str]:
    snapshots = [(version, edition_in(text)) for version, text in rows(app, _SNAPSHOTS, path)]
    changes = [(edition_in(before), edition_in(after)) for before, after in rows(app, _CHANGES, path)]
    names = [edition(number + 1) for number in range(len(snapshots) if versions is None else versions)]
    baselines = rows(app, _BASELINES, path)
    found = []
    if snapshots != list(enumerate(names, start=1)):
        found.append(f"{path}: snapshots {snapshots}")
    if changes != list(pairwise(names)):
        found.append(f"{path}: changes {changes}")
    if len(baselines) != bool(names):
        found.append(f"{path}: {len(baselines)} baselines")
    return found


_LATEST = """
SELECT w.name, max(s.version) FROM watches AS w JOIN items AS i ON i.source_id = w.source_id
JOIN snapshots AS s ON s.item_id = i.id GROUP BY w.name
"""
_SNAPSHOTS = """
SELECT s.version, s.text FROM watches AS w JOIN items AS i ON i.source_id = w.source_id JOIN snapshots AS s ON s.item_id = i.id
WHERE w.name = ? ORDER BY s.run_started_at, s.run_id
"""
_CHANGES = """
SELECT b.text, a.text FROM watches AS w JOIN changes AS c ON c.watch_id = w.id
LEFT JOIN snapshots AS b ON b.id = c.prev_snapshot_id LEFT JOIN snapshots AS a ON a.id = c.next_snapshot_id
WHERE w.name = ? ORDER BY c.created_at, c.id
"""
_BASELINES = "SELECT r.id FROM watches AS w JOIN runs AS r ON r.watch_id = w.id WHERE w.name = ? AND r.outcome = 'baseline'"
_NEVER = {  # rows that must not exist, whatever was killed and when
    "a report that does not count its changes": "SELECT p.id FROM reports AS p WHERE p.total <> "
    "(SELECT count(*) FROM changes AS c WHERE c.report_id = p.id)",
    "a changed run without a report": "SELECT r.id FROM runs AS r WHERE r.outcome = 'changed' AND NOT EXISTS "
    "(SELECT 1 FROM reports AS p WHERE p.run_id = r.id)",
    "a report of a run that changed nothing": "SELECT p.id FROM reports AS p JOIN runs AS r ON r.id = p.run_id "
    "WHERE r.outcome <> 'changed'",
    "a snapshot of a run that did not complete": "SELECT s.id FROM snapshots AS s JOIN runs AS r ON r.id = s.run_id "
    "WHERE r.status <> 'completed'",
    "an item that is not at its latest snapshot": "SELECT i.id FROM items AS i WHERE i.version <> "
    "(SELECT max(s.version) FROM snapshots AS s WHERE s.item_id = i.id)",
    "two runs of one lease": "SELECT watch_id, fence FROM runs GROUP BY watch_id, fence HAVING count(*) > 1",
    "a run without an end": "SELECT id FROM runs WHERE status = 'running' OR completed_at IS NULL",
    "a page that could not be read": "SELECT id, reason FROM runs WHERE status = 'failed'",
}
