"""Commands of the queue agent: run it, and list or requeue its dead letters."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from driftline.cli.options import Json, Limit
from driftline.cli.output import emit, say, table
from driftline.errors import NotFound

if TYPE_CHECKING:
    from driftline.bus.ports import Bus, Received

T = TypeVar("T")

dead_letters = typer.Typer(no_args_is_help=True, help="Messages that the agent could not process.")
Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="Its number in `dead-letters list`.")]
_SHOWN = 100  # characters of a reason in a table
_MOST = 10_000  # messages that are read


def agent(as_json: Json = False) -> None:
    """Compare parsed pages from RabbitMQ and send what changed, until stopped (Ctrl-C or SIGTERM)."""
    from driftline.agent import work

    work(as_json=as_json)


@dead_letters.command("list")
def dead_letters_list(limit: Limit = 100, as_json: Json = False) -> None:
    """List dead letters, oldest first. They stay in their queue."""

    async def read(bus: Bus, dead: str) -> list[dict[str, Any]]:
        return [_document(number, one) for number, one in enumerate(await bus.take(dead, limit), 1)]

    found = _with_bus(read)
    if as_json:
        emit(found)
        return
    rows = [
        (str(one["number"]), one["queue"], str(one["attempts"]), one["reason"][:_SHOWN], str(one["bytes"])) for one in found
    ]
    table("", ("number", "queue", "attempts", "reason", "bytes"), rows, empty="No dead letters")


@dead_letters.command("show")
def dead_letters_show(number: Number, as_json: Json = False) -> None:
    """Show a dead letter with its reason. It stays in its queue."""

    async def read(bus: Bus, dead: str) -> dict[str, Any]:
        one = (await _taken(bus, dead, number))[-1]
        return _document(number, one) | {"body": one.body.decode("utf-8", "replace")}

    found = _with_bus(read)
    say(found, "\n".join(f"{name}: {value}" for name, value in found.items()), as_json=as_json)


@dead_letters.command("requeue")
def dead_letters_requeue(
    number: Annotated[int | None, typer.Argument(metavar="[NUMBER]", min=1, help="Its number in `dead-letters list`.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    as_json: Json = False,
) -> None:
    """Send dead letters to their queue again, with no attempts counted."""
    from driftline.errors import UsageError

    if (number is None) is not every:
        raise UsageError("no message was given", hint="give a number, or --all")

    async def send(bus: Bus, dead: str) -> int:
        messages = await bus.take(dead, _MOST) if number is None else (await _taken(bus, dead, number))[-1:]
        for one in messages:
            message = _document(0, one)
            await bus.publish(message["queue"], one.body, message_id=one.message_id or "")
            await one.ack()
        return len(messages)

    count = _with_bus(send)
    say({"requeued": count}, f"{count} sent again", as_json=as_json)


async def _taken(bus: Bus, dead: str, number: int) -> list[Received]:
    found = list(await bus.take(dead, number))
    if len(found) < number:
        raise NotFound("no such dead letter", number=number, hint="run: driftline dead-letters list")
    return found


def _document(number: int, one: Received) -> dict[str, Any]:
    """By our own headers; by the broker's where it gave up on a message that killed its readers."""
    headers = one.headers
    deaths: list[dict[str, Any]] = headers.get("x-death") or [{}]
    death = deaths[0]
    return {
        "number": number,
        "queue": str(headers.get("queue") or headers.get("x-first-death-queue") or death.get("queue") or "change.check"),
        "reason": str(headers.get("reason") or headers.get("x-first-death-reason") or death.get("reason") or "unknown"),
        "attempts": headers.get("attempts") or _limit() + 1,
        "message_id": one.message_id,
        "bytes": len(one.body),
    }


def _limit() -> int:
    from driftline.bus.ports import RETRIES

    return RETRIES


def _with_bus(use: Callable[[Bus, str], Coroutine[Any, Any, T]]) -> T:
    from driftline.bus.ports import DEAD_LETTER
    from driftline.bus.rabbit import RabbitBus
    from driftline.settings import load
    from driftline.wiring import RABBIT_URL, run_loop

    async def connected() -> T:
        bus = await RabbitBus.connect(load().rabbit_url or RABBIT_URL)
        try:
            return await use(bus, DEAD_LETTER)
        finally:
            await bus.close()

    return run_loop(connected)


COMMANDS = (agent,)
GROUPS = {"dead-letters": dead_letters}
