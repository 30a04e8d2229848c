"""Which changes a user has read: all up to an instant, and those that were marked one by one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from driftline.model.delivery import NEW_ITEM
from driftline.store.db.codec import EARLIEST
from driftline.store.db.database import Tx
from driftline.store.db.query import Query

# A check takes a while, so a change may be stored after one that was found later: those of the last hour are marked one by one.
_STORED_LATE_FOR: Final = timedelta(hours=1)
_UNREAD: Final = """
(CASE WHEN c.created_at > ?
    THEN NOT EXISTS (SELECT 1 FROM read_marks AS r WHERE r.user_id = ? AND r.change_id = c.id AND r.is_read)
    ELSE EXISTS (SELECT 1 FROM read_marks AS r WHERE r.user_id = ? AND r.change_id = c.id AND NOT r.is_read) END)
"""
# The items of a watch's first run are no news: nobody has to read them.
_FIRST_RUN: Final = """
SELECT 1 FROM reports AS p JOIN runs AS r ON r.id = p.run_id WHERE p.id = c.report_id AND r.outcome = 'baseline'
"""
NOT_OF_FIRST_RUN: Final = f"(c.type <> '{NEW_ITEM}' OR NOT EXISTS ({_FIRST_RUN}))"


class ReadMarks:
    """What the users of one org have read."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def only_unread(self, query: Query, user_id: UUID) -> None:
        """Add to a query on `changes AS c` that the user has not read them; it starts at the oldest that may be unread."""
        until_at, oldest_at = self._bounds(user_id)
        query.where("c.created_at >= ?", min(until_at, oldest_at or until_at))
        query.where(_UNREAD, until_at, user_id, user_id)
        query.where(NOT_OF_FIRST_RUN)

    def unread(self, user_id: UUID, changes: Sequence[tuple[UUID, datetime]]) -> frozenset[UUID]:
        """Those of these changes, given with their times, that the user has not read."""
        until_at = self._read_until(user_id)
        rows = self._tx.where_in(
            "SELECT change_id, is_read FROM read_marks WHERE user_id = ? AND change_id {keys}",
            [id_ for id_, _ in changes],
            before=(user_id,),
        )
        marked = {self._tx.codec.id(id_): bool(is_read) for id_, is_read in rows}
        return frozenset(id_ for id_, at in changes if not marked.get(id_, at <= until_at))

    def count(self, user_id: UUID, *, at_most: int) -> int:
        """How many changes the user has not read, counted no further than `at_most`."""
        query = Query("SELECT 1 FROM changes AS c").where("c.org_id = ?", self._org_id)
        self.only_unread(query, user_id)
        return len(self._tx.rows(query.ordered("ORDER BY c.created_at DESC LIMIT ?", at_most), query.params))

    def mark(self, user_id: UUID, change_ids: Sequence[UUID], *, read: bool) -> int:
        """Mark changes as read or unread; returns how many were not so before. Unknown ones are left out."""
        rows = self._tx.where_in(
            "SELECT c.id, c.created_at FROM changes AS c WHERE c.org_id = ? AND c.id {keys}", change_ids, before=(self._org_id,)
        )
        known = [(self._tx.codec.id(id_), self._tx.codec.at(at)) for id_, at in rows]
        unread = self.unread(user_id, known)
        wrong = [id_ for id_, _ in known if (id_ in unread) is read]
        self._tx.many(
            "INSERT INTO read_marks (user_id, change_id, is_read) VALUES (?, ?, ?) "
            "ON CONFLICT (user_id, change_id) DO UPDATE SET is_read = excluded.is_read",
            [(user_id, id_, read) for id_ in wrong],
        )
        return len(wrong)

    def mark_all(self, user_id: UUID, *, until_at: datetime) -> None:
        """Mark every change up to an instant as read, whatever was said of it before."""
        before_at = max(until_at - _STORED_LATE_FOR, self._read_until(user_id))
        self._tx.run(
            "DELETE FROM read_marks WHERE user_id = ? AND change_id IN "
            "(SELECT id FROM changes WHERE org_id = ? AND created_at <= ?)",
            (user_id, self._org_id, max(until_at, before_at)),
        )
        self._tx.run("UPDATE users SET read_until_at = ? WHERE id = ? AND org_id = ?", (before_at, user_id, self._org_id))
        self._tx.run(
            "INSERT INTO read_marks (user_id, change_id, is_read) "
            "SELECT ?, c.id, ? FROM changes AS c WHERE c.org_id = ? AND c.created_at > ? AND c.created_at <= ?",
            (user_id, True, self._org_id, before_at, until_at),
        )

    def _read_until(self, user_id: UUID) -> datetime:
        row = self._tx.row("SELECT COALESCE(read_until_at, created_at) FROM users WHERE id = ?", (user_id,))
        return self._tx.codec.at(row[0]) if row else EARLIEST  # a user who is gone has read nothing

    def _bounds(self, user_id: UUID) -> tuple[datetime, datetime | None]:
        """Until when all is read but what was marked as unread, and the oldest of these."""
        row = self._tx.row(
            "SELECT min(c.created_at) FROM read_marks AS r JOIN changes AS c ON c.id = r.change_id "
            "WHERE r.user_id = ? AND NOT r.is_read",
            (user_id,),
        )
        return self._read_until(user_id), self._tx.codec.at_or_none(row[0] if row else None)
