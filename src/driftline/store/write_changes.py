"""The report of a run and its changes: told once, whatever the number of times that a run is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from driftline.core.fingerprint import digest
from driftline.engine.ports import ChangeWrite, Recording
from driftline.model.run import Run
from driftline.store import bulk
from driftline.store.codec import dumps, dumps_or_null
from driftline.store.database import Tx

_LONGEST_KEY: Final = 255  # characters of a dedupe key that are kept as they are
_REPORT: Final = ("id", "run_id", "total", "counts", "warnings", "created_at")
_CHANGE: Final = (
    "id", "org_id", "watch_id", "run_id", "report_id", "item_id", "type", "severity", "headline", "url", "before", "after",
    "diff", "flags", "prev_snapshot_id", "next_snapshot_id", "dedupe_key", "created_at",
)  # fmt: skip
_BLOCK: Final = ("change_id", "position", "block_key", "action", "title", "text_excerpt", "metadata")


def write_changes(tx: Tx, recording: Recording) -> int:
    """The changes whose dedupe key is new, with their report; how many there were."""
    counts: Counter[str] = Counter()
    at = recording.run.completed_at or recording.run.started_at
    for part in bulk.chunks(recording.changes):
        fresh = _fresh(tx, recording, part)
        first = not counts
        counts.update(change.finding.type for _, change in fresh)
        if not fresh:
            continue
        if first:
            _insert_report(tx, recording, counts, at)
        else:
            tx.run(
                "UPDATE reports SET total = ?, counts = ? WHERE id = ?",
                (counts.total(), dumps(dict(counts)), recording.report_id),
            )
        bulk.insert(tx, "changes", _CHANGE, [_change(recording, key, change, at) for key, change in fresh])
        bulk.insert(tx, "change_blocks", _BLOCK, list(_blocks(change for _, change in fresh)))
    return counts.total()


def _fresh(tx: Tx, recording: Recording, part: Sequence[ChangeWrite]) -> list[tuple[str, ChangeWrite]]:
    """Insert-or-ignore, decided before: the watch is locked, so nobody else adds one."""
    by_key: dict[str, ChangeWrite] = {}
    for change in part:
        by_key.setdefault(_dedupe_key(recording.run, change), change)
    stored = {
        key
        for (key,) in tx.among(
            "SELECT dedupe_key FROM changes WHERE watch_id = ? AND dedupe_key {keys}",
            list(by_key),
            before=(recording.watch.id,),
        )
    }
    return [(key, change) for key, change in by_key.items() if key not in stored]


def _dedupe_key(run: Run, change: ChangeWrite) -> str:
    key = change.finding.dedupe_key
    if key is None:
        return f"{run.id}|{change.finding.type}|{change.item_id or ''}"
    return key if len(key) <= _LONGEST_KEY else f"xxh3:{digest(key.encode('utf-8', 'surrogatepass')).hex()}"


def _insert_report(tx: Tx, recording: Recording, counts: Counter[str], at: datetime) -> None:
    if recording.report_id is None:
        raise ValueError("a recording with changes carries a report id")
    run, told = recording.run, dumps(dict(counts))
    bulk.insert(tx, "reports", _REPORT, [(recording.report_id, run.id, counts.total(), told, dumps_or_null(run.warnings), at)])


def _change(recording: Recording, key: str, change: ChangeWrite, at: datetime) -> tuple[Any, ...]:
    found, watch = change.finding, recording.watch
    return (
        change.id, watch.org_id, watch.id, recording.run.id, recording.report_id, change.item_id, found.type,
        found.severity, found.headline, found.url or watch.url, _object(found.before), _object(found.after),
        _object(found.diff), dumps_or_null(found.flags), change.prev_snapshot_id, change.next_snapshot_id, key, at,
    )  # fmt: skip


def _object(value: dict[str, Any] | None) -> str | None:
    return None if value is None else dumps(value)


def _blocks(changes: Iterable[ChangeWrite]) -> Iterable[tuple[Any, ...]]:
    for change in changes:
        for position, block in enumerate(change.finding.blocks):
            yield (
                change.id, position, block.block_key, block.action, block.title, block.text_excerpt,
                dumps_or_null(block.metadata),
            )  # fmt: skip
