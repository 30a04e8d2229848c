"""Commands for catalogs: runs that a crawler pushes, and the report of a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from driftline.cli.options import Json, unreadable
from driftline.cli.output import change_document, console, emit, stamp, table
from driftline.core.answers.not_sent_text import not_sent_text

if TYPE_CHECKING:
    from uuid import UUID

    from driftline.model.change import Change
    from driftline.model.run import Run
    from driftline.store.rows import Report
    from driftline.store.session import OrgData
    from driftline.wiring import App

CHANGES_SHOWN = 10_000  # of one report; `driftline changes --run` has them all
CHUNK = 262_144  # bytes of a file that are read at once
# The order in which a report tells, and what a reader calls it.
TYPES = {
    "price_decrease": "cheaper",
    "new_low": "lowest in all shops",
    "price_increase": "dearer",
    "back_in_stock": "back in stock",
    "sold_out": "sold out",
    "variant_back": "variant back",
    "variant_gone": "variant sold out",
    "variant_price": "variant price",
    "new_product": "new",
}


def ingest(
    watch: Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id of a catalog.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON or JSON lines; - is standard input.")],
    strict: Annotated[bool, typer.Option("--strict", help="Refuse the whole run if a row is invalid.")] = False,
    as_json: Json = False,
) -> None:
    """Store a run of your own crawler: {"run_key", "started_at", "completed_at", "status", "products": [...]}.

    Only the products are required; JSON lines or a list of products are accepted too. The same run_key again returns the first
    answer. Bad rows are listed with their line and left out.
    """
    from driftline.wiring import opened

    with opened() as app, _bytes_of(file) as stream:
        ended = app.ingest(watch, iter(partial(stream.read, CHUNK), b""), strict=strict)
        document = run_document(app, ended.run_id)
    if as_json:
        emit(document)
        return
    screen = console()
    counted = ", ".join(_counted(name, count) for name, count in document["counters"].items())
    again = " (pushed before)" if ended.repeated else ""
    screen.print(f"{document['outcome'] or document['status']}{again}: {counted or 'nothing'}", markup=False)
    for row in document["rejected"][:20]:
        screen.print(f"  line {row['line']}: {row['reason']}", style="yellow", markup=False)
    if document["report"]:
        _print_report(document)


def _counted(name: str, count: int) -> str:
    """`1 price change`, `2 price changes`."""
    words = name.replace("_", " ")
    return f"{count:,} {words.removesuffix('s') if count == 1 else words}"


def diff(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A completed run of a catalog, by its id or the end of it.")],
    as_json: Json = False,
) -> None:
    """Show the report of a catalog's run, by type of change."""
    from driftline.wiring import opened, run_loop

    with opened() as app:
        run_id = app.read(lambda data: data.runs.get(run).id)
        rejudge = app.rejudge()
        run_loop(lambda: rejudge.judge(run_id))
        document = run_document(app, run_id)
    if as_json:
        nothing: dict[str, Any] = {
            "id": None,
            "run": run_id,
            "total": 0,
            "counts": {},
            "warnings": [],
            "at": None,
            "changes": [],
        }
        emit((document["report"] or nothing) | {name: document[name] for name in ("watch", "outcome", "counters", "missing")})
    elif document["report"] is None:
        console().print("No changes", markup=False)
    else:
        _print_report(document)


def run_document(app: App, run_id: UUID) -> dict[str, Any]:
    """A run with its report in JSON; the same whenever it is asked for."""

    def find(data: OrgData) -> tuple[Run, Report | None, tuple[Change, ...]]:
        report = data.runs.report(run_id)
        changes = data.changes.page(run_id=run_id, limit=CHANGES_SHOWN).rows if report else ()
        return data.runs.get(run_id), report, changes

    run, report, changes = app.read(find)
    order = list(TYPES)
    listed = sorted(changes, key=lambda change: (order.index(change.type) if change.type in order else -1, change.url))
    document = None
    if report is not None:
        document = {
            "id": report.id,
            "run": report.run_id,
            "total": report.total,
            "counts": report.counts,
            "warnings": report.warnings,
            "at": stamp(report.created_at),
            "changes": [change_document(change) for change in listed],
        }
    return {
        "run": run.id,
        "watch": run.watch_id,
        "run_key": run.run_key,
        "status": run.status,
        "outcome": run.outcome,
        "reason": run.reason,
        "started_at": stamp(run.started_at),
        "completed_at": stamp(run.completed_at),
        "counters": run.counters,
        "warnings": run.warnings,
        "missing": run.diagnostics.get("missing", []),
        "report": document,
        "rejected": run.diagnostics.get("rejected", []),
    }


def _print_report(document: dict[str, Any]) -> None:
    report = document["report"]
    rows = [_row(change) for change in report["changes"]]
    table("", ("what", "product", "before", "after", "notes"), rows, empty="No changes")
    if report["total"] > len(rows):
        console().print(f"and {report['total'] - len(rows)} more: driftline changes --run {document['run']}", markup=False)
    for notice in document["warnings"]:
        console().print(f"{notice.message} ({notice.count})", style="yellow", markup=False)


def _row(change: dict[str, Any]) -> tuple[str, ...]:
    before, after = change["before"] or {}, change["after"] or {}
    notes = [
        f"not sent: {not_sent_text(value)}" if name == "muted" else name.replace("_", " ")
        for name, value in change["flags"].items()
    ]
    name = after.get("title") or change["headline"]
    if change["type"] in ("sold_out", "back_in_stock"):
        return (
            TYPES[change["type"]],
            name,
            *("in stock" if side.get("in_stock") else "sold out" for side in (before, after)),
            "",
        )
    if change["type"].startswith("variant_"):
        found = (change["diff"] or {}).get("variants", {})
        sides = (
            ", ".join(f"{size}: {_variant(one[side], after)}" for size, one in found.items()) for side in ("before", "after")
        )
        return TYPES[change["type"]], name, *sides, ", ".join(notes)
    return TYPES.get(change["type"], change["type"]), name, _price(before), _price(after), ", ".join(notes)


def _variant(one: dict[str, Any], product: dict[str, Any]) -> str:
    stock = "" if one.get("in_stock") is None else "in stock" if one["in_stock"] else "sold out"
    return " ".join(filter(None, (_price({**product, "price": one.get("price")}), stock)))


def _price(state: dict[str, Any]) -> str:
    from driftline.core.commerce.amounts import money

    return money(state["price"], state.get("currency")) if state.get("price") else ""


@contextmanager
def _bytes_of(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(file).open("rb"))
        except OSError as error:
            raise unreadable(file, error) from None
        yield stream


COMMANDS = (ingest, diff)
