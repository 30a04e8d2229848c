"""Commands that check watches: now, or when they are due."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from driftline.cli.options import ExitCode, Json
from driftline.cli.output import OUTCOME_STYLES, change_document, console, emit, progress, stamp
from driftline.core.text.safety.escapes import escape
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.engine.check.context import Checked
    from driftline.wiring import App

CHANGES_FOUND = 3


def check(
    watches: Annotated[list[str] | None, typer.Argument(metavar="[WATCH...]", help="Name, id, or the end of an id.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Check every watch that is not paused.")] = False,
    exit_code: ExitCode = False,
    as_json: Json = False,
) -> int:
    """Check watches now."""
    from driftline.wiring import opened

    if bool(watches) == everything:
        raise UsageError("no watch was given", hint="give a watch, or use --all")
    done = failed = found = 0
    with opened() as app:
        ids = _active(app) if everything else _named(app, watches or ())
        with progress("checking", len(ids)) as shown:

            async def listen(checked: Checked) -> None:
                nonlocal done, failed, found
                done += 1
                failed += checked.run.status != "completed" or checked.stale
                found += len(checked.changes)
                _print_check(checked, as_json=as_json)
                shown(done)

            busy = app.check(ids, listen, theirs=listen)
    if not as_json and not ids:
        console().print("No watches yet. Try: driftline add URL", markup=False)
    for watch in busy:
        console(stderr=True).print(f"skipped: another worker is still checking {watch.name}", markup=False)
    if exit_code and found:
        return CHANGES_FOUND
    return 1 if failed or busy else 0


def _active(app: App) -> list[UUID]:
    """Every watch that would be checked by itself."""
    from driftline.kinds.registry import KINDS

    parents, themselves, ids = set(), set(), []
    for watch in app.all_watches():
        parents.add(watch.parent_id)
        if KINDS[watch.kind].traits.finds_children:
            themselves.add(watch.id)
        if watch.next_due_at is not None and not watch.paused_at and not watch.retired_at:
            ids.append(watch.id)
    return [watch_id for watch_id in ids if watch_id not in parents or watch_id in themselves]


def _named(app: App, references: Sequence[str]) -> list[UUID]:
    """The watches that were named, and the buckets of those that have some."""
    return app.leaves(app.read(lambda data: [data.watches.get(reference).id for reference in references]))


def run(
    once: Annotated[bool, typer.Option("--once", help="Check what is due now, then exit.")] = False,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Processes.")] = 1,
    as_json: Json = False,
) -> int:
    """Check watches when they are due, until stopped (Ctrl-C or SIGTERM)."""
    from driftline.wiring import opened

    async def listen(checked: Checked) -> None:
        if checked.changes or checked.run.status == "failed" or as_json:
            _print_check(checked, as_json=as_json)

    if workers > 1:
        from driftline.cli.services.workers import run_workers

        return run_workers(workers, once=once, as_json=as_json)
    with opened() as app:
        if not as_json:
            console(stderr=True).print("Checking watches when they are due. Press Ctrl-C to stop", markup=False)
        app.run(listen, once=once)
    return 0


def _print_check(checked: Checked, *, as_json: bool) -> None:
    """One check, as a line of JSON or as a line with its changes."""
    if as_json:
        emit(check_document(checked))
        return
    outcome = "skipped: another worker took over" if checked.stale else checked.run.outcome or checked.run.status
    why = ""
    if checked.failing is not None and not checked.changes:  # else they say it
        why = f"  {checked.failing.sentence}"
    elif checked.run.reason and checked.failing is None:
        why = f"  ({checked.run.reason})"
    changes = [f"             {severity}: {headline}" for severity, headline in checked.headlines]
    if not sys.stdout.isatty():  # colours are for terminals, and take longer than a check
        for text in (f"{outcome:<12} {checked.watch.name}{why}", *changes):
            print(escape(text, one_line=True))
        return
    from rich.text import Text

    screen = console()
    style = OUTCOME_STYLES.get(checked.run.outcome, "red")
    screen.print(Text.assemble((f"{outcome:<12}", style), " ", checked.watch.name, (why, "dim")))
    for text in changes:
        screen.print(text, markup=False)


def check_document(checked: Checked) -> dict[str, Any]:
    """A check in JSON."""
    run = checked.run
    return {
        "watch": checked.watch.id,
        "name": checked.watch.name,
        "url": checked.watch.url,
        "run": run.id,
        "status": "stale" if checked.stale else run.status,
        "outcome": run.outcome,
        "reason": run.reason,
        "message": checked.failing.sentence if checked.failing else run.reason,
        "counters": run.counters,
        "warnings": run.warnings,
        "at": stamp(run.started_at),
        "changes": [change_document(change) for change in checked.changes],
    }


COMMANDS = (check, run)
