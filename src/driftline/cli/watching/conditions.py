"""Commands for conditions (shown, tried on history, set) and for the fields that a model reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from driftline.cli.options import Json, RulesFile, Select
from driftline.cli.output import ago, console, emit, progress, stamp, table
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.engine.editing.watch_input import WatchInput
    from driftline.engine.history.trial import Tried
    from driftline.wiring import App


def condition(
    watch: Annotated[str | None, typer.Argument(metavar="[WATCH]", help="Name, id, or the end of an id.")] = None,
    when: Annotated[
        str | None,
        typer.Option("--when", help="Notify only where this holds, e.g. 'price < 80'; an empty text removes the condition."),
    ] = None,
    intent: Annotated[
        str | None, typer.Option("--intent", help="The same in a sentence that a language model judges; empty: none.")
    ] = None,
    only_try: Annotated[bool, typer.Option("--try", help="Show what it would have done, and change nothing.")] = False,
    tag: Annotated[str | None, typer.Option("--tag", help="Set it for all watches with this tag instead of one watch.")] = None,
    since: Annotated[str, typer.Option("--since", help="Try it on changes since then: a date, or 2h, 30d.")] = "90d",
    rules: RulesFile = None,
    select: Select = None,
    as_json: Json = False,
) -> None:
    """Notify of a watch's changes only where a condition holds, and show what it would have done to past changes.

    Changes are recorded all the same. Prints a line for each stored change; with --rules or --select for each change that these
    rules would have found in the stored versions. All conditions are in docs/conditions.md.
    """
    from driftline.wiring import opened

    if (watch is None) == (tag is None):
        raise UsageError("no watch was given", hint="give a watch, or use --tag")
    with opened() as app:
        if tag is not None:
            _of_tag(app, tag, when, only_try=only_try, as_json=as_json)
        elif watch is not None:
            _of_watch(app, watch, when, intent, since, rules, select, only_try=only_try, as_json=as_json)


def _of_tag(app: App, tag: str, when: str | None, *, only_try: bool, as_json: bool) -> None:
    from driftline.kinds.registry import KINDS
    from driftline.policy.conditions.checking import checked_condition

    if only_try:
        raise UsageError("a condition is tried on one watch", hint="give a watch, and leave out --tag")
    if when is not None:
        checked = checked_condition(when, [kind.traits.subject for kind in KINDS.values()])
        app.write(lambda data: data.tag_conditions.set(tag, checked))
    stored = app.read(lambda data: data.tag_conditions.get(tag))
    if as_json:
        emit({"tag": tag, "when": stored})
    else:
        console().print(f"{tag}: {stored or 'no condition'}", markup=False)


def _of_watch(
    app: App,
    reference: str,
    when: str | None,
    intent: str | None,
    since: str,
    rules: RulesFile,
    select: Select,
    *,
    only_try: bool,
    as_json: bool,
) -> None:
    from driftline.cli.options import read_since
    from driftline.cli.watching.watch_args import rules_from
    from driftline.engine.editing.watch_fields import with_field
    from driftline.kinds.registry import KINDS

    watch = app.read(lambda data: data.watches.get(reference))
    now = app.clock.now()
    given = (rules_from(rules, select) if rules else watch.rules | rules_from(None, select)) if rules or select else None
    found: list[Tried] = []
    cursor: str | None = None
    since_at = read_since(since, now=now)
    calls = tokens = 0
    with progress("Trying", None) as advance:
        while True:
            page = app.trial(watch, when=when, intent=intent, rules=given, since_at=since_at, limit=200, cursor=cursor)
            found += page.rows
            advance(len(found))
            calls, tokens = calls + page.model_calls, tokens + page.model_tokens
            cursor = page.cursor
            if cursor is None:
                break
    given_fields = {name: text for name, text in (("when", when), ("intent", intent)) if text is not None}
    if given_fields and not only_try:

        def changed(stored: WatchInput) -> WatchInput:
            for name, text in given_fields.items():
                stored = with_field(stored, name, [text], KINDS)
            return stored

        app.write(app.changing(watch.id, changed))
    if as_json:
        emit(
            {"change": one.change, "notify": one.notify, "reason": one.reason, "at": stamp(one.at), "headline": one.headline}
            for one in found
        )
        return
    rows = [("yes" if one.notify else "no", ago(one.at, now=now), one.headline, one.reason) for one in found]
    table("", ("notify", "when", "change", "why"), rows, empty="No changes since then to try it on")
    count = sum(one.notify for one in found)
    times = f"{count} time{'' if count == 1 else 's'}"
    console().print(f"Condition: {(watch.when if when is None else when) or 'none'}", markup=False)
    console().print(f"It would have notified you {times}, of {len(found)} changes since {since}", markup=False)
    if calls:
        console().print(f"The model was asked {calls} times, {tokens} tokens", markup=False)
    if given_fields and not only_try:
        console().print("Saved", markup=False)


def extract(
    watch: Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", help="A JSON or YAML file with a JSON schema. Default: the watch's rule extract.")
    ] = None,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="Of the stored versions; default: the latest.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the fields of a page that a language model reads by a JSON schema.

    A value that does not stand in the page is refused. See docs/howto-models.md.
    """
    from driftline.cli.options import read_mapping
    from driftline.wiring import opened, run_loop

    given = read_mapping(schema) if schema is not None else None
    with opened() as app:
        found_watch = app.read(lambda data: data.watches.get(watch))
        ref, found, cost = run_loop(lambda: app.extracting(found_watch, given, version=version))
    if as_json:
        emit({"version": ref.version, "fields": found.fields, "refused": found.refused, "reason": found.reason})
        return
    rows = [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)) for name, value in found.fields.items()
    ]
    table("", ("field", "value"), rows, empty=f"No fields{': ' + found.reason if found.reason else ''}")
    if found.refused:
        console().print(f"Refused, not in the page: {', '.join(found.refused)}", markup=False)
    if cost.calls:
        console().print(f"The model was asked {cost.calls} times, {cost.tokens} tokens", markup=False)


COMMANDS = (condition, extract)
