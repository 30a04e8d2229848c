"""Writes recordings of runs in one grouped commit.

    lock the watches -> recorded already? stale? repeated? -> lock the sources -> items changed? -> write the group in bulk

An unchanged run costs one row in `runs` and one update in `watches`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.engine.recording import Outdated, Recorded, Recording, RecordResult, Repeated, Stale, WatchAfter
from driftline.model.run import Run
from driftline.store.blobs import Blobs
from driftline.store.db import bulk
from driftline.store.db.codec import dumps_or_null
from driftline.store.db.database import Tx
from driftline.store.queues import summaries
from driftline.store.queues.fanout import write_deliveries
from driftline.store.runs import pictures, verifications, write_items
from driftline.store.runs.write_changes import write_changes
from driftline.store.watches import children, last_seen

_RUN: Final = (
    "id", "watch_id", "fence", "run_key", "started_at", "completed_at", "status", "outcome", "reason",
    "counters", "warnings", "suppressed", "diagnostics", "judged_at",
)  # fmt: skip
_AFTER: Final = (
    ("id", "uuid"), ("recipe", "bytea"), ("etag", "text"), ("last_modified", "text"), ("body_hash", "bytea"),
    ("last_outcome", "text"), ("last_checked_at", "timestamptz"), ("last_change_at", "timestamptz"), ("failures", "int"),
    ("trouble", "text"), ("heat", "float8"), ("browser_until", "timestamptz"), ("browser_again_at", "timestamptz"),
    ("baseline_run_id", "uuid"),
    ("next_due_at", "timestamptz"),
)  # fmt: skip
_RELEASED: Final = (*_AFTER, ("lease_owner", "text"), ("lease_until", "timestamptz"))
_LEASED: Final = """
SELECT w.id, w.lease_owner, w.fence, r.id FROM watches AS w LEFT JOIN runs AS r ON r.watch_id = w.id AND r.fence = w.fence
WHERE w.id {keys}
"""
_LEASED_LOCKED: Final = f"{_LEASED} FOR UPDATE OF w"
_RECORDED: Final = """
SELECT p.id, p.total FROM runs AS r LEFT JOIN reports AS p ON p.run_id = r.id WHERE r.id = ? AND r.watch_id = ? AND r.fence = ?
"""


def record(tx: Tx, units: Sequence[tuple[Recording, Blobs]]) -> list[RecordResult]:
    """An answer for every recording; those that are not refused are written."""
    recordings = {recording.run.id.bytes: recording for recording, _ in units}  # a recording that came twice is written once
    answers = _refusals(tx, list(recordings.values()))
    for group in _by_source([recording for run_id, recording in recordings.items() if run_id not in answers]):
        _write(tx, group, units[0][1], answers)
    return [answers[recording.run.id.bytes] for recording, _ in units]


def _refusals(tx: Tx, recordings: Sequence[Recording]) -> dict[bytes, RecordResult]:
    """Recordings that must not be written, with their answers; locks the watches until the commit."""
    raw = tx.codec.raw_id
    watch_ids = [raw(recording.lease.watch_id) for recording in recordings]
    if tx.postgres:
        watch_ids.sort()  # a fixed order prevents deadlocks between processes
    held = {row[0]: row[1:] for row in tx.where_in(_LEASED_LOCKED if tx.postgres else _LEASED, watch_ids)}
    refused: dict[bytes, RecordResult] = {}
    for recording in recordings:
        lease, run = recording.lease, recording.run
        watch_id = raw(lease.watch_id)
        if held.get(watch_id) != (lease.owner, lease.fence, None):
            refused[run.id.bytes] = _already_recorded(tx, run) or Stale()
            continue
        del held[watch_id]  # one run per fence: a second recording in the same group is refused
        if run.run_key is not None and (first := _first_of_key(tx, run)) is not None:
            refused[run.id.bytes] = Repeated(run_id=first)
    return refused


def _already_recorded(tx: Tx, run: Run) -> Recorded | None:
    """The answer for a run that was committed before, whose answer was lost."""
    found = tx.row(_RECORDED, (run.id, run.watch_id, run.fence))
    if found is None:
        return None
    report_id, total = found
    return Recorded(run_id=run.id, report_id=tx.codec.id_or_none(report_id), changes=total or 0)


def _first_of_key(tx: Tx, run: Run) -> UUID | None:
    row = tx.row("SELECT id FROM runs WHERE watch_id = ? AND run_key = ?", (run.watch_id, run.run_key))
    return None if row is None else tx.codec.id(row[0])


def _by_source(recordings: Sequence[Recording]) -> Iterator[list[Recording]]:
    """Recordings that share a source go into successive groups, so that each sees what the earlier one wrote."""
    waiting = list(recordings)
    while waiting:
        group: dict[bytes, Recording] = {}
        waiting = [one for one in waiting if group.setdefault(one.watch.source_id.bytes, one) is not one]
        yield list(group.values())


def _write(tx: Tx, group: Sequence[Recording], blobs: Blobs, answers: dict[bytes, RecordResult]) -> None:
    """Write recordings of different sources completely."""
    check = None
    if moved := [recording for recording in group if recording.items]:
        check = write_items.check(tx, moved)
        for run_id, keys in check.outdated.items():
            answers[run_id] = Outdated(keys=keys)
        group = [recording for recording in group if recording.run.id.bytes not in check.outdated]
    bulk.insert(tx, "runs", _RUN, [_run_row(recording.run) for recording in group])
    if check is not None:
        write_items.write_items(tx, [recording for recording in group if recording.items], check.without_snapshot, blobs)
    if pictured := [recording for recording in group if recording.picture is not None]:
        pictures.write(tx, pictured, blobs)
    for recording in group:
        if recording.left:
            write_items.close_intervals(tx, recording)
        if recording.partial_observations:
            write_items.write_partial_observations(tx, recording)
        if recording.claims or recording.tried:
            verifications.write(tx, recording)
        if recording.masks:
            write_items.write_masks(tx, recording.watch.id, recording.masks)
        if recording.masks_in_use or recording.expired:
            write_items.update_masks(tx, recording)
        if recording.last_seen is not None:
            last_seen.write(tx, recording.watch.id, recording.last_seen)
        if recording.stale:
            summaries.enqueue(tx, recording)
        if recording.children is not None:
            at, next_at = recording.run.completed_at or recording.run.started_at, recording.after.next_due_at
            children.write(tx, recording.watch, recording.children, at=at, next_at=next_at)
    reported: Mapping[bytes, int] = {}
    if changed := [recording for recording in group if recording.changes]:
        reported = write_changes(tx, changed)
        write_deliveries(tx, [recording for recording in changed if reported.get(recording.run.id.bytes)])
    for recording in group:
        run = recording.run
        changes = reported.get(run.id.bytes, 0)
        answers[run.id.bytes] = Recorded(run_id=run.id, report_id=recording.report_id if changes else None, changes=changes)
        if not changes and run.outcome == "changed":
            tx.run("UPDATE runs SET outcome = 'unchanged' WHERE id = ?", (run.id,))
    after = [(one, _watch_after(one, reported)) for one in group]
    bulk.update(tx, "watches", _RELEASED, [(*_after_row(one, then), None, None) for one, then in after if one.release])
    bulk.update(tx, "watches", _AFTER, [_after_row(one, then) for one, then in after if not one.release])


def _watch_after(recording: Recording, reported: Mapping[bytes, int]) -> WatchAfter:
    """The watch's row as the engine set it, unless all changes were duplicates: then the run found nothing."""
    if recording.run.outcome != "changed" or reported.get(recording.run.id.bytes):
        return recording.after
    return msgspec.structs.replace(recording.after, last_outcome="unchanged", last_change_at=recording.watch.last_change_at)


def _run_row(run: Run) -> tuple[Any, ...]:
    return (
        run.id, run.watch_id, run.fence, run.run_key, run.started_at, run.completed_at, run.status, run.outcome, run.reason,
        dumps_or_null(run.counters), dumps_or_null(run.warnings), dumps_or_null(run.suppressed), dumps_or_null(run.diagnostics),
        run.judged_at,
    )  # fmt: skip


def _after_row(recording: Recording, after: WatchAfter) -> tuple[Any, ...]:
    seen = after.validators
    return (
        recording.lease.watch_id, after.recipe, seen.etag, seen.last_modified, seen.body_hash, after.last_outcome,
        after.last_checked_at, after.last_change_at, after.failures, after.trouble, after.heat, after.browser_until,
        after.browser_again_at, after.baseline_run_id, after.next_due_at,
    )  # fmt: skip
