"""Changes of an org: listed newest first, and one with its blocks and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.model.change import Block, Change, Severity
from driftline.model.delivery import NEW_ITEM, first_run_text
from driftline.store.db.codec import Codec, dumps, loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, instant_and_id, page, tagged, unindexed, uuid_or_none
from driftline.store.rows import ChangeDetail, Page, Row
from driftline.store.views.results.items import Items
from driftline.store.views.results.read_marks import NOT_OF_FIRST_RUN, ReadMarks

SELECT: Final = (
    "SELECT c.id, c.org_id, c.watch_id, c.run_id, c.report_id, c.item_id, c.type, c.severity, c.headline, c.url, c.before, "
    "c.after, c.diff, c.flags, c.prev_snapshot_id, c.next_snapshot_id, c.notified_at, c.created_at FROM changes AS c"
)
_NOT_NOTIFIED: Final = "SELECT id FROM changes WHERE notified_at IS NULL AND org_id = ? AND id {keys}"
# Two buckets of a board may show one slot: what the other said a moment ago, or shows still, is said once.
_SAID_BEFORE: Final = """
c.type <> 'drop' OR NOT EXISTS (
    SELECT 1 FROM changes AS e
    WHERE e.item_id = c.item_id AND e.type = 'drop' AND e.watch_id <> c.watch_id AND (e.created_at, e.id) < (c.created_at, c.id)
    AND (e.created_at >= {lately} OR EXISTS (
        SELECT 1 FROM watch_items AS m WHERE m.watch_id = e.watch_id AND m.item_id = e.item_id AND m.from_run = e.run_id
        AND (m.to_at IS NULL OR m.to_at >= c.created_at)
    ))
)
"""
# The items of a watch's first run are shown as one: its latest.
_FIRST_RUN_ONCE: Final = f"""({NOT_OF_FIRST_RUN} OR NOT EXISTS (
    SELECT 1 FROM changes AS n WHERE n.report_id = c.report_id AND n.type = '{NEW_ITEM}' AND n.id > c.id
))"""  # noqa: S608 - our words
LATELY: Final = ("c.created_at - 1800000000", "c.created_at - interval '30 minutes'")  # SQLite's microseconds, PostgreSQL
_AT: Final = SELECT.count(",")  # index of the column with its time


class Changes:
    """The changes of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def page(
        self,
        *,
        watch_id: UUID | None = None,
        run_id: UUID | None = None,
        item_id: UUID | None = None,
        since_at: datetime | None = None,
        until_at: datetime | None = None,
        types: Sequence[str] = (),
        severity: Severity | None = None,
        tag: str | None = None,
        notified: bool | None = None,
        unread_by: UUID | None = None,
        slots_once: bool = False,
        first_runs_once: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Change]:
        """Changes, newest first. A parent's are those of its buckets; `slots_once` leaves out what another bucket said.

        `first_runs_once` leaves out all items of a watch's first run but one. `unread_by` leaves out what this user has read.
        """
        narrow = watch_id is not None or run_id is not None or item_id is not None
        query = Query(SELECT).where(f"{unindexed(self._tx, 'c.org_id') if narrow else 'c.org_id'} = ?", self._org_id)
        if watch_id is not None:
            if self._tx.row("SELECT 1 FROM watches WHERE parent_id = ? LIMIT 1", (watch_id,)):
                query.where("c.watch_id IN (SELECT id FROM watches WHERE id = ? OR parent_id = ?)", watch_id, watch_id)
            else:
                query.where("c.watch_id = ?", watch_id)
                slots_once = False  # a bucket shows the slots of its own
        if run_id is not None:
            query.where("c.report_id = (SELECT id FROM reports WHERE run_id = ?)", run_id)
        if item_id is not None:
            query.where("c.item_id = ?", item_id)
        if since_at is not None:
            query.where("c.created_at >= ?", since_at)
        if until_at is not None:
            query.where("c.created_at < ?", until_at)
        if types:
            query.where(f"c.type IN ({', '.join('?' * len(types))})", *types)
        if severity is not None:
            query.where("c.severity = ?", severity)
        if notified is not None:
            query.where(f"c.notified_at IS {'NOT ' if notified else ''}NULL")
        if unread_by is not None:
            ReadMarks(self._tx, self._org_id).only_unread(query, unread_by)
        if slots_once:
            query.where(f"({_SAID_BEFORE.format(lately=LATELY[self._tx.postgres])})")
        if first_runs_once:
            query.where(_FIRST_RUN_ONCE)
        if tag is not None:
            self._with_tag(query, tag)
        return page(
            self._tx,
            query,
            ("c.created_at", "c.id"),
            lambda row: change_of(self._tx.codec, row),
            instant_and_id(self._tx.codec, _AT),
            limit=limit,
            cursor=cursor,
            types=tuple[datetime, UUID],
        )

    def first_runs(self, changes: Sequence[Change]) -> dict[UUID, str]:
        """What the first run of a watch found, by the report of those changes that are one of its items."""
        rows = self._tx.where_in(
            "SELECT p.id, r.counters FROM reports AS p JOIN runs AS r ON r.id = p.run_id "
            "JOIN watches AS w ON w.id = r.watch_id WHERE r.outcome = 'baseline' AND w.org_id = ? AND p.id {keys}",
            list({change.report_id for change in changes if change.type == NEW_ITEM}),
            before=(self._org_id,),
        )
        return {self._tx.codec.id(id_): first_run_text(loads(counted, dict[str, int]).get("total", 0)) for id_, counted in rows}

    def _with_tag(self, query: Query, tag: str) -> None:
        """Filter by tag in a form that lets PostgreSQL read changes in order, instead of starting with watches and sorting."""
        if self._tx.postgres:
            query.where("c.watch_id IN (SELECT w.id FROM watches AS w WHERE w.tags @> CAST(? AS jsonb))", dumps([tag]))
        else:
            fits, param = tagged(self._tx, tag)
            query.where(f"c.watch_id IN (SELECT w.id FROM watches AS w WHERE w.org_id = ? AND {fits})", self._org_id, param)  # noqa: S608 - our words

    def get(self, ref: str | UUID) -> ChangeDetail:
        """The change with this id, or the only one whose id ends so."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            query = self._query().where("c.id = ?", id_)
            rows = self._tx.rows(query.ordered(""), query.params)
        else:
            rows = by_suffix(self._tx, self._query(), "c.id", str(ref))
        change = exactly_one("change", str(ref), [change_of(self._tx.codec, row) for row in rows], lambda one: one.id)
        items = Items(self._tx, self._org_id)
        return ChangeDetail(
            change=change,
            blocks=self.blocks(change.id),
            previous=items.snapshot(change.prev_snapshot_id),
            next=items.snapshot(change.next_snapshot_id),
        )

    def notify(self, change_ids: Sequence[UUID], *, at: datetime) -> int:
        """Mark changes as notified; returns how many were not before."""
        before = (at, self._org_id)
        fresh = list(self._tx.where_in(_NOT_NOTIFIED, change_ids, before=(self._org_id,)))
        self._tx.update_in(
            "UPDATE changes SET notified_at = ? WHERE notified_at IS NULL AND org_id = ? AND id {keys}",
            change_ids,
            before=before,
        )
        return len(fresh)

    def blocks(self, change_id: UUID) -> tuple[Block, ...]:
        """The blocks of a changed page, in order."""
        rows = self._tx.rows(
            "SELECT b.block_key, b.action, b.title, b.text_excerpt, b.metadata FROM blocks AS b "
            "JOIN changes AS c ON c.id = b.change_id WHERE b.change_id = ? AND c.org_id = ? ORDER BY b.position",
            (change_id, self._org_id),
        )
        return tuple(
            Block(
                block_key=key,
                action=action,
                title=title,
                text_excerpt=excerpt,
                metadata=loads(more, dict[str, Any]) if more else {},
            )
            for key, action, title, excerpt, more in rows
        )

    def _query(self) -> Query:
        return Query(SELECT).where("c.org_id = ?", self._org_id)


def change_of(codec: Codec, row: Row) -> Change:
    """The change of a row of SELECT."""
    (
        id_, org_id, watch_id, run_id, report_id, item_id, type_, severity, headline, url, before, after, diff, flags,
        previous, following, notified_at, created_at,
    ) = row  # fmt: skip
    return Change(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        watch_id=codec.id(watch_id),
        run_id=codec.id(run_id),
        report_id=codec.id(report_id),
        item_id=codec.id_or_none(item_id),
        type=type_,
        severity=severity,
        headline=headline,
        url=url,
        before=_object(before),
        after=_object(after),
        diff=_object(diff),
        flags=_object(flags) or {},
        prev_snapshot_id=codec.id_or_none(previous),
        next_snapshot_id=codec.id_or_none(following),
        notified_at=codec.at_or_none(notified_at),
        created_at=codec.at(created_at),
    )


def _object(raw: str | bytes | None) -> dict[str, Any] | None:
    if raw is None:
        return None
    value: dict[str, Any] = loads(raw, dict[str, Any])
    return value
