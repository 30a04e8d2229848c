"""Items: their history, their prices, and what was stored of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from litestar import Response, get
from litestar.params import FromPath, QueryParameter

from driftline.core.answers.file_types import file_type
from driftline.core.commerce.price_statistics import PriceStatistics
from driftline.core.text.charset import decode
from driftline.core.text.safety.spreadsheet import escape_formula
from driftline.core.text.time_text import stamp
from driftline.errors import NotFound, UsageError
from driftline.store.runs.contents import Contents
from driftline.store.session import OrgData
from driftline.store.views.results.prices import PriceHistory, cheapest_first
from driftline.web.api.documents import ItemDocument, SnapshotDocument, item_document, snapshot_document
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed
from driftline.web.security_headers import SANDBOX

Form = Annotated[Literal["json", "csv"], QueryParameter(name="format", description="how it is written", required=False)]
COMPARED_AT_MOST = 50  # items of one comparison
_HEAD = ("item", "url", "title", "at", "price", "currency", "in_stock")


class PricedItem(PriceHistory, frozen=True, kw_only=True):
    """A history of prices, and what it says about the price now."""

    statistics: PriceStatistics | None  # null while no price is known


@get("/items/{item_id:uuid}", guards=[viewer], summary="Show an item")
async def show_item(caller: Caller, item_id: FromPath[UUID]) -> ItemDocument:
    """Its state at the latest check."""
    return item_document(await caller.read(lambda data: data.items.get(item_id)))


@get("/items/{item_id:uuid}/history", guards=[viewer], summary="List the versions of an item")
async def list_versions(
    caller: Caller, item_id: FromPath[UUID], limit: Limit = 100, cursor: Cursor = None
) -> Listed[SnapshotDocument]:
    """Newest first."""

    def find(data: OrgData) -> Any:
        data.items.get(item_id)
        return data.items.snapshots(item_id, limit=limit, cursor=cursor)

    return listed(await caller.read(find), snapshot_document)


@get("/items/{item_id:uuid}/prices", guards=[viewer], summary="Show the prices of an item", also=["text/csv"])
async def item_prices(caller: Caller, item_id: FromPath[UUID], form: Form = "json") -> Response[Listed[PricedItem]]:
    """The history of price and stock, oldest first, with lows, highs and the usual price of 30 and 90 days."""
    history = await caller.read(lambda data: data.prices.of_item(str(item_id)))
    return _priced([history], form, now=caller.now)


@get("/items/{item_id:uuid}/offers", guards=[viewer], summary="Compare a product with other shops", also=["text/csv"])
async def item_offers(caller: Caller, item_id: FromPath[UUID], form: Form = "json") -> Response[Listed[PricedItem]]:
    """The product in every shop that is watched, by GTIN or by brand and part number: those in stock first, then by price."""
    found = await caller.read(lambda data: data.prices.same_as(item_id, limit=COMPARED_AT_MOST))
    return _priced(cheapest_first(found), form, now=caller.now)


@get("/prices", guards=[viewer], summary="Compare the prices of several items", also=["text/csv"])
async def compare_prices(
    caller: Caller,
    item: Annotated[list[UUID], QueryParameter(description="an item's id; once for each, at most 50")],
    form: Form = "json",
) -> Response[Listed[PricedItem]]:
    """The same product in several shops: those in stock first, then by price."""
    if len(item) > COMPARED_AT_MOST:
        raise UsageError("too many items", count=len(item), hint=f"compare at most {COMPARED_AT_MOST}")
    found = await caller.read(lambda data: [data.prices.of_item(str(one)) for one in dict.fromkeys(item)])
    return _priced(cheapest_first(found), form, now=caller.now)


@get("/watches/{watch_id:uuid}/prices", guards=[viewer], summary="Show the prices of a watch's items", also=["text/csv"])
async def watch_prices(
    caller: Caller, watch_id: FromPath[UUID], form: Form = "json", limit: Limit = 100
) -> Response[Listed[PricedItem]]:
    """Of a product page, or of all products of a catalog."""
    found = await caller.read(lambda data: data.prices.of_watch(watch_id, limit=limit))
    return _priced(found, form, now=caller.now)


def _priced(histories: Iterable[PriceHistory], form: str, *, now: datetime) -> Response[Any]:
    if form == "json":
        return Response(Listed(items=tuple(_with_statistics(one, now) for one in histories)))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_HEAD)
    for history in histories:
        for point in history.points:
            stock = "" if point.in_stock is None else "yes" if point.in_stock else "no"
            at = stamp(point.at)
            cells = (str(history.item_id), history.url, history.title, at, point.price or "", point.currency or "", stock)
            writer.writerow([escape_formula(cell) for cell in cells])
    headers = {"Content-Disposition": 'attachment; filename="prices.csv"'}
    return Response(out.getvalue(), media_type="text/csv", headers=headers)


def _with_statistics(history: PriceHistory, now: datetime) -> PricedItem:
    return PricedItem(**msgspec.structs.asdict(history), statistics=history.statistics_at(now))


@get("/snapshots/{snapshot_id:uuid}", guards=[viewer], summary="Show what a version holds", media_type="text/plain")
async def show_snapshot(
    caller: Caller,
    snapshot_id: FromPath[UUID],
    what: Annotated[
        Literal["text", "raw"], QueryParameter(description="what was compared, or what was fetched", required=False)
    ] = "text",
) -> Response[str]:
    """Always as plain text in a sandbox, or to be saved where it is no text, because the content comes from strangers."""
    org_id = caller.identity.org.id
    content = await caller.app.store.read(lambda session: Contents(session.tx, org_id).get(snapshot_id))
    if what == "text":
        if content.text is None:
            raise NotFound("the text was not stored", hint="the plan stores only a fingerprint")
        text = content.text
    else:
        body = await caller.app.store.blob(content.blob_key) if content.blob_key else None
        if body is None:
            raise NotFound("the body was not stored", hint="the plan stores none, or it was removed")
        if found := file_type(body, content.content_type or ""):
            name = f"{snapshot_id}.{found.name.lower()}" if found.name.isalnum() else f"{snapshot_id}"
            headers = {"Content-Security-Policy": SANDBOX, "Content-Disposition": f'attachment; filename="{name}"'}
            saved: Response[Any] = Response(body, media_type="application/octet-stream", headers=headers)
            return saved
        text = decode(body, content.content_type or "")
    return Response(
        text,
        media_type="text/plain",
        headers={"Content-Security-Policy": SANDBOX, "Content-Disposition": "inline"},
    )


ROUTES = (show_item, list_versions, item_prices, item_offers, compare_prices, watch_prices, show_snapshot)
