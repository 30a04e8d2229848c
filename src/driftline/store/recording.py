"""The record step: what runs leave behind, written in one grouped commit.

    lock the watches -> answered already? stale? repeated? -> lock sources, check item versions -> write

An unchanged run costs one row in `runs` and one update in `watches`; a group of them costs two bulk statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.engine.ports import Outdated, Recorded, Recording, RecordResult, Repeated, Stale
from driftline.model.run import Run
from driftline.store import bulk, write_items
from driftline.store.blobs import Blobs
from driftline.store.codec import dumps_or_null
from driftline.store.database import Tx
from driftline.store.write_changes import write_changes

_RUN: Final = (
    "id", "watch_id", "fence", "run_key", "started_at", "completed_at", "status", "outcome", "reason",
    "counters", "warnings", "suppressed", "diagnostics", "judged_at",
)  # fmt: skip
_AFTER: Final = (
    ("id", "uuid"), ("recipe", "bytea"), ("etag", "text"), ("last_modified", "text"), ("body_hash", "bytea"),
    ("last_outcome", "text"), ("last_checked_at", "timestamptz"), ("last_change_at", "timestamptz"), ("failures", "int"),
    ("trouble", "text"), ("heat", "float8"), ("baseline_run_id", "uuid"), ("next_due_at", "timestamptz"),
)  # fmt: skip
_RELEASED: Final = (*_AFTER, ("lease_owner", "text"), ("lease_until", "timestamptz"))

_HELD: Final = """
SELECT w.id, w.lease_owner, w.fence, r.id FROM watches AS w LEFT JOIN runs AS r ON r.watch_id = w.id AND r.fence = w.fence
WHERE w.id {keys}
"""
_HELD_LOCKED: Final = f"{_HELD} ORDER BY w.id FOR UPDATE OF w"
_THERE: Final = """
SELECT p.id, p.total FROM runs AS r LEFT JOIN reports AS p ON p.run_id = r.id WHERE r.id = ? AND r.watch_id = ? AND r.fence = ?
"""


def record(tx: Tx, units: Sequence[tuple[Recording, Blobs]]) -> list[RecordResult]:
    """Answer every recording; those that may be written are."""
    recordings = [recording for recording, _ in units]
    refused = _refused(tx, recordings)
    quick: list[Recording] = []
    answers: list[RecordResult] = []
    for recording, blobs in units:
        answer = refused.get(recording.run.id)
        if answer is None and _is_quick(recording):
            quick.append(recording)
            answer = Recorded(run_id=recording.run.id, report_id=None, changes=0)
        answers.append(answer or _write(tx, recording, blobs))
    _write_runs(tx, quick)
    return answers


def _is_quick(recording: Recording) -> bool:
    """Nothing but the run itself; what streams has to be looked at."""
    return not (recording.items or recording.left or recording.changes or recording.masks)


def _refused(tx: Tx, recordings: Sequence[Recording]) -> dict[UUID, RecordResult]:
    """Those that must not be written, with their answer. Holds the watches from here to the commit."""
    held = {
        tx.codec.id(watch_id): (owner, fence, tx.codec.id_or_none(run_id))
        for watch_id, owner, fence, run_id in tx.among(
            _HELD_LOCKED if tx.postgres else _HELD,
            sorted({recording.lease.watch_id for recording in recordings}),
        )
    }
    refused: dict[UUID, RecordResult] = {}
    taken: set[UUID] = set()  # watches that a recording of this very group is going to use up
    for recording in recordings:
        lease, run = recording.lease, recording.run
        owner, fence, run_id = held.get(lease.watch_id, (None, None, None))
        if (owner, fence, run_id) != (lease.owner, lease.fence, None) or lease.watch_id in taken:
            refused[run.id] = _there(tx, run) or Stale()
            continue
        if run.run_key is not None:
            first = tx.row("SELECT id FROM runs WHERE watch_id = ? AND run_key = ?", (run.watch_id, run.run_key))
            if first is not None:
                refused[run.id] = Repeated(run_id=tx.codec.id(first[0]))
                continue
        taken.add(lease.watch_id)
    return refused


def _there(tx: Tx, run: Run) -> Recorded | None:
    """The answer that was lost on its way: this very run was committed before."""
    found = tx.row(_THERE, (run.id, run.watch_id, run.fence))
    if found is None:
        return None
    report_id, total = found
    return Recorded(run_id=run.id, report_id=tx.codec.id_or_none(report_id), changes=total or 0)


def _write(tx: Tx, recording: Recording, blobs: Blobs) -> RecordResult:
    """One run with all that it leaves behind."""
    if tx.postgres:  # writers of one source take turns, so that checked versions and absent keys stay as they were
        tx.run("SELECT id FROM sources WHERE id = ? FOR UPDATE", (recording.watch.source_id,))
    outdated = write_items.outdated(tx, recording)
    if outdated:
        return Outdated(keys=outdated)
    _insert_runs(tx, [recording.run])
    write_items.write_items(tx, recording, blobs)
    write_items.close_intervals(tx, recording)
    write_items.write_masks(tx, recording)
    changes = write_changes(tx, recording)
    if not changes and recording.run.outcome == "changed":
        recording = _nothing_new(recording)
        tx.run("UPDATE runs SET outcome = ? WHERE id = ?", (recording.run.outcome, recording.run.id))
    _update_watches(tx, [recording])
    return Recorded(run_id=recording.run.id, report_id=recording.report_id if changes else None, changes=changes)


def _nothing_new(recording: Recording) -> Recording:
    """Every change stood already under its dedupe key: no report, and the run found nothing."""
    after = msgspec.structs.replace(recording.after, last_outcome="unchanged", last_change_at=recording.watch.last_change_at)
    return msgspec.structs.replace(recording, run=msgspec.structs.replace(recording.run, outcome="unchanged"), after=after)


def _write_runs(tx: Tx, recordings: Sequence[Recording]) -> None:
    _insert_runs(tx, [recording.run for recording in recordings])
    _update_watches(tx, recordings)


def _insert_runs(tx: Tx, runs: Sequence[Run]) -> None:
    bulk.insert(tx, "runs", _RUN, [_run_row(run) for run in runs])


def _run_row(run: Run) -> tuple[Any, ...]:
    return (
        run.id, run.watch_id, run.fence, run.run_key, run.started_at, run.completed_at, run.status, run.outcome, run.reason,
        dumps_or_null(run.counters), dumps_or_null(run.warnings), dumps_or_null(run.suppressed), dumps_or_null(run.diagnostics),
        run.judged_at,
    )  # fmt: skip


def _update_watches(tx: Tx, recordings: Sequence[Recording]) -> None:
    bulk.update(tx, "watches", _RELEASED, [(*_after_row(one), None, None) for one in recordings if one.release])
    bulk.update(tx, "watches", _AFTER, [_after_row(one) for one in recordings if not one.release])


def _after_row(recording: Recording) -> tuple[Any, ...]:
    after, seen = recording.after, recording.after.validators
    return (
        recording.lease.watch_id, after.recipe, seen.etag, seen.last_modified, seen.body_hash, after.last_outcome,
        after.last_checked_at, after.last_change_at, after.failures, after.trouble, after.heat, after.baseline_run_id,
        after.next_due_at,
    )  # fmt: skip
