"""Child watches that a run of their parent found: added, brought back, retired, and kept like their parent.

All of it is written in the transaction of the run, so that a page is reported if and only if it is watched.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from driftline.engine.recording import ChildrenWrite, NewChild
from driftline.model.watch import Watch
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.rows import NewWatch
from driftline.store.views.watches import Watches

_EXISTING: Final = "SELECT bucket_key FROM watches WHERE parent_id = ? AND bucket_key {keys}"
_FOLLOWS: Final = """
UPDATE watches SET tags = ?, rules = ?, "fetch" = ?, schedule = ? WHERE parent_id = ? AND retired_at IS NULL
AND (tags <> ? OR rules <> ? OR "fetch" <> ? OR schedule <> ?)
"""


def write(tx: Tx, parent: Watch, children: ChildrenWrite, *, at: datetime) -> None:
    """Write what a run changed of the child watches. Repeating it changes nothing."""
    tx.many(
        "UPDATE watches SET retired_at = COALESCE(retired_at, ?) WHERE parent_id = ? AND bucket_key = ?",
        [(at, parent.id, key) for key in children.retired],
    )
    known = {row[0] for row in tx.where_in(_EXISTING, [child.key for child in children.added], before=(parent.id,))}
    tx.many(
        "UPDATE watches SET retired_at = NULL, next_due_at = ? WHERE parent_id = ? AND bucket_key = ?",
        [(at, parent.id, child.key) for child in children.added if child.key in known],
    )
    fresh = [_new(parent, children, child, at) for child in children.added if child.key not in known]
    watches = Watches(tx, parent.org_id)
    watches.add(fresh, at=at)
    if parent.paused_at is not None:
        tx.many("UPDATE watches SET paused_at = ? WHERE id = ?", [(parent.paused_at, child.id) for child in fresh])
    settings = [*map(dumps, (parent.tags, children.rules, children.fetch, parent.schedule))]
    tx.run(_FOLLOWS, (*settings, parent.id, *settings))


def _new(parent: Watch, children: ChildrenWrite, child: NewChild, at: datetime) -> NewWatch:
    return NewWatch(
        id=child.id,
        kind=children.kind,
        scope=f"watch:{child.id}",
        url=child.url,
        name=child.name,
        tags=parent.tags,
        rules=children.rules,
        fetch=children.fetch,
        schedule=parent.schedule,
        parent_id=parent.id,
        bucket_key=child.key,
        next_due_at=at,
    )
