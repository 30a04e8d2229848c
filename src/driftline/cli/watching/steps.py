"""The command that shows the steps of a watch, and tries them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftline.cli.options import Json
from driftline.cli.output import console, emit
from driftline.errors import BadFile

if TYPE_CHECKING:
    from driftline.model.browser.steps import StepResult
    from driftline.model.fetch import Answer
    from driftline.model.watch import Watch
    from driftline.wiring import App

_WORDS = {
    "done": "done",
    "stopped": "stopped here",
    "left_out": "left out",
    "skipped": "failed, which it may",
    "failed": "failed",
}


def steps(
    watch: Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id.")],
    try_them: Annotated[bool, typer.Option("--try", help="Do them in the browser, and show how each went.")] = False,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="With --try: a folder for the pictures of screenshot and failed steps.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the steps that are done in the browser before a watch is read. With --try they are done now; nothing is stored."""
    from driftline.core.text.step_texts import step_text
    from driftline.wiring import opened

    with opened() as app:
        found = app.read(lambda data: data.watches.get(watch))
        if not found.fetch.steps:
            console(stderr=True).print(
                f"{found.name} has no steps. Add one: driftline set WATCH step='click #more'", markup=False
            )
            return
        if not try_them:
            for number, step in enumerate(found.fetch.steps, start=1):
                text = step_text(step)
                emit({"number": number, "step": text}) if as_json else console().print(f"{number}. {text}", markup=False)
            return
        results, answer = _tried(app, found)
    for result in results:
        kept = _kept(pictures, result)
        if as_json:
            emit(_document(result, kept))
        else:
            console().print(_line(result, kept), markup=False)
    if (problem := _problem(answer)) is not None:
        if not results or results[-1].outcome != "failed":
            console(stderr=True).print(problem, markup=False)
        raise typer.Exit(1)


def _tried(app: App, watch: Watch) -> tuple[list[StepResult], Answer]:
    from driftline.model.fetch import Request
    from driftline.wiring.loop import run_loop

    async def go() -> tuple[list[StepResult], Answer]:
        async with app.fetcher() as fetcher:
            return await fetcher.try_steps(Request(url=watch.url, options=watch.fetch, org_id=watch.org_id))

    return run_loop(go)


def _kept(folder: Path | None, result: StepResult) -> str | None:
    if folder is None or result.picture is None:
        return None
    path = folder / f"step-{result.number}.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(result.picture)
    except OSError as error:
        raise BadFile("the picture cannot be written", file=str(path), problem=error.strerror) from None
    return str(path)


def _line(result: StepResult, kept: str | None) -> str:
    why = f": {result.sentence}" if result.sentence else ""
    shown = f" ({kept})" if kept else ""
    return f"{result.number}. {result.step}: {_WORDS[result.outcome]}{why}, {result.took_for:.1f} s{shown}"


def _document(result: StepResult, kept: str | None) -> dict[str, Any]:
    return {
        "number": result.number,
        "step": result.step,
        "outcome": result.outcome,
        "reason": result.sentence or None,
        "seconds": round(result.took_for, 3),
        "picture": kept,
    }


def _problem(answer: Answer) -> str | None:
    from driftline.core.answers.failure_text import failure_text
    from driftline.model.fetch import Blocked, Failed

    match answer:
        case Failed():
            return failure_text(answer.outcome, answer.reason).sentence
        case Blocked():
            return failure_text("blocked", answer.reason).sentence
    return None


COMMANDS = (steps,)
