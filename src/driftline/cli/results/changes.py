"""Commands that list and show changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import msgspec
import typer

from driftline.cli.options import Cursor, ExitCode, FormOption, Json, Limit, read_span
from driftline.cli.output import ago, change_document, console, emit, say_more, table
from driftline.cli.results.diffs import print_diff
from driftline.core.answers.failure_text import failure_text
from driftline.errors import NotFound, UsageError
from driftline.model.change import Change, Severity
from driftline.model.delivery import NEW_ITEM
from driftline.model.run import FAILED_OUTCOMES, BrowserCost, Run
from driftline.model.watch import Watch

if TYPE_CHECKING:
    from driftline.store.rows import Page
    from driftline.store.session import OrgData
    from driftline.wiring import App

CHANGES_FOUND = 3


def changes(
    only: Annotated[str | None, typer.Argument(metavar="[WATCH]", help="Only of this watch.", show_default=False)] = None,
    watch: Annotated[str | None, typer.Option("--watch", help="The same as the argument.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only of this run.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only after this: 2026-01-31, 2026-01-31T08:00Z, or 2h back.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only before this; written like --since.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="Only of this type, e.g. content, price_decrease, drop.")] = None,
    severity: Annotated[Severity | None, typer.Option("--severity", help="Only low, medium or high.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    exit_code: ExitCode = False,
    as_json: Json = False,
) -> int:
    """List changes, newest first."""
    from driftline.core.identity.severity import CHANGE_TYPES
    from driftline.wiring import opened

    if type_ and type_ not in CHANGE_TYPES:
        raise UsageError("unknown change type", type=type_, hint=f"use {', '.join(CHANGE_TYPES)}")

    if only and watch and only != watch:
        raise UsageError("two watches are named", hint="give one of them")
    watch = only or watch
    in_one_line = not (as_json or run or type_)  # the items of a watch's first run
    with opened() as app:
        now = app.clock.now()
        since_at, until_at = read_span(since, until, now=now)

        def find(data: OrgData) -> tuple[Page[Change], dict[UUID, str], dict[UUID, str]]:
            page = data.changes.page(
                watch_id=data.watches.get(watch).id if watch else None,
                run_id=data.runs.get(run).id if run else None,
                since_at=since_at,
                until_at=until_at,
                types=(type_,) if type_ else (),
                severity=severity,
                slots_once=True,
                first_runs_once=in_one_line,
                limit=limit,
                cursor=cursor,
            )
            found = data.watches.some(list({change.watch_id for change in page.rows}))
            first_runs = data.changes.first_runs(page.rows) if in_one_line else {}
            return page, {seen.id: seen.name for seen in found}, first_runs

        page, names, first_runs = app.read(find)
    if as_json:
        emit([change_document(change, watch_name=names.get(change.watch_id)) for change in page.rows])
    else:
        rows = [
            (
                ago(change.created_at, now=now),
                *_said(change, first_runs.get(change.report_id)),
                names.get(change.watch_id, "-"),
                first_runs.get(change.report_id, change.headline),
                change.id.hex[-8:],
            )
            for change in page.rows
        ]
        narrowed = watch or run or since or until or type_ or severity or cursor
        empty = "No matching changes" if narrowed else "No changes. Try: driftline check --all"
        table("", ("when", "severity", "type", "watch", "what", "id"), rows, empty=empty)
    say_more("changes", page.cursor)
    return CHANGES_FOUND if exit_code and page.rows else 0


def _said(change: Change, first_run: str | None) -> tuple[str, str]:
    """Severity and type; a first run is no news, whatever it found."""
    return ("low", "first check") if first_run and change.type == NEW_ITEM else (change.severity, change.type)


def show(
    reference: Annotated[str, typer.Argument(metavar="CHANGE|WATCH", help="A change by the end of its id, or a watch.")],
    form: FormOption = "text",
    as_json: Json = False,
) -> None:
    """Show one change with its diff, or one watch with its latest runs."""
    from driftline.core.diff.rows import stored_rows
    from driftline.wiring import opened

    with opened() as app:
        try:
            detail = app.read(lambda data: data.changes.get(reference))
        except NotFound:
            _show_watch(app, reference, as_json=as_json)
            return
        if as_json:
            snapshots = {"previous": detail.previous, "next": detail.next}
            emit(change_document(detail.change) | msgspec.to_builtins({"blocks": detail.blocks, "snapshots": snapshots}))
            return
        change = detail.change
        screen = console()
        screen.print(f"{change.headline}", style="bold", markup=False)
        screen.print(
            f"{change.type}, {change.severity}, {ago(change.created_at, now=app.clock.now())}: {change.url}",
            style="dim",
            markup=False,
        )
        print_diff(stored_rows(change.diff), (change.diff or {}).get("changes") or {}, form)


def _show_watch(app: App, reference: str, *, as_json: bool) -> None:
    from driftline.cli.watching.watches import watch_document
    from driftline.kinds.registry import KINDS
    from driftline.policy.health import failing

    def find(data: OrgData) -> tuple[Watch, tuple[Run, ...], BrowserCost, str | None]:
        watch = data.watches.get(reference)
        note = data.runs.notes([watch.id]).get(watch.id) if KINDS[watch.kind].traits.one_item else None
        return watch, data.runs.of(watch.id, limit=10).rows, data.runs.browser_cost(watch.id), note

    watch, runs, cost, note = app.read(find)
    if as_json:
        emit(watch_document(watch) | {"runs": [msgspec.to_builtins(run) for run in runs], "browser": msgspec.to_builtins(cost)})
        return
    now = app.clock.now()
    console().print(f"{watch.name}: {watch.url}", style="bold", markup=False)
    wrong = failing(watch, runs[0].reason) if runs else None
    if wrong is not None:
        console().print(wrong.sentence, style="red", markup=False)
    elif note:
        console().print(f"{note[:1].upper()}{note[1:]}", markup=False)
    if cost.pages:
        console().print(f"Browser: {cost}", markup=False)
    rows = [(ago(run.started_at, now=now), run.outcome or run.status, _reason(run), run.id.hex[-8:]) for run in runs]
    table(
        "latest runs",
        ("when", "outcome", "reason", "id"),
        rows,
        empty="not checked yet; try: driftline check " + watch.id.hex[-8:],
    )


def _reason(run: Run) -> str:
    return failure_text(run.outcome, run.reason).what if run.outcome in FAILED_OUTCOMES else run.reason or ""


COMMANDS = (changes, show)
