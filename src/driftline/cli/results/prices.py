"""The command that shows price histories."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftline.cli.options import Json
from driftline.cli.output import ago, emit, stamp, table
from driftline.core.text.escapes import escaped
from driftline.core.text.spreadsheet import inert
from driftline.errors import NotFound, UsageError

if TYPE_CHECKING:
    from driftline.store.session import OrgData
    from driftline.store.views.prices import PriceHistory, PricePoint
    from driftline.wiring import App

BARS = "▁▂▃▄▅▆▇█"
SPARK_AT_MOST = 40  # points of a sparkline


def prices(
    reference: Annotated[str, typer.Argument(metavar="ITEM|WATCH", help="An item by id or address, or a watch.")],
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with one row per price.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number of items of a watch.")] = 100,
    as_json: Json = False,
) -> None:
    """Show the history of prices and stock of a product page, a product, or all products of a catalog."""
    from driftline.wiring import opened

    if as_csv and as_json:
        raise UsageError("both --csv and --json", hint="use one of them")
    with opened() as app:
        histories = _histories(app, reference, limit)
        now = app.clock.now()
    if as_json:
        emit([_point_document(history, point) for history in histories for point in history.points])
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("item", "url", "title", "at", "price", "currency", "in_stock"))
        for history in histories:
            writer.writerows(_csv_row(history, point) for point in history.points)
    else:
        rows = [_price_row(history, now) for history in histories if history.points]
        columns = ("item", "price", "stock", "since", "lowest", "highest", "trend")
        table("", columns, rows, empty="No prices yet")


def _histories(app: App, reference: str, limit: int) -> list[PriceHistory]:
    """Of the watch that was named, else of the item."""

    def find(data: OrgData) -> list[PriceHistory]:
        try:
            return data.prices.of_watch(data.watches.get(reference).id, limit=limit)
        except NotFound:
            return [data.prices.of_item(reference)]

    return app.read(find)


def _point_document(history: PriceHistory, point: PricePoint) -> dict[str, Any]:
    return {
        "item": history.item_id,
        "url": history.url,
        "title": history.title,
        "at": stamp(point.at),
        "version": point.version,
        "price": point.price,
        "currency": point.currency,
        "in_stock": point.in_stock,
    }


def _csv_row(history: PriceHistory, point: PricePoint) -> tuple[str, ...]:
    stock = "" if point.in_stock is None else "yes" if point.in_stock else "no"
    cells = (
        str(history.item_id),
        history.url,
        history.title,
        stamp(point.at) or "",
        point.price or "",
        point.currency or "",
        stock,
    )
    return tuple(escaped(inert(cell)) for cell in cells)


def _price_row(history: PriceHistory, now: datetime) -> tuple[str, ...]:
    last = history.points[-1]
    priced = [point for point in history.points if point.price is not None and point.currency == last.currency]
    amounts = [Decimal(point.price or "0") for point in priced]
    stock = {True: "in stock", False: "sold out", None: "-"}[last.in_stock]
    return (
        history.title or history.url,
        _money(last.price, last.currency),
        stock,
        ago(last.at, now=now),
        _money(str(min(amounts)), last.currency) if amounts else "-",
        _money(str(max(amounts)), last.currency) if amounts else "-",
        sparkline(amounts),
    )


def _money(price: str | None, currency: str | None) -> str:
    return "-" if price is None else f"{price} {currency or ''}".strip()


def sparkline(amounts: Sequence[Decimal]) -> str:
    """A trend of amounts in one line; the latest ones where there are many."""
    latest = amounts[-SPARK_AT_MOST:]
    if not latest:
        return ""
    low, high = min(latest), max(latest)
    if low == high:
        return BARS[3] * len(latest)
    return "".join(BARS[int((amount - low) * (len(BARS) - 1) / (high - low))] for amount in latest)


COMMANDS = (prices,)
