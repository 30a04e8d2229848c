"""The command that changes a watch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from driftline.cli.options import Json
from driftline.cli.output import console, emit
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.engine.editing.watch_input import WatchInput

_CHANGE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z_.]{0,60})(?P<how>[+-]?=)(?P<value>.*)", re.DOTALL)


def set_(
    watch: Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id.")],
    changes: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="url, kind, name, tag, every, cron, timezone, window, adaptive, header, cookie, method, body, proxy, browser, "
            "wait_for, step, session, timeout, robots, when, intent, paused, or a rule of the kind such as select, remove, "
            "ignore, trigger or snapshots. "
            "Give a key more than once for several values; an empty value goes back to the default. tag+=x adds one value, "
            "tag-=x takes one away.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Change a watch: its address, schedule, request or rules. Its history stays, also under another address."""
    from driftline.cli.watching.watches import watch_document
    from driftline.wiring import opened

    changes_by_name = read_changes(changes)
    with opened() as app:
        changed = app.write(app.changing(watch, lambda stored: _changed(stored, changes_by_name), name_is_free=True))
    if as_json:
        emit(watch_document(changed))
    else:
        console().print(f"changed {changed.name}", markup=False)


def read_changes(changes: list[str]) -> list[tuple[str, str, list[str]]]:
    """Each key once, with how it is changed and all of its values, in the order of the command line."""
    changes_by_name: dict[tuple[str, str], list[str]] = {}
    for text in changes:
        found = _CHANGE.fullmatch(text)
        if found is None:
            raise UsageError(f'"{text[:80]}" is not a change', hint="write it as every=15m")
        changes_by_name.setdefault((found["name"], found["how"]), []).append(found["value"])
    return [(name, how, values) for (name, how), values in changes_by_name.items()]


def _changed(stored: WatchInput, changes_by_name: list[tuple[str, str, list[str]]]) -> WatchInput:
    import msgspec

    from driftline.engine.editing.watch_fields import ALIASES, with_field, yes_or_no
    from driftline.engine.editing.watch_texts import texts_of
    from driftline.kinds.registry import KINDS

    for name, how, values in sorted(changes_by_name, key=lambda one: one[0] != "kind"):  # the kind says which rules there are
        if name == "paused":
            stored = msgspec.structs.replace(stored, paused=yes_or_no(name, values))
            continue
        key = ALIASES.get(name, name)
        before = texts_of(stored, key) if how != "=" else []
        texts = [*before, *values] if how == "+=" else [text for text in before if text not in values] if before else values
        stored = with_field(stored, key, [] if how == "-=" and not before else texts, KINDS)
    return stored


COMMANDS = (set_,)
