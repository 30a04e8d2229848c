"""Price and stock of items over time, from their snapshots: products of catalogs, and product pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.price_statistics import PriceSince, PriceStatistics, price_statistics
from driftline.errors import NotFound, UsageError
from driftline.store.db.codec import loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, uuid_or_none
from driftline.store.runs.baseline_queries import code_of_item

PRICED: Final = ("page", "catalog")  # kinds whose states have a price
_ITEM: Final = "SELECT i.id, i.url, i.title FROM items AS i JOIN sources AS o ON o.id = i.source_id"
_MEMBER: Final = f"{_ITEM} JOIN watch_items AS m ON m.item_id = i.id AND m.to_run IS NULL"


class PricePoint(msgspec.Struct, frozen=True, kw_only=True):
    """Price and stock from an instant on."""

    at: datetime
    version: int
    price: str | None  # canonical decimal
    currency: str | None  # ISO 4217
    in_stock: bool | None


class PriceHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The price history of an item, oldest first. A price that stays the same is listed once."""

    item_id: UUID
    title: str
    url: str
    points: tuple[PricePoint, ...]

    def statistics_at(self, at: datetime) -> PriceStatistics | None:
        """Lows, highs, what it usually costs; of the currency of the latest price."""
        currency = next((point.currency for point in reversed(self.points) if point.price is not None), None)
        known = [
            PriceSince(point.at, Decimal(point.price) if point.price is not None and point.currency == currency else None)
            for point in self.points
        ]
        return price_statistics(known, currency, at=at)


class PriceState(msgspec.Struct, frozen=True):
    """The price fields of a stored state."""

    price: str | None = None
    currency: str | None = None
    in_stock: bool | None = None


def price_state(tx: Tx) -> str:
    """The part of a snapshot's state that has the price, in SQL."""
    offer = "s.state -> 'offer'" if tx.postgres else "json_extract(s.state, '$.offer')"
    return f"COALESCE({offer}, s.state)"


def cheapest_first(histories: Iterable[PriceHistory]) -> list[PriceHistory]:
    """The same thing in several shops: those in stock first, then by price.

    Amounts in two currencies are not compared: those of the currency that most ask for come first.
    """
    listed = list(histories)
    by_currency = Counter(one.points[-1].currency for one in listed if one.points and one.points[-1].price is not None)
    usual = by_currency.most_common(1)[0][0] if by_currency else None

    def place(history: PriceHistory) -> tuple[bool, bool, Decimal]:
        point = history.points[-1] if history.points else None
        if point is None or point.price is None:
            return True, True, Decimal(0)
        return point.currency != usual, point.in_stock is False, Decimal(point.price)

    return sorted(listed, key=place)


class Prices:
    """The price histories of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def of_item(self, ref: str) -> PriceHistory:
        """The history of the item with this id, address, or unique id suffix."""
        id_ = uuid_or_none(ref)
        if id_ is None and "://" in ref:
            query = self._items().where("i.url = ?", ref).where(f"i.kind IN ({', '.join('?' * len(PRICED))})", *PRICED)
            rows = self._tx.rows(query.ordered("ORDER BY i.id LIMIT 3"), query.params)
        elif id_ is None:
            rows = by_suffix(self._tx, self._items(), "i.id", ref)
        else:
            query = self._items().where("i.id = ?", id_)
            rows = self._tx.rows(query.ordered(""), query.params)
        raw_id, url, title = exactly_one("item", ref, rows, lambda row: f"{row[1]} ({self._tx.codec.id(row[0]).hex[-8:]})")
        (history,) = self._histories([(raw_id, url, title)])
        return history

    def same_as(self, item_id: UUID, *, limit: int = 50) -> list[PriceHistory]:
        """The histories of a product and of those of other shops with its GTIN, or its brand and part number."""
        code = code_of_item(self._tx)
        own = Query(f"SELECT {code} FROM items AS i JOIN sources AS o ON o.id = i.source_id").where("i.id = ?", item_id)  # noqa: S608 - constants
        row = self._tx.row(own.where("o.org_id = ?", self._org_id).ordered(""), own.params)
        if row is None or not row[0]:
            return [self.of_item(str(item_id))]
        query = self._items().where("i.kind = 'catalog'").where(f"{code} = ?", row[0])
        return self._histories(self._tx.rows(query.ordered("ORDER BY i.first_seen_at, i.id LIMIT ?", limit), query.params))

    def of_watch(self, watch_id: UUID, *, limit: int = 100) -> list[PriceHistory]:
        """The histories of the watch's items that ever had a price, in the order in which they were first seen."""
        kind = self._tx.row("SELECT kind FROM watches WHERE id = ? AND org_id = ?", (watch_id, self._org_id))
        if kind is None:
            raise NotFound("no such watch", ref=str(watch_id))
        if kind[0] not in PRICED:
            raise UsageError("its items have no prices", kind=kind[0], hint="name a watch of kind page or catalog")
        query = Query(_MEMBER).where("o.org_id = ?", self._org_id).where("m.watch_id = ?", watch_id)
        rows = self._tx.rows(query.ordered("ORDER BY i.first_seen_at, i.id LIMIT ?", limit), query.params)
        return [history for history in self._histories(rows) if history.points]

    def _items(self) -> Query:
        return Query(_ITEM).where("o.org_id = ?", self._org_id)

    def _histories(self, items: Iterable[Any]) -> list[PriceHistory]:
        shown = {raw_id: (url, title) for raw_id, url, title in items}
        rows = self._tx.where_in(
            f"SELECT s.item_id, s.run_started_at, s.version, {price_state(self._tx)} FROM snapshots AS s "  # noqa: S608 - constants
            "WHERE s.item_id {keys}",
            [self._tx.codec.id(raw_id) for raw_id in shown],
        )
        ordered = sorted(rows, key=lambda row: (str(row[0]), row[2]))
        points = {raw_id: self._points(group) for raw_id, group in groupby(ordered, key=lambda row: row[0])}
        return [
            PriceHistory(item_id=self._tx.codec.id(raw_id), title=title, url=url, points=points.get(raw_id, ()))
            for raw_id, (url, title) in shown.items()
        ]

    def _points(self, rows: Iterable[Any]) -> tuple[PricePoint, ...]:
        found: list[PricePoint] = []
        before = PriceState()
        for _, at, version, state in rows:
            state_then: PriceState = loads(state, PriceState)
            if state_then.price is not None:
                state_then = msgspec.structs.replace(state_then, price=canonical(Decimal(state_then.price)))
            if state_then == before or (state_then.price is None and state_then.in_stock is None):
                continue
            before = state_then
            found.append(
                PricePoint(
                    at=self._tx.codec.at(at),
                    version=version,
                    price=state_then.price,
                    currency=state_then.currency,
                    in_stock=state_then.in_stock,
                )
            )
        return tuple(found)
