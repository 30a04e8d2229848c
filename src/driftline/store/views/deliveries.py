"""Deliveries of an org: listed, shown, retried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from driftline.errors import Refused
from driftline.model.delivery import FINAL_STATES, Delivery, State
from driftline.store.accounts import account_rows
from driftline.store.db.codec import Codec
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, instant_and_id, page, unindexed, uuid_or_none
from driftline.store.rows import Page, Row

T = TypeVar("T")

_WIDTH: Final = account_rows.DELIVERY.count(",") + 1
DEAD: Final = "d.state = 'dead'"  # written as in the index, like the next ones
SKIPPED: Final = "d.state = 'skipped'"
WAITING: Final = "d.next_attempt_at IS NOT NULL"  # the states that are not final
_SELECT: Final = f"SELECT {account_rows.DELIVERY} FROM deliveries AS d"  # noqa: S608 - constants
# LEFT JOIN keeps the order, newest first; the joined rows always exist.
_LISTING: Final = (
    f"SELECT {account_rows.DELIVERY}, c.name, u.name, w.name, r.id, p.total FROM deliveries AS d "  # noqa: S608 - constants
    "LEFT JOIN channels AS c ON c.id = d.channel_id LEFT JOIN users AS u ON u.id = d.user_id "
    "LEFT JOIN reports AS p ON p.id = d.report_id LEFT JOIN runs AS r ON r.id = p.run_id "
    "LEFT JOIN watches AS w ON w.id = r.watch_id"
)
_OF_WATCH: Final = "SELECT p.id FROM runs AS r JOIN reports AS p ON p.run_id = r.id WHERE r.watch_id = ?"


class DeliveryListing(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery with its user, channel and headline."""

    delivery: Delivery
    channel: str
    user: str
    watch: str
    run_id: UUID
    total: int  # changes


class Deliveries:
    """The deliveries of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def page(
        self,
        *,
        states: Sequence[State] = (),
        user_id: UUID | None = None,
        channel_id: UUID | None = None,
        report_id: UUID | None = None,
        watch_id: UUID | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Delivery]:
        """Deliveries, newest first."""
        narrow = any(one is not None for one in (channel_id, report_id, watch_id))  # each of these has an index
        query = self._in_states(_SELECT, states, narrow=narrow)
        for column, value in (("user_id", user_id), ("channel_id", channel_id), ("report_id", report_id)):
            if value is not None:
                query.where(f"d.{column} = ?", value)
        if watch_id is not None:
            query.where(f"d.report_id IN ({_OF_WATCH})", watch_id)
        return self._page(query, partial(account_rows.delivery, self._tx.codec), limit, cursor)

    def listing(self, *, states: Sequence[State] = (), limit: int = 100, cursor: str | None = None) -> Page[DeliveryListing]:
        """Newest first, each with its reader and headline."""
        return self._page(self._in_states(_LISTING, states), partial(_listed, self._tx.codec), limit, cursor)

    def _in_states(self, select: str, states: Sequence[State], *, narrow: bool = False) -> Query:
        """Deliveries of the org in these states; for waiting ones alone, the small index of these is used."""
        waiting = bool(states) and FINAL_STATES.isdisjoint(states)
        query = Query(select).where(f"{unindexed(self._tx, 'd.org_id') if narrow or waiting else 'd.org_id'} = ?", self._org_id)
        if waiting:
            query.where(WAITING)
        if list(states) == ["dead"]:
            query.where(DEAD)
        elif list(states) == ["skipped"]:
            query.where(SKIPPED)
        elif states:
            query.where(f"d.state IN ({', '.join('?' * len(states))})", *states)
        return query

    def _page(self, query: Query, decode: Callable[[Row], T], limit: int, cursor: str | None) -> Page[T]:
        return page(
            self._tx,
            query,
            ("d.created_at", "d.id"),
            decode,
            instant_and_id(self._tx.codec, _WIDTH - 1),
            limit=limit,
            cursor=cursor,
            types=tuple[datetime, UUID],
        )

    def get(self, ref: str | UUID) -> Delivery:
        """By id, or the end of an id."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            query = self._query().where("d.id = ?", id_)
            rows = self._tx.rows(query.ordered(""), query.params)
        else:
            rows = by_suffix(self._tx, self._query(), "d.id", str(ref))
        return exactly_one(
            "delivery", str(ref), [account_rows.delivery(self._tx.codec, row) for row in rows], lambda one: one.id
        )

    def skip_reasons(self, report_id: UUID) -> list[str]:
        """Why a report was not sent, to whomever it was not sent."""
        rows = self._tx.rows(
            "SELECT DISTINCT reason FROM deliveries WHERE report_id = ? AND org_id = ? AND state = 'skipped' "
            "AND reason IS NOT NULL LIMIT 5",
            (report_id, self._org_id),
        )
        return [reason for (reason,) in rows]

    def counts(self) -> dict[str, int]:
        """The number of deliveries in each state."""
        return dict(self._tx.rows("SELECT state, count(*) FROM deliveries WHERE org_id = ? GROUP BY state", (self._org_id,)))

    def waiting(self) -> dict[str, int]:
        """The number of deliveries in each state that is not final: few, however many were sent."""
        query = Query("SELECT d.state, count(*) FROM deliveries AS d").where(WAITING)
        query.where(f"{unindexed(self._tx, 'd.org_id')} = ?", self._org_id)
        return dict(self._tx.rows(query.ordered("GROUP BY d.state"), query.params))

    def dead(self) -> int:
        """The number of failed deliveries."""
        return int(self._tx.row(f"SELECT count(*) FROM deliveries AS d WHERE d.org_id = ? AND {DEAD}", (self._org_id,))[0])  # noqa: S608 - ours

    def requeue(self, delivery_id: UUID, *, at: datetime) -> Delivery:
        """Try again from the start with the same id; refused if it was sent or is being sent."""
        delivery = self.get(delivery_id)
        if delivery.state not in {"dead", "skipped", "retrying"}:
            raise Refused(
                "a delivery in this state cannot be retried",
                state=delivery.state,
                hint="only dead, skipped and retrying deliveries can be",
            )
        self._requeue("d.id = ?", delivery_id, at)
        return self.get(delivery_id)

    def requeue_dead(self, *, at: datetime) -> int:
        """Try all failed deliveries again; returns how many there were."""
        return self._requeue(f"d.org_id = ? AND {DEAD}", self._org_id, at)

    def _requeue(self, which: str, key: UUID, at: datetime) -> int:
        return self._tx.run(
            "UPDATE deliveries AS d SET state = 'pending', reason = NULL, attempts = 0, lease_owner = NULL, "  # noqa: S608 - ours
            f"next_attempt_at = ? WHERE {which}",
            (at, key),
        )

    def _query(self) -> Query:
        return Query(_SELECT).where("d.org_id = ?", self._org_id)


def _listed(codec: Codec, row: Row) -> DeliveryListing:
    channel, user, watch, run_id, total = row[_WIDTH:]
    delivery = account_rows.delivery(codec, row[:_WIDTH])
    return DeliveryListing(delivery=delivery, channel=channel, user=user, watch=watch, run_id=codec.id(run_id), total=total)
