"""The command that shows price histories."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from driftline.cli.options import Json
from driftline.cli.output import ago, emit, stamp, table
from driftline.core.text.safety.escapes import escape
from driftline.core.text.safety.spreadsheet import escape_formula
from driftline.errors import NotFound, UsageError

if TYPE_CHECKING:
    from driftline.store.session import OrgData
    from driftline.store.views.results.prices import PriceHistory, PricePoint
    from driftline.wiring import App

BARS = "▁▂▃▄▅▆▇█"
SPARK_AT_MOST = 40  # points of a sparkline


def prices(
    references: Annotated[
        list[str], typer.Argument(metavar="ITEM|WATCH...", help="Items by id or address, or watches; several are compared.")
    ],
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with one row per price.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="With --csv or --json: one row per item, with lows, highs and the usual price.")
    ] = False,
    same: Annotated[
        bool, typer.Option("--same", help="Add the same products of other shops, by GTIN or by brand and part number.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number of items of a watch.")] = 100,
    as_json: Json = False,
) -> None:
    """Show the history of prices and stock of a product page, a product, or all products of a catalog.

    Of several, the same product in several shops, the cheapest in stock comes first.
    """
    from driftline.store.views.results.prices import cheapest_first
    from driftline.wiring import opened

    if as_csv and as_json:
        raise UsageError("both --csv and --json", hint="use one of them")
    with opened() as app:
        histories = [history for reference in references for history in _histories(app, reference, limit)]
        if same:
            histories = _with_same(app, histories)
        now = app.clock.now()
    if len(references) > 1 or same:
        histories = cheapest_first(histories)
    if summary and (as_csv or as_json):
        _emit_summaries([_summary(history, now) for history in histories if history.points], as_csv=as_csv)
    elif as_json:
        emit([_point_document(history, point) for history in histories for point in history.points])
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("item", "url", "title", "at", "price", "currency", "in_stock"))
        for history in histories:
            writer.writerows(_csv_row(history, point) for point in history.points)
    else:
        compared = len({urlsplit(history.url).netloc for history in histories}) > 1
        rows = [_price_row(history, now, shop=compared) for history in histories if history.points]
        columns = ("item", "price", "stock", "since", "lowest", "highest", "low 30 d", "usual", "trend")
        table("", columns, rows, empty="No prices yet")


def _histories(app: App, reference: str, limit: int) -> list[PriceHistory]:
    """Of the watch that was named, else of the item."""

    def find(data: OrgData) -> list[PriceHistory]:
        try:
            return data.prices.of_watch(data.watches.get(reference).id, limit=limit)
        except NotFound:
            return [data.prices.of_item(reference)]

    return app.read(find)


def _with_same(app: App, histories: Sequence[PriceHistory]) -> list[PriceHistory]:
    """The histories, and those of the same products in other shops."""
    found = app.read(lambda data: [one for history in histories for one in data.prices.same_as(history.item_id)])
    return list({one.item_id: one for one in found}.values())


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
    return tuple(escape(escape_formula(cell)) for cell in cells)


def _summary(history: PriceHistory, now: datetime) -> dict[str, Any]:
    """An item with its statistics, flat: for a row of a table, and for programs."""
    found, last = history.statistics_at(now), history.points[-1]
    shown: dict[str, Any] = {
        "item": history.item_id,
        "url": history.url,
        "title": history.title,
        "price": last.price,
        "currency": last.currency,
        "in_stock": last.in_stock,
    }
    for window in (found.all_time, *found.last_days) if found else ():
        suffix = f"_{window.days}_days" if window.days else ""
        shown |= {
            f"low{suffix}": window.low,
            f"low{suffix}_at": stamp(window.low_at),
            f"high{suffix}": window.high,
            f"high{suffix}_at": stamp(window.high_at),
            f"median{suffix}": window.median,
            f"discount_percent{suffix}": window.discount_percent,
        }
    return shown


def _emit_summaries(rows: Sequence[dict[str, Any]], *, as_csv: bool) -> None:
    if not as_csv:
        emit(rows)
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        cells = ({True: "yes", False: "no", None: ""}.get(row.get(name), row.get(name)) for name in names)
        writer.writerow([escape(escape_formula(str(cell))) for cell in cells])


def _price_row(history: PriceHistory, now: datetime, *, shop: bool) -> tuple[str, ...]:
    last, found = history.points[-1], history.statistics_at(now)
    amounts = [Decimal(point.price) for point in history.points if point.price is not None and point.currency == last.currency]
    stock = {True: "in stock", False: "sold out", None: "-"}[last.in_stock]
    name = f"{history.title} ({urlsplit(history.url).netloc})" if history.title and shop else history.title or history.url
    shown = [name, _money(last.price, last.currency), stock, ago(last.at, now=now)]
    if found is None:
        return (*shown, "-", "-", "-", "-", "")
    month, quarter = found.last_days
    below = Decimal(quarter.discount_percent)
    return (
        *shown,
        *(_amount(one, found.currency) for one in (found.all_time.low, found.all_time.high, month.low)),
        f"{_amount(quarter.median, found.currency)}{f' ({-below:+f}%)' if below else ''}",
        sparkline(amounts),
    )


def _money(price: str | None, currency: str | None) -> str:
    from driftline.core.commerce.amounts import money

    return "-" if price is None else money(price, currency)


def _amount(price: str | None, currency: str | None) -> str:
    """The amount alone, with the cents of its currency: the column beside it names that."""
    return _money(price, currency).removesuffix(f" {currency}")


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
