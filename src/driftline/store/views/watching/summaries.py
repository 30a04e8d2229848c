"""Summaries of watches for lists: checks in progress, and the buckets of a parent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from driftline.kinds.registry import KINDS
from driftline.model.watch import Watch
from driftline.store.db.database import Tx
from driftline.store.watches import watch_rows


class CheckProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a watch is being checked, and its latest run."""

    watch: Watch
    held: bool  # a worker is checking it
    run_id: UUID | None  # of its latest run


class BucketSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The buckets of a watch, summarized."""

    buckets: int
    checked_at: datetime | None
    changed_at: datetime | None
    due_at: datetime | None
    failing: int  # buckets whose latest check failed
    opened: int  # buckets whose latest check found something

    def applied_to(self, watch: Watch) -> Watch:
        """The watch with the summary's times and state, as users see it."""
        if KINDS[watch.kind].traits.finds_children:
            return msgspec.structs.replace(watch, last_change_at=later_of(watch.last_change_at, self.changed_at))
        return msgspec.structs.replace(
            watch,
            last_checked_at=self.checked_at,
            last_change_at=self.changed_at,
            next_due_at=self.due_at,
            last_outcome=("changed" if self.opened else "unchanged") if self.checked_at else None,
        )


def later_of(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two instants."""
    return max(filter(None, (one, other)), default=None)


def progress(tx: Tx, org_id: UUID, watch_ids: Sequence[UUID], *, at: datetime) -> list[CheckProgress]:
    """Whether a worker is checking these, and their latest runs."""
    latest = "SELECT r.id FROM runs AS r WHERE r.watch_id = w.id ORDER BY r.started_at DESC, r.id DESC LIMIT 1"
    rows = tx.where_in(
        f"SELECT {watch_rows.SELECTED}, w.lease_until > ?, ({latest}) FROM watches AS w "  # noqa: S608 - constants
        "WHERE w.org_id = ? AND w.id {keys}",
        watch_ids,
        before=(at, org_id),
    )
    codec = tx.codec
    return [
        CheckProgress(watch=watch_rows.watch(codec, row), held=bool(row[-2]), run_id=codec.id_or_none(row[-1])) for row in rows
    ]


def bucket_summaries(tx: Tx, org_id: UUID, watch_ids: Sequence[UUID]) -> dict[UUID, BucketSummary]:
    """For those of these watches that have buckets: the summary of all buckets."""
    found = tx.where_in(
        "SELECT w.parent_id, count(*), max(w.last_checked_at), max(w.last_change_at), min(w.next_due_at), "
        "sum(CASE WHEN w.failures > 0 THEN 1 ELSE 0 END), sum(CASE WHEN w.last_outcome = 'changed' THEN 1 ELSE 0 END) "
        "FROM watches AS w WHERE w.org_id = ? AND w.retired_at IS NULL AND w.parent_id {keys} GROUP BY w.parent_id",
        watch_ids,
        before=(org_id,),
    )
    at = tx.codec.at_or_none
    return {
        tx.codec.id(parent): BucketSummary(
            buckets=count,
            checked_at=at(checked),
            changed_at=at(changed),
            due_at=at(due),
            failing=int(failing),
            opened=int(opened),
        )
        for parent, count, checked, changed, due, failing, opened in found
    }
