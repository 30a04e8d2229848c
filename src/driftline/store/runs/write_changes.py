"""Writes the report of a run and its changes, once, however often the run is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from driftline.core.identity.fingerprint import digest
from driftline.engine.recording import ChangeWrite, RunReport
from driftline.model.run import Run
from driftline.store.db import bulk
from driftline.store.db.codec import dumps, dumps_or_null
from driftline.store.db.database import Tx
from driftline.store.runs import write_search

_MAX_KEY_LENGTH: Final = 255  # a longer dedupe key is hashed
_REPORT: Final = ("id", "run_id", "total", "counts", "warnings", "created_at")
_CHANGE: Final = (
    "id", "org_id", "watch_id", "run_id", "report_id", "item_id", "type", "severity", "headline", "url", "before", "after",
    "diff", "flags", "prev_snapshot_id", "next_snapshot_id", "dedupe_key", "created_at",
)  # fmt: skip
_MORE: Final = "UPDATE reports SET total = ?, counts = ? WHERE id = ?"
_BLOCK: Final = ("change_id", "position", "block_key", "action", "title", "text_excerpt", "metadata")


def write_changes(tx: Tx, run_reports: Sequence[RunReport]) -> dict[bytes, int]:
    """Insert changes whose dedupe key is new, with their reports; returns their number by run."""
    counts: dict[bytes, Counter[str]] = {}
    for part in bulk.chunks((run_report, change) for run_report in run_reports for change in run_report.changes):
        changes: list[tuple[Any, ...]] = []
        reports: list[tuple[Any, ...]] = []
        blocks: list[tuple[Any, ...]] = []
        documents: list[tuple[Any, ...]] = []
        for run_report, pairs in groupby(part, key=itemgetter(0)):
            fresh = _without_duplicates(
                tx, run_report, [change for _, change in pairs], first=run_report.run.id.bytes not in counts
            )
            by_type = counts.setdefault(run_report.run.id.bytes, Counter())
            if not fresh:
                continue
            begun = bool(by_type)
            by_type.update(change.finding.type for change in fresh.values())
            if begun:
                tx.run(_MORE, (by_type.total(), dumps(dict(by_type)), run_report.report_id))
            else:
                reports.append(_report(run_report, by_type))
            changes += [_change(run_report, key, change) for key, change in fresh.items()]
            blocks += _blocks(fresh.values())
            documents += _documents(run_report, fresh.values())
        bulk.insert(tx, "reports", _REPORT, reports)
        bulk.insert(tx, "changes", _CHANGE, changes)
        bulk.insert(tx, "blocks", _BLOCK, blocks)
        write_search.write(tx, documents)
    return {run_id: by_type.total() for run_id, by_type in counts.items()}


def _without_duplicates(tx: Tx, run_report: RunReport, part: Sequence[ChangeWrite], *, first: bool) -> dict[str, ChangeWrite]:
    """The changes that do not exist yet; the watch is locked, so nobody else can add one."""
    by_key: dict[str, ChangeWrite] = {}
    keys = []
    run_id = str(run_report.run.id)
    for change in part:
        key = _dedupe_key(run_id, change)
        by_key.setdefault(key, change)
        if not first or change.finding.dedupe_key is not None:  # a key with this run's id can only come from an earlier chunk
            keys.append(key)
    for (key,) in tx.where_in(
        "SELECT dedupe_key FROM changes WHERE watch_id = ? AND dedupe_key {keys}", keys, before=(run_report.watch.id,)
    ):
        by_key.pop(key, None)
    return by_key


def _dedupe_key(run_id: str, change: ChangeWrite) -> str:
    key = change.finding.dedupe_key
    if key is None:
        return f"{run_id}|{change.finding.type}|{change.item_id or ''}"
    return key if len(key) <= _MAX_KEY_LENGTH else f"xxh3:{digest(key.encode('utf-8', 'surrogatepass')).hex()}"


def _report(run_report: RunReport, counts: Counter[str]) -> tuple[Any, ...]:
    if run_report.report_id is None:
        raise ValueError("a run report with changes needs a report id")
    run = run_report.run
    return run_report.report_id, run.id, counts.total(), dumps(dict(counts)), dumps_or_null(run.warnings), _reported_at(run)


def _reported_at(run: Run) -> datetime:
    return run.completed_at or run.started_at


def _change(run_report: RunReport, key: str, change: ChangeWrite) -> tuple[Any, ...]:
    found, watch, run = change.finding, run_report.watch, run_report.run
    return (
        change.id, watch.org_id, watch.id, run.id, run_report.report_id, change.item_id, found.type, found.severity,
        found.headline, found.url or watch.url, _object(found.before), _object(found.after), _object(found.diff),
        dumps_or_null(found.flags), change.prev_snapshot_id, change.next_snapshot_id, key, _reported_at(run),
    )  # fmt: skip


def _documents(run_report: RunReport, changes: Iterable[ChangeWrite]) -> Iterable[tuple[Any, ...]]:
    """What a search finds of the changes."""
    watch, at = run_report.watch, _reported_at(run_report.run)
    owner = write_search.Owner(watch.org_id, watch.id, watch.parent_id)
    for change in changes:
        found = change.finding
        yield write_search.change_row(owner, change.id, change.item_id, found.type, found.headline, found.diff, at)


def _object(value: dict[str, Any] | None) -> str | None:
    return None if value is None else dumps(value)


def _blocks(changes: Iterable[ChangeWrite]) -> Iterable[tuple[Any, ...]]:
    for change in changes:
        for position, block in enumerate(change.finding.blocks):
            yield (
                change.id, position, block.block_key, block.action, block.title, block.text_excerpt,
                dumps_or_null(block.metadata),
            )  # fmt: skip
