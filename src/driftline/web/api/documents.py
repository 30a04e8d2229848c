"""The JSON documents of watches, runs, changes and items. Instants are RFC 3339 in UTC, amounts are text."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from driftline.model.change import Block, Change, Notice, Severity, Suppressed
from driftline.model.fetch import FetchOptions
from driftline.model.noise.mask import Mask
from driftline.model.run import Outcome, Run, Status
from driftline.model.watch import OwnSettings, Schedule, Watch
from driftline.store.rows import ChangeDetail, ItemRow, Report, SnapshotRef

_HIDDEN = "..."  # shown instead of a header's or cookie's value to users who may only read


class WatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A watch."""

    id: UUID
    name: str
    kind: str
    url: str
    tags: tuple[str, ...]
    rules: dict[str, Any]
    fetch: FetchOptions
    schedule: Schedule
    when: str  # when a change is sent; empty: always
    intent: str  # which changes are sent, as a model judges them; empty: all
    own: OwnSettings | None  # what the watch sets itself, where its tags set more; null: all of it
    parent: UUID | None
    bucket: str | None
    paused: bool
    retired: bool
    outcome: str | None
    trouble: str | None
    failures: int
    checked_at: datetime | None
    changed_at: datetime | None
    due_at: datetime | None
    created_at: datetime


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A run."""

    id: UUID
    watch: UUID
    run_key: str | None
    status: Status
    outcome: Outcome | None
    reason: str | None
    counters: dict[str, int]
    warnings: tuple[Notice, ...]
    suppressed: tuple[Suppressed, ...]
    diagnostics: dict[str, Any]
    started_at: datetime
    completed_at: datetime | None
    judged_at: datetime | None


class ChangeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A change."""

    id: UUID
    watch: UUID
    run: UUID
    report: UUID
    item: UUID | None
    type: str
    severity: Severity
    headline: str
    url: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    diff: dict[str, Any] | None
    flags: dict[str, Any]
    notified_at: datetime | None
    at: datetime
    read: bool | None = None  # by the caller; null where it is the same for everybody, as in the stream


class SnapshotDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A stored version of an item, without its content."""

    id: UUID
    item: UUID
    run: UUID
    version: int
    source_version: int | None
    fingerprint: str  # hex
    tier: str
    has_body: bool
    taken_at: datetime
    expires_at: datetime | None


class SnapshotPair(msgspec.Struct, frozen=True, kw_only=True):
    """The snapshots before and after a change; null if there was none or it expired."""

    previous: SnapshotDocument | None
    next: SnapshotDocument | None


class ChangeDetailDocument(ChangeDocument, frozen=True, kw_only=True):
    """A change with its diff, its blocks and the snapshots before and after it."""

    blocks: tuple[Block, ...]
    snapshots: SnapshotPair


class ReportDocument(msgspec.Struct, frozen=True, kw_only=True):
    """All changes of one run."""

    id: UUID
    run: UUID
    total: int
    counts: dict[str, int]
    warnings: tuple[Notice, ...]
    created_at: datetime


class ItemDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A thing with a stable key inside a source."""

    id: UUID
    kind: str
    key: str
    url: str
    title: str
    state: dict[str, Any] | None
    version: int
    first_seen_at: datetime


class MaskDocument(msgspec.Struct, frozen=True, kw_only=True):
    """An ignored area: where changes are not reported, and why."""

    id: UUID | None
    place: str
    skeleton: str
    evidence: str
    learned_at: datetime


def watch_document(watch: Watch, *, secrets: bool) -> WatchDocument:
    """A watch as it is shown; cookies and headers often hold secrets."""
    fetch, own = watch.fetch, watch.own
    if not secrets:
        fetch = _hidden(fetch)
        own = msgspec.structs.replace(own, fetch=_hidden(own.fetch)) if own else None
    return WatchDocument(
        id=watch.id,
        name=watch.name,
        kind=watch.kind,
        url=watch.url,
        tags=watch.tags,
        rules=watch.rules,
        fetch=fetch,
        schedule=watch.schedule,
        when=watch.when,
        intent=watch.intent,
        own=own,
        parent=watch.parent_id,
        bucket=watch.bucket_key,
        paused=watch.paused_at is not None,
        retired=watch.retired_at is not None,
        outcome=watch.last_outcome,
        trouble=watch.trouble,
        failures=watch.failures,
        checked_at=watch.last_checked_at,
        changed_at=watch.last_change_at,
        due_at=watch.next_due_at,
        created_at=watch.created_at,
    )


def _hidden(fetch: FetchOptions) -> FetchOptions:
    if not (fetch.headers or fetch.cookies or fetch.body):
        return fetch
    return msgspec.structs.replace(
        fetch,
        headers=dict.fromkeys(fetch.headers, _HIDDEN),
        cookies=dict.fromkeys(fetch.cookies, _HIDDEN),
        body=_HIDDEN if fetch.body else None,
    )


def run_document(run: Run) -> RunDocument:
    """A run as it is shown."""
    return RunDocument(
        id=run.id,
        watch=run.watch_id,
        run_key=run.run_key,
        status=run.status,
        outcome=run.outcome,
        reason=run.reason,
        counters=run.counters,
        warnings=run.warnings,
        suppressed=run.suppressed,
        diagnostics=run.diagnostics,
        started_at=run.started_at,
        completed_at=run.completed_at,
        judged_at=run.judged_at,
    )


def change_document(change: Change, *, read: bool | None = None) -> ChangeDocument:
    """A change as it is shown."""
    return ChangeDocument(**_change_fields(change), read=read)


def change_detail(detail: ChangeDetail, *, read: bool | None = None) -> ChangeDetailDocument:
    """A change with everything."""
    return ChangeDetailDocument(
        **_change_fields(detail.change),
        read=read,
        blocks=detail.blocks,
        snapshots=SnapshotPair(
            previous=None if detail.previous is None else snapshot_document(detail.previous),
            next=None if detail.next is None else snapshot_document(detail.next),
        ),
    )


def _change_fields(change: Change) -> dict[str, Any]:
    return change.shown() | {"report": change.report_id, "notified_at": change.notified_at}


def snapshot_document(ref: SnapshotRef) -> SnapshotDocument:
    """A stored version as it is shown."""
    return SnapshotDocument(
        id=ref.id,
        item=ref.item_id,
        run=ref.run_id,
        version=ref.version,
        source_version=ref.source_version,
        fingerprint=bytes(ref.fingerprint).hex(),
        tier=ref.tier,
        has_body=ref.blob_key is not None,
        taken_at=ref.run_started_at,
        expires_at=ref.expires_at,
    )


def report_document(report: Report) -> ReportDocument:
    """A report as it is shown."""
    return ReportDocument(
        id=report.id,
        run=report.run_id,
        total=report.total,
        counts=report.counts,
        warnings=report.warnings,
        created_at=report.created_at,
    )


def item_document(item: ItemRow) -> ItemDocument:
    """An item as it is shown."""
    return ItemDocument(
        id=item.id,
        kind=item.kind,
        key=item.key,
        url=item.url,
        title=item.title,
        state=item.state,
        version=item.version,
        first_seen_at=item.first_seen_at,
    )


def mask_document(mask: Mask) -> MaskDocument:
    """A mask as it is shown."""
    return MaskDocument(
        id=mask.id, place=mask.place, skeleton=mask.skeleton, evidence=mask.evidence, learned_at=mask.learned_at
    )
