"""One item: a product with its prices, a slot, an article, with every version that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath
from markupsafe import Markup

from driftline.core.commerce.product_codes import FIELD as CODE
from driftline.model.change import Change
from driftline.model.watch import Watch
from driftline.store.rows import ItemRow, Page, SnapshotRef
from driftline.store.session import OrgData
from driftline.store.views.results.prices import PRICED, PriceHistory, PricePoint
from driftline.web import charts
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.cards import Side, field_name, field_value, price_text
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.results import offers
from driftline.web.pages.results.feed import feed
from driftline.web.pages.results.versions import reported, watch_of

VERSIONS_SHOWN: Final = 50
_HIDDEN: Final = frozenset(
    {"extra", "carried", "price_told", "price_told_at", "stock_told_at", "price_before", "basis", "content", "title", "url"}
)
_SHOWN_BY_PRICES: Final = frozenset({"price", "currency", "in_stock", "low", "high"})


class CurrentPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The present price of a product, and how it compares with earlier ones."""

    price: str
    in_stock: bool | None
    low: str
    high: str
    low_30: str  # of the last 30 days
    usual: str  # the median of 90 days
    against_usual: str  # how the price now stands to it: 12% below


class VariantRow(msgspec.Struct, frozen=True, kw_only=True):
    """A size or colour of a product."""

    name: str
    price: str
    in_stock: bool | None


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the price table."""

    at: Any
    price: str
    in_stock: bool | None


@get("/items/{item_id:uuid}", guards=[viewer])
async def one_item(request: Request[Any, Any, Any], caller: Caller, item_id: FromPath[UUID]) -> Response[str]:
    """Its history."""
    at = caller.now

    def find(
        data: OrgData,
    ) -> tuple[ItemRow, tuple[SnapshotRef, ...], Page[Change], PriceHistory | None, Watch | None, dict[UUID, Change], int]:
        item = data.items.get(item_id)
        changes = data.changes.page(item_id=item_id, limit=VERSIONS_SHOWN)
        prices = data.prices.of_item(str(item_id)) if item.kind in PRICED else None
        shops = len(data.prices.same_as(item_id)) if CODE in ((item.state or {}).get("extra") or {}) else 0
        holders = data.watches.some([one.watch_id for one in changes.rows[:1]])
        snapshots = data.items.snapshots(item_id, limit=VERSIONS_SHOWN).rows
        watch = next(iter(holders), None) or watch_of(data, item_id)
        return item, snapshots, changes, prices, watch, reported(data, item_id, snapshots), shops

    item, snapshots, changes, prices, watch, named, shops = await caller.read(find)
    points = prices.points if prices else ()
    state = item.state or {}
    return page(
        request,
        "item.html",
        item=item,
        watch=watch,
        snapshots=snapshots,
        reported=named,
        chart=price_chart(prices, until_at=at) if prices else "",
        any_gone=any(point.in_stock is False for point in points),
        latest=_current_price(prices, at) if prices else None,
        points=[Point(at=one.at, price=price_text(one.price, one.currency), in_stock=one.in_stock) for one in reversed(points)],
        variants=_variants(state),
        elsewhere=shops if shops > 1 else 0,
        facts=[
            Side(name=field_name(name), before="", after=value)
            for name in state
            if name not in _HIDDEN | (_SHOWN_BY_PRICES if points else frozenset()) and (value := field_value(name, state))
        ],
        days=feed(changes.rows, caller.identity.user.timezone, now=at),
    )


def price_chart(history: PriceHistory, *, until_at: Any) -> Markup:
    """The curve of one currency: the latest one, since amounts of two cannot share an axis."""
    currency = next((point.currency for point in reversed(history.points) if point.price is not None), None)
    samples = [
        charts.Sample(point.at, _number(point) if point.currency == currency else None, in_stock=point.in_stock is not False)
        for point in history.points
    ]
    title, unit = f"Price of {history.title}", currency or ""
    curves = (
        charts.line_chart(samples, until_at=until_at, title=title, unit=unit, size=size)
        for size in (charts.WIDE, charts.NARROW)
    )
    return Markup("".join(curves))  # noqa: S704 - numbers, and texts that the chart escapes


def _current_price(history: PriceHistory, at: datetime) -> CurrentPrice | None:
    if not history.points:
        return None
    latest, found = history.points[-1], history.statistics_at(at)
    month, quarter = found.last_days if found else (None, None)
    currency = found.currency if found else None
    return CurrentPrice(
        price=price_text(latest.price, latest.currency),
        in_stock=latest.in_stock,
        low=price_text(found.all_time.low, currency) if found else "",
        high=price_text(found.all_time.high, currency) if found else "",
        low_30=price_text(month.low, currency) if month else "",
        usual=price_text(quarter.median, currency) if quarter else "",
        against_usual=against_usual(quarter.discount_percent) if quarter else "",
    )


def _variants(state: Mapping[str, Any]) -> list[VariantRow]:
    """Sizes and colours, as a catalog stores them."""
    extra = state.get("extra")
    stored = extra.get("variants") if isinstance(extra, Mapping) else None
    return [
        VariantRow(name=name, price=price_text(one.get("price"), state.get("currency")), in_stock=one.get("in_stock"))
        for name, one in (stored.items() if isinstance(stored, Mapping) else ())
        if isinstance(one, Mapping)
    ]


def against_usual(percent: str) -> str:
    """`12% below`; empty where the price is the usual one."""
    below = Decimal(percent)
    return f"{abs(below):f}% {'below' if below > 0 else 'above'}" if below else ""


def _number(point: PricePoint) -> float | None:
    """For the curve alone: amounts themselves stay decimal."""
    try:
        return None if point.price is None else float(Decimal(point.price))
    except InvalidOperation:
        return None


ROUTES = (one_item, *offers.ROUTES)
