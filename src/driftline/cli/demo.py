"""The command that shows what driftline does, on a site of its own."""

from __future__ import annotations

import asyncio
import tempfile
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from driftline.cli.options import Json
from driftline.cli.output import console, emit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from driftline.engine.context import Checked
    from driftline.engine.worker import Worker
    from driftline.wiring import App

HEALTH_TYPES = frozenset({"blocked", "selector_missing", "error", "recovered"})


def demo(
    once: Annotated[bool, typer.Option("--once", help="Play the script without pauses, check the findings, leave.")] = False,
    pause_for: Annotated[float, typer.Option("--pause", min=0, help="Seconds between two turns of the script.")] = 2.0,
    as_json: Json = False,
) -> int:
    """Watch a small local site whose pages change, with noise in every answer, and print the changes as they are found.

    Leaves with 0 only if exactly the changes that the site made were found.
    """
    from driftline.settings import load
    from driftline.wiring import App, run_loop

    with tempfile.TemporaryDirectory(prefix="driftline-demo-") as folder:
        settings = msgspec.structs.replace(
            load(), db=f"sqlite:///{folder}/demo.db", blobs="", allow_hosts=("127.0.0.1",), calibrate_after=0.0
        )
        app = App(settings)
        try:
            return run_loop(lambda: _play(app, pause_for=0.0 if once else pause_for, as_json=as_json))
        finally:
            app.close()


async def _play(app: App, *, pause_for: float, as_json: bool) -> int:
    """Every turn of the script: the site moves, everything is checked twice, findings are held against the truth."""
    from driftline.demo.site import serve
    from driftline.engine.drafting import Wish

    mistakes = turns = real = 0
    checked: list[Checked] = []

    async def listen(done: Checked) -> None:
        checked.append(done)

    async with serve() as site, app.worker(listen) as worker:
        wishes = [Wish(url=url, name=title) for _, title, url in site.pages]
        watches = app.add([app.draft(wish) for wish in wishes])
        pages = {watch.id: page for watch, (page, _, _) in zip(watches, site.pages, strict=True)}
        _say(
            f"watching {len(watches)} pages of {site.address}; every answer has a new time, counter, token and ad",
            as_json=as_json,
        )
        await worker.check_now(list(pages))
        checked.clear()
        while not site.finished:
            await asyncio.sleep(pause_for)
            truth = sorted(change.page for change in site.advance())
            turns += 1
            real += len(truth)
            await _check_twice(worker, list(pages))
            found = sorted(pages[done.watch.id] for done in checked if _tells(done))
            mistakes += found != truth
            _report(checked, truth, found, as_json=as_json)
            checked.clear()
    verdict = "found exactly the changes that the site made" if not mistakes else f"{mistakes} turns were judged wrongly"
    if as_json:
        emit({"turns": turns, "changes": real, "mistakes": mistakes, "ok": not mistakes})
    else:
        _say(f"{turns} turns, {real} real changes: {verdict}", as_json=False)
    return 1 if mistakes else 0


async def _check_twice(worker: Worker, watch_ids: list[UUID]) -> None:
    """Once for what changed, once to see that nothing is told twice."""
    for _ in range(2):
        await worker.check_now(watch_ids)


def _tells(checked: Checked) -> bool:
    """Whether the check told of content, and not only of the site's health."""
    return any(change.type not in HEALTH_TYPES for change in checked.changes)


def _report(checked: Sequence[Checked], truth: Sequence[str], found: Sequence[str], *, as_json: bool) -> None:
    """One turn, for people or programs."""
    from driftline.cli.output import change_document

    changes = [(done.watch.name, change) for done in checked for change in done.changes]
    if as_json:
        emit(
            {"truth": truth, "found": found, "changes": [change_document(change, watch_name=name) for name, change in changes]}
        )
        return
    screen = console()
    if not changes:
        screen.print("  nothing but noise", style="dim")
    for name, change in changes:
        screen.print(f"  {change.severity:<6} {name}: {change.headline}", markup=False)
    if found != truth:
        screen.print(f"  MISTAKE: the site changed {truth}, found {found}", style="bold red", markup=False)


def _say(text: str, *, as_json: bool) -> None:
    if not as_json:
        console().print(text, markup=False)


COMMANDS = (demo,)
