"""Parents and their buckets: child watches that are created, follow their parent's settings, and retire when they have passed.

A parent is never checked itself; its `next_due_at` says when its buckets have to be updated again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final
from uuid import UUID

from driftline.engine.ports import Expansion, Ids
from driftline.kinds.kind import Bucket
from driftline.model.watch import Watch
from driftline.store.db import bulk
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.rows import NewWatch
from driftline.store.views.watching.watches import Watches
from driftline.store.watches import watch_rows

_DUE: Final = f"""
SELECT {watch_rows.SELECTED} FROM watches AS w WHERE w.next_due_at IS NOT NULL AND w.paused_at IS NULL AND w.retired_at IS NULL
AND w.next_due_at <= ? AND w.kind = (SELECT c.kind FROM watches AS c WHERE c.parent_id = w.id LIMIT 1)
ORDER BY w.next_due_at LIMIT ?
"""  # noqa: S608 - constants
_CHILDREN: Final = f"""
SELECT {watch_rows.SELECTED} FROM watches AS w WHERE w.parent_id = ? AND (w.retired_at IS NULL OR w.bucket_key >= ?)
"""  # noqa: S608 - constants
_UPDATE: Final = (("id", "uuid"), ("url", "text"), ("name", "text"), ("tags", "jsonb"), ("rules", "jsonb"),
                    ("fetch", "jsonb"), ("schedule", "jsonb"), ("retired_at", "timestamptz"))  # fmt: skip

_RETRY_AFTER: Final = timedelta(hours=1)  # when a parent with unusable rules is tried again

Into = Callable[[Watch], Expansion | None]


def roll_due(tx: Tx, into: Into, *, ids: Ids, at: datetime, limit: int) -> int:
    """Bring the buckets of due parents up to date; returns the number of parents."""
    parents = [watch_rows.watch(tx.codec, row) for row in tx.rows(_DUE, (at, limit))]
    for parent in sorted(parents, key=attrgetter("id")):  # locked in a fixed order
        if not roll(tx, parent.org_id, parent.id, into, ids=ids, at=at):
            tx.run("UPDATE watches SET next_due_at = ? WHERE id = ?", (at + _RETRY_AFTER, parent.id))
    return len(parents)


def roll(tx: Tx, org_id: UUID, watch_id: UUID, into: Into, *, ids: Ids, at: datetime) -> bool:
    """Bring one watch's buckets up to date; False if it has none. Repeating it changes nothing."""
    watches = Watches(tx, org_id)
    if tx.postgres:  # locked: a second worker finds everything done
        tx.row("SELECT 1 FROM watches WHERE id = ? FOR UPDATE", (watch_id,))
    parent = watches.get(watch_id)
    expansion = into(parent)
    if expansion is None:
        return False
    expected = {bucket.key: bucket for bucket in expansion.buckets}
    existing = {child.bucket_key: child for child in _children(tx, parent.id, first=min(expected, default=""))}
    missing = [bucket for key, bucket in expected.items() if key not in existing]
    watches.add([_new(parent, bucket, expansion.scope, ids, at) for bucket in missing], at=at)
    moved = [
        (child, expected[key])
        for key, child in existing.items()
        if key in expected and not _is_up_to_date(child, parent, expected[key])
    ]
    bulk.update(tx, "watches", _UPDATE, [_update_row(child, parent, bucket) for child, bucket in moved])
    retired = [child.id for key, child in existing.items() if key not in expected and child.retired_at is None]
    tx.many("UPDATE watches SET retired_at = ? WHERE id = ?", [(at, child_id) for child_id in retired])
    tx.run("UPDATE watches SET next_due_at = ? WHERE id = ?", (expansion.next_at, parent.id))
    return True


def _children(tx: Tx, parent_id: UUID, *, first: str) -> list[Watch]:
    """Buckets that are active or may become so again; keys begin with their date, so that old ones are not read."""
    rows = tx.rows(_CHILDREN, (parent_id, first))
    return [watch_rows.watch(tx.codec, row) for row in rows]


def _new(parent: Watch, bucket: Bucket, scope: str, ids: Ids, at: datetime) -> NewWatch:
    return NewWatch(
        id=ids(),
        kind=parent.kind,
        scope=scope,
        url=bucket.url,
        name=bucket.name,
        tags=parent.tags,
        rules=parent.rules,
        fetch=parent.fetch,
        schedule=parent.schedule,
        parent_id=parent.id,
        bucket_key=bucket.key,
        next_due_at=at,
    )


def _is_up_to_date(child: Watch, parent: Watch, bucket: Bucket) -> bool:
    """Whether a bucket is as its parent would create it now."""
    return (
        child.retired_at is None
        and (child.url, child.name) == (bucket.url, bucket.name)
        and _inherited(child) == _inherited(parent)
    )


def _inherited(watch: Watch) -> tuple[object, ...]:
    return watch.tags, watch.rules, watch.fetch, watch.schedule


def _update_row(child: Watch, parent: Watch, bucket: Bucket) -> tuple[object, ...]:
    return (child.id, bucket.url, bucket.name, *map(dumps, _inherited(parent)), None)
