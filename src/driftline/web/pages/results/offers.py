"""One product in several shops: who asks least now, for a unit too, and the prices of all in one chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter
from markupsafe import Markup

from driftline.core.commerce.amounts import per_unit
from driftline.errors import UsageError
from driftline.store.views.results.prices import PriceHistory, cheapest_first
from driftline.web import charts
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.cards import price_text
from driftline.web.pages.parts.rendering import page

COMPARED_AT_MOST: Final = 50


class OfferRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a shop asks for the product."""

    item_id: UUID
    shop: str
    label: str  # in the chart: the shop, and the product where the shop has several of them
    title: str
    price: str
    unit_price: str  # 2.40 EUR / kg
    in_stock: bool | None
    low: str  # of all time
    since: datetime
    curve: int  # its colour in the chart


@get("/items/{item_id:uuid}/offers", guards=[viewer])
async def same_product(request: Request[Any, Any, Any], caller: Caller, item_id: FromPath[UUID]) -> Response[str]:
    """A product and those of other shops with its code."""
    found = await caller.read(lambda data: data.prices.same_as(item_id, limit=COMPARED_AT_MOST))
    return _shown(request, found, caller.now)


@get("/prices", guards=[viewer])
async def chosen_products(
    request: Request[Any, Any, Any],
    caller: Caller,
    item: Annotated[list[UUID] | None, QueryParameter(description="an item's id; once for each, at most 50")] = None,
) -> Response[str]:
    """Products that a person joins by hand."""
    item = item or []
    if len(item) > COMPARED_AT_MOST:
        raise UsageError("too many items", count=len(item), hint=f"compare at most {COMPARED_AT_MOST}")
    found = await caller.read(lambda data: [data.prices.of_item(str(one)) for one in dict.fromkeys(item)])
    return _shown(request, found, caller.now)


def _shown(request: Request[Any, Any, Any], found: Sequence[PriceHistory], at: datetime) -> Response[str]:
    histories = [history for history in cheapest_first(found) if history.points]
    shops = Counter(map(_shop, histories))
    currency = next((one.points[-1].currency for one in histories if one.points[-1].price is not None), None)
    return page(
        request,
        "offers.html",
        title=histories[0].title if histories else "",
        offers=[_row(history, number, at, several=shops[_shop(history)] > 1) for number, history in enumerate(histories)],
        chart=_chart(histories, currency, at),
        csv="&".join(f"item={history.item_id}" for history in histories),
    )


def _shop(history: PriceHistory) -> str:
    return urlsplit(history.url).hostname or history.url


def _row(history: PriceHistory, number: int, at: datetime, *, several: bool) -> OfferRow:
    last, found = history.points[-1], history.statistics_at(at)
    unit = per_unit(history.title, Decimal(last.price)) if last.price is not None else None
    return OfferRow(
        item_id=history.item_id,
        shop=_shop(history),
        label=f"{_shop(history)}: {history.title}" if several else _shop(history),
        title=history.title,
        price=price_text(last.price, last.currency),
        unit_price=f"{price_text(str(unit.amount), last.currency)} / {unit.unit}" if unit else "",
        in_stock=last.in_stock,
        low=price_text(found.all_time.low, found.currency) if found else "",
        since=last.at,
        curve=number % charts.CURVES,
    )


def _chart(histories: Sequence[PriceHistory], currency: str | None, at: datetime) -> Markup:
    """The curves of the currency that is asked for first: amounts of two cannot share an axis."""
    curves = [
        [
            charts.Sample(point.at, float(point.price) if point.price is not None and point.currency == currency else None)
            for point in history.points
        ]
        for history in histories
    ]
    drawn = (
        charts.lines_chart(curves, until_at=at, title="Prices in all shops", unit=currency or "", size=size)
        for size in (charts.WIDE, charts.NARROW)
    )
    return Markup("".join(drawn))  # noqa: S704 - numbers, and texts that the chart escapes


ROUTES = (same_product, chosen_products)
