"""Open slots, slots that opened lately, and how long slots stay open."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, tzinfo
from functools import partial
from typing import TYPE_CHECKING, Final
from uuid import UUID

import msgspec

from driftline.store.db.codec import Codec, instant, loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, instant_and_id, like, page
from driftline.store.rows import Page, Row

if TYPE_CHECKING:
    from driftline.kinds.availability.lifetimes import Lifetimes
    from driftline.kinds.availability.releases import ReleasePattern
    from driftline.kinds.availability.slot import Slot

_SLOT: Final = "i.id, w.id, w.parent_id, w.name, w.bucket_key, i.state, m.from_at"
_OPEN: Final = "FROM watch_items AS m JOIN items AS i ON i.id = m.item_id JOIN watches AS w ON w.id = m.watch_id"
# Drops of runs after the baseline only: a slot of a new baseline is available, but did not just open. Of a slot that
# opened twice in the window, the later time counts.
_DROPPED: Final = """
m.watch_id = c.watch_id AND m.item_id = c.item_id AND c.run_id > w.baseline_run_id
AND NOT EXISTS (SELECT 1 FROM changes AS d WHERE d.watch_id = c.watch_id AND d.item_id = c.item_id AND d.type = 'drop'
    AND (d.created_at, d.id) > (c.created_at, c.id))
"""
# Two buckets may show one slot: it is listed once, with the bucket that showed it first.
_SHOWN_BEFORE: Final = """
SELECT 1 FROM watch_items AS n JOIN watches AS v ON v.id = n.watch_id
WHERE n.item_id = m.item_id AND n.to_run IS NULL AND v.retired_at IS NULL AND (n.from_at, n.watch_id) < (m.from_at, m.watch_id)
"""
_WITH_A_DROP: Final = """
AND EXISTS (SELECT 1 FROM changes AS e WHERE e.watch_id = n.watch_id AND e.item_id = n.item_id AND e.type = 'drop'
    AND e.created_at >= ? AND e.run_id > v.baseline_run_id)
"""
_OF_WATCH: Final = "AND (v.id = ? OR v.parent_id = ?)"
# Slots of a baseline were open before the first check: their lifetime is unknown.
_LIFETIMES: Final = """
SELECT i.state ->> 'provider' AS provider, i.state ->> 'venue_id' AS venue, i.state ->> 'venue_name' AS name, m.seconds
FROM ({newest}) AS m JOIN items AS i ON i.id = m.item_id
WHERE NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.id = m.from_run AND r.outcome = 'baseline') ORDER BY m.from_at
"""
_LIVED: Final = """
SELECT m.item_id, m.from_run, m.from_at, {seconds} AS seconds FROM watch_items AS m JOIN watches AS w ON w.id = m.watch_id
"""
_SECONDS: Final = {
    True: "extract(epoch FROM m.to_at - m.from_at)",
    False: "(m.to_at - m.from_at) / 1e6",
}  # on PostgreSQL or not
_DROPS: Final = """
SELECT c.after ->> 'provider' AS provider, c.after ->> 'venue_id' AS venue, c.created_at AS at
FROM changes AS c JOIN watches AS w ON w.id = c.watch_id
"""
_NEWEST: Final = 1_500  # slots and drops: lifetimes and release times are read from those


class OpenSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A slot that the latest complete check of its bucket showed."""

    watch_id: UUID
    parent_id: UUID | None
    watch_name: str
    bucket_key: str | None
    item_id: UUID
    slot: Slot
    opened_at: datetime
    dropped_at: datetime | None = None  # when it was reported; None in lists that do not load it
    change_id: UUID | None = None


class SlotFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which slots to list."""

    watch_id: UUID | None = None  # a bucket, or a parent of buckets
    venue: str | None = None  # its id, or a part of its name
    day: date | None = None
    party_size: int | None = None  # slots without a size match any
    starts_from: time | None = None
    starts_before: time | None = None


_ANY: Final = SlotFilter()


class VenueLifetime(msgspec.Struct, frozen=True, kw_only=True):
    """How long the slots of one venue stay open."""

    provider: str
    venue_id: str
    venue_name: str
    lifetimes: Lifetimes
    releases: ReleasePattern


class _Lived(msgspec.Struct, array_like=True, gc=False):
    """How long one slot of a venue was open."""

    provider: str
    venue_id: str
    venue_name: str | None
    seconds: float | None  # None: it is still open


class _Drop(msgspec.Struct, array_like=True, gc=False):
    """When a venue had a drop."""

    provider: str
    venue_id: str
    at: int | datetime


class Slots:
    """The slots of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def available(self, slot_filter: SlotFilter = _ANY, *, limit: int = 100, cursor: str | None = None) -> Page[OpenSlot]:
        """All open slots, earliest first."""
        return page(
            self._tx,
            self._unique_slots(self._filtered(Query(f"SELECT {_SLOT} {_OPEN}"), slot_filter), slot_filter),
            ("i.state ->> 'time'", "i.id"),
            partial(_open_slot, self._tx.codec),
            self._time_and_id,
            limit=limit,
            cursor=cursor,
            newest_first=False,
            types=tuple[str, UUID],
        )

    def _time_and_id(self, row: Row) -> tuple[str, UUID]:
        found = _open_slot(self._tx.codec, row)
        return found.slot.time, found.item_id

    def just_opened(
        self,
        *,
        since_at: datetime,
        slot_filter: SlotFilter = _ANY,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[OpenSlot]:
        """Slots that opened since an instant and are still open, newest first."""
        if self._tx.postgres:  # forces PostgreSQL to read drops in order, only as many as are shown, instead of all open slots
            slot = self._unique_slots(
                self._filtered(Query(f"SELECT {_SLOT} {_OPEN}").where(_DROPPED), slot_filter), slot_filter, since_at
            )
            each = f"CROSS JOIN LATERAL ({slot.ordered('OFFSET 0')}) AS slot"
            query = Query(f"SELECT slot.*, c.created_at, c.id FROM changes AS c {each}", *slot.params)  # noqa: S608 - our words
        else:
            slot = Query(f"SELECT {_SLOT}, c.created_at, c.id {_OPEN} JOIN changes AS c").where(_DROPPED)
            query = self._unique_slots(self._filtered(slot, slot_filter), slot_filter, since_at)
        return page(
            self._tx,
            query.where("c.type = 'drop'").where("c.org_id = ?", self._org_id).where("c.created_at >= ?", since_at),
            ("c.created_at", "c.id"),
            partial(_open_slot, self._tx.codec),
            instant_and_id(self._tx.codec, -2, -1),
            limit=limit,
            cursor=cursor,
            types=tuple[datetime, UUID],
        )

    def lifetimes(self, *, watch_id: UUID | None = None, zone: tzinfo = UTC) -> list[VenueLifetime]:
        """For every venue of the newest slots, how long they stayed open."""
        from driftline.kinds.availability.lifetimes import lifetimes  # noqa: PLC0415 - few commands need the kind
        from driftline.kinds.availability.releases import release_pattern  # noqa: PLC0415 - likewise

        select = _LIVED.format(seconds=_SECONDS[self._tx.postgres])
        query = self._of_watch(Query(select).where("w.org_id = ?", self._org_id), watch_id)
        query.where("w.kind = 'availability'")
        newest = query.ordered("ORDER BY m.from_at DESC LIMIT ?", _NEWEST)
        lived: dict[tuple[str, str], list[float | None]] = {}
        names: dict[tuple[str, str], str] = {}
        ordered = _LIFETIMES.format(newest=newest)
        for one in self._tx.document(_Lived, ordered, query.params, columns="provider, venue, name, seconds"):
            venue = (one.provider, one.venue_id)
            lived.setdefault(venue, []).append(one.seconds)
            if one.venue_name or venue not in names:
                names[venue] = one.venue_name or ""
        drops = self._drops(watch_id)
        return [
            VenueLifetime(
                provider=venue[0],
                venue_id=venue[1],
                venue_name=names[venue],
                lifetimes=lifetimes(seconds),
                releases=release_pattern(drops.get(venue, ()), zone),
            )
            for venue, seconds in sorted(lived.items())
        ]

    def _drops(self, watch_id: UUID | None) -> dict[tuple[str, str], list[datetime]]:
        """When each venue had a drop, of the newest drops."""
        query = self._of_watch(Query(_DROPS).where("c.org_id = ?", self._org_id).where("c.type = 'drop'"), watch_id)
        found: dict[tuple[str, str], list[datetime]] = {}
        latest = query.ordered("ORDER BY c.created_at DESC LIMIT ?", _NEWEST)
        for one in self._tx.document(_Drop, latest, query.params, columns="provider, venue, at"):
            if (at := instant(one.at)) is not None:
                found.setdefault((one.provider, one.venue_id), []).append(at)
        return found

    def _filtered(self, query: Query, slot_filter: SlotFilter) -> Query:
        query.where("w.org_id = ?", self._org_id).where("w.kind = 'availability'")
        query.where("w.retired_at IS NULL").where("m.to_run IS NULL")
        self._of_watch(query, slot_filter.watch_id)
        if slot_filter.venue is not None:
            named = "(i.state ->> 'venue_id' = ? OR lower(i.state ->> 'venue_name') LIKE ? ESCAPE '!')"
            query.where(named, slot_filter.venue, like(slot_filter.venue))
        if slot_filter.day is not None:
            query.where("substr(i.state ->> 'time', 1, 10) = ?", slot_filter.day.isoformat())
        if slot_filter.starts_from is not None:
            query.where("substr(i.state ->> 'time', 12, 5) >= ?", f"{slot_filter.starts_from:%H:%M}")
        if slot_filter.starts_before is not None:
            query.where("substr(i.state ->> 'time', 12, 5) < ?", f"{slot_filter.starts_before:%H:%M}")
        if slot_filter.party_size is not None:
            if self._tx.postgres:
                offered = "i.state -> 'party_sizes' @> to_jsonb(CAST(? AS int))"
            else:
                offered = "EXISTS (SELECT 1 FROM json_each(i.state, '$.party_sizes') AS n WHERE n.value = ?)"
            query.where(f"(i.state -> 'party_sizes' IS NULL OR {offered})", slot_filter.party_size)
        return query

    def _unique_slots(self, query: Query, slot_filter: SlotFilter, since_at: datetime | None = None) -> Query:
        """Each slot once among those that match; `since_at`: only slots that opened since then are listed."""
        dropped = "" if since_at is None else _WITH_A_DROP
        narrowed = "" if slot_filter.watch_id is None else _OF_WATCH
        params = (*(() if since_at is None else (since_at,)), *((slot_filter.watch_id,) * 2 if narrowed else ()))
        return query.where(f"NOT EXISTS ({_SHOWN_BEFORE}{dropped}{narrowed})", *params)

    def _of_watch(self, query: Query, watch_id: UUID | None) -> Query:
        return query if watch_id is None else query.where("(w.id = ? OR w.parent_id = ?)", watch_id, watch_id)


def _open_slot(codec: Codec, row: Row) -> OpenSlot:
    """The slot of a row of either list."""
    from driftline.kinds.availability.slot import Slot  # noqa: PLC0415 - few commands need the kind

    item_id, watch_id, parent_id, watch_name, bucket_key, state, from_at, *drop = row
    return OpenSlot(
        watch_id=codec.id(watch_id),
        parent_id=codec.id_or_none(parent_id),
        watch_name=watch_name,
        bucket_key=bucket_key,
        item_id=codec.id(item_id),
        slot=loads(state, Slot),
        opened_at=codec.at(from_at),
        dropped_at=codec.at(drop[0]) if drop else None,
        change_id=codec.id(drop[1]) if drop else None,
    )
