"""Child watches that a run of their parent found: added, brought back, retired, and kept like their parent.

All of it is written in the transaction of the run, so that a page is reported if and only if it is watched.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from driftline.core.identity.fingerprint import digest, spread
from driftline.engine.recording import ChildrenWrite, NewChild
from driftline.model.watch import ChildCheck, Watch
from driftline.policy.retention import QUIET_RUNS
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.rows import NewWatch
from driftline.store.views.watching.watches import Watches

_EXISTING: Final = "SELECT bucket_key FROM watches WHERE parent_id = ? AND bucket_key {keys}"
_FOLLOWS: Final = """
UPDATE watches SET tags = ?, rules = ?, "fetch" = ?, schedule = ? WHERE parent_id = ? AND retired_at IS NULL
AND (tags <> ? OR rules <> ? OR "fetch" <> ? OR schedule <> ?)
"""
# A run is known to come right before another if none between them can have been deleted.
_CHECKS: Final = f"""
SELECT w.bucket_key, w.last_checked_at,
  (SELECT max(p.started_at) FROM runs AS p WHERE p.watch_id = w.id AND p.status = 'completed' AND p.started_at < t.started_at),
  (SELECT k.started_at FROM runs AS k WHERE k.watch_id = w.id ORDER BY k.started_at DESC LIMIT 1 OFFSET {QUIET_RUNS - 1})
FROM watches AS w LEFT JOIN runs AS t ON t.id = (
  SELECT c.run_id FROM changes AS c WHERE c.watch_id = w.id AND c.item_id IS NOT NULL
  ORDER BY c.created_at DESC, c.id DESC LIMIT 1)
WHERE w.parent_id = ? AND w.retired_at IS NULL AND w.failures = 0 AND w.last_checked_at IS NOT NULL
"""  # noqa: S608 - a constant
_RESTS: Final = """
UPDATE watches SET next_due_at = ? WHERE parent_id = ? AND bucket_key = ? AND next_due_at < ? AND failures = 0
"""
_AFTER_PARENT: Final = 0.05  # of the parent's interval: a child that rests is due so long after it
_SPREAD: Final = 0.1  # of it, over which such children are spread


def checks(tx: Tx, parent: Watch) -> list[ChildCheck]:
    """The latest checks of the child watches, without those that failed."""
    at, found = tx.codec.at_or_none, []
    for key, checked, before, kept in tx.rows(_CHECKS, (parent.id,)):
        before_at, kept_at = at(before), at(kept)
        known = before_at is not None and (kept_at is None or before_at >= kept_at)
        found.append(ChildCheck(key=key, checked_at=tx.codec.at(checked), changed_after_at=before_at if known else None))
    return found


def write(tx: Tx, parent: Watch, children: ChildrenWrite, *, at: datetime, next_at: datetime | None) -> None:
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
    followed = tx.run(_FOLLOWS, (*settings, parent.id, *settings))
    if next_at is not None and not followed:  # with new settings, all of them are fetched
        tx.many(_RESTS, [(due := _due_after(key, at, next_at), parent.id, key, due) for key in children.resting])


def _due_after(key: str, at: datetime, next_at: datetime) -> datetime:
    """A time shortly after the next check of the parent, which may let the child rest again."""
    share = spread(int.from_bytes(digest(key.encode())[:8], "big"), 0)
    return next_at + (next_at - at) * (_AFTER_PARENT + _SPREAD * share)


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
