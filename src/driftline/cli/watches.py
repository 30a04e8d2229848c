"""Commands that keep the list of watches."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import msgspec
import typer

from driftline.cli.options import Every, Json, KindName, Limit, RulesFile, Select
from driftline.cli.output import ago, console, emit, harmless, progress, stamp, table
from driftline.errors import BadFile, Refused
from driftline.model.watch import Watch

if TYPE_CHECKING:
    from driftline.store.session import OrgData

WatchRefs = Annotated[list[str], typer.Argument(metavar="WATCH...", help="Name, id, or the end of an id.")]
IMPORTED_AT_ONCE = 500


def add(
    url: Annotated[str, typer.Argument(help="The address to watch.")],
    kind: KindName = "page",
    name: Annotated[str | None, typer.Option("--name", help="A name of your own; default: the address.")] = None,
    every: Every = None,
    cron: Annotated[str | None, typer.Option("--cron", help="Five fields instead of --every, e.g. '0 9 * * mon-fri'.")] = None,
    timezone: Annotated[str, typer.Option("--timezone", help="Zone of --cron and --window.")] = "UTC",
    window: Annotated[
        list[str] | None, typer.Option("--window", help="Check only then, e.g. 'mon-fri 08:00-18:00'; may be repeated.")
    ] = None,
    adaptive: Annotated[bool, typer.Option("--adaptive", help="Check busy sources more often, quiet ones less.")] = False,
    select: Select = None,
    rules: RulesFile = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")] = None,
    header: Annotated[list[str] | None, typer.Option("--header", help="'Name: value', sent with every request.")] = None,
    cookie: Annotated[list[str] | None, typer.Option("--cookie", help="'name=value', sent with every request.")] = None,
    method: Annotated[str, typer.Option("--method", help="GET, POST or HEAD.")] = "GET",
    body: Annotated[str | None, typer.Option("--body", help="Sent with --method POST.")] = None,
    paused: Annotated[bool, typer.Option("--paused", help="Not checked until resumed; runs may be pushed.")] = False,
    as_json: Json = False,
) -> None:
    """Watch an address."""
    from driftline.cli.wishes import fetch_options, rules_from, schedule_from
    from driftline.engine.drafting import Wish
    from driftline.wiring import opened

    wish = Wish(
        url=url,
        kind=kind,
        name=name,
        tags=tuple(tag or ()),
        rules=rules_from(rules, select),
        fetch=fetch_options(method, header or (), cookie or (), body),
        schedule=schedule_from(every, cron, timezone, window or (), adaptive=adaptive),
        paused=paused,
    )
    with opened() as app:
        draft = app.draft(wish)
        plant = app.planting([draft])

        def store(data: OrgData) -> Watch:
            if data.watches.named(draft.name):
                raise Refused("there is a watch of this name", name=draft.name, hint="give another --name")
            return plant(data)[0]

        watch = app.write(store)
    if as_json:
        emit(watch_document(watch))
    else:
        console().print(f"watching {watch.name} ({watch.kind}); try: driftline check {_short(watch)}", markup=False)


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="URLs, one a line with a name behind it if you like; an export of driftline; a backup of changedetection.io; "
            "YAML of urlwatch or webchanges; OPML. '-' reads standard input."
        ),
    ],
    kind: KindName = "page",
    select: Select = None,
    every: Every = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Import nothing when a line is bad.")] = False,
    as_json: Json = False,
) -> int:
    """Watch many addresses; bad lines are listed with their numbers and the others imported, what is there already aside.

    What each format says, and what of it is taken over, is in docs/import.md.
    """
    from driftline.cli.wishes import drafts_from, rules_from, schedule_from, wishes_from_file
    from driftline.wiring import opened

    rules = rules_from(None, select)
    schedule = schedule_from(every, None, "UTC", (), adaptive=False)
    with opened() as app:
        found = wishes_from_file(_read_bytes(file), kind, rules, schedule, tuple(tag or ()))
        good, bad, warned = drafts_from(found, app.draft)
        if bad and (strict or not good):
            number, problem = bad[0]
            raise BadFile("nothing imported", bad_lines=len(bad), first=f"line {number}: {problem}", hint="mend the lines")
        fresh = app.unknown(good)
        imported: list[Watch] = []
        with progress("importing", len(fresh)) as shown:
            for start in range(0, len(fresh), IMPORTED_AT_ONCE):
                imported += app.add(fresh[start : start + IMPORTED_AT_ONCE])
                shown(len(imported))
    if as_json:
        emit([watch_document(watch) for watch in imported])
        emit([{"line": number, "error": problem} for number, problem in bad])
        emit([{"line": number, "warning": problem} for number, problem in warned])
    else:
        for number, problem in sorted(bad + warned):
            print(harmless(f"line {number}: {problem}"), file=sys.stderr)
        there = f", there already {len(good) - len(fresh)}" if len(fresh) < len(good) else ""
        console().print(f"imported {len(imported)}{there}, refused {len(bad)}", markup=False)
    return 0


def export(
    file: Annotated[Path | None, typer.Argument(help="Where to write; standard output by default.")] = None,
) -> None:
    """Write all watches as JSON lines that `driftline import` reads again."""
    from driftline.cli.wishes import wish_of
    from driftline.wiring import opened

    encoder = msgspec.json.Encoder()
    target = sys.stdout.buffer if file is None else _open_new(file)
    with opened() as app:
        for watch in app.all_watches():
            if watch.parent_id is None:
                target.write(encoder.encode(wish_of(watch)) + b"\n")
    target.flush()
    if file is not None:
        target.close()


def list_(
    tag: Annotated[str | None, typer.Option("--tag", help="Only watches with this tag.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only watches of this kind.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="Only where name or URL holds this.")] = None,
    limit: Limit = 100,
    cursor: Annotated[str | None, typer.Option("--cursor", help="Go on where an earlier listing ended.")] = None,
    as_json: Json = False,
) -> None:
    """List watches."""
    from driftline.wiring import opened

    with opened() as app:
        page = app.read(lambda data: data.watches.page(tag=tag, kind=kind, text=text, roots=True, limit=limit, cursor=cursor))
        now = app.clock.now()
    if as_json:
        emit([watch_document(watch) for watch in page.rows])
    else:
        rows = [_row(watch, now=now) for watch in page.rows]
        table(
            "",
            ("name", "kind", "id", "state", "checked", "changed", "next"),
            rows,
            empty="no watch fits" if tag or kind or text or cursor else "no watches yet; try: driftline add URL",
        )
    if page.cursor:
        print(f"more: driftline list --cursor {page.cursor}", file=sys.stderr)


def _row(watch: Watch, *, now: datetime) -> tuple[str, ...]:
    state = "paused" if watch.paused_at else watch.last_outcome or "new"
    return (
        watch.name,
        watch.kind,
        _short(watch),
        state,
        ago(watch.last_checked_at, now=now),
        ago(watch.last_change_at, now=now),
        _next(watch, now),
    )


def _next(watch: Watch, now: datetime) -> str:
    due_at = None if watch.paused_at else watch.next_due_at
    return "now" if due_at is not None and due_at <= now else ago(due_at, now=now)


def pause(watches: WatchRefs, as_json: Json = False) -> None:
    """Stop checking watches for now; their history stays."""
    _each(watches, "paused", lambda data, watch, at: data.watches.pause(watch.id, at=at), as_json=as_json)


def resume(watches: WatchRefs, as_json: Json = False) -> None:
    """Check paused watches again."""
    _each(watches, "resumed", lambda data, watch, at: data.watches.resume(watch.id, next_due_at=at), as_json=as_json)


def rm(watches: WatchRefs, as_json: Json = False) -> None:
    """Remove watches with their whole history."""
    _each(watches, "removed", lambda data, watch, _at: data.watches.remove(watch.id), as_json=as_json)


def _each(references: list[str], done: str, act: Callable[[OrgData, Watch, datetime], None], *, as_json: bool) -> None:
    """Do one thing to several watches, in one transaction: all names are understood, or nothing is done."""
    from driftline.wiring import opened

    with opened() as app:
        at = app.clock.now()

        def all_of_them(data: OrgData) -> list[Watch]:
            found = {watch.id: watch for watch in (data.watches.get(reference) for reference in references)}
            for watch in found.values():
                act(data, watch, at)
            after = {watch.id: watch for watch in data.watches.some(list(found))}
            return [after.get(watch.id, watch) for watch in found.values()]

        touched = app.write(all_of_them)
    if as_json:
        emit([watch_document(watch) for watch in touched])
        return
    for watch in touched:
        console().print(f"{done} {watch.name}", markup=False)


def watch_document(watch: Watch) -> dict[str, Any]:
    """A watch in JSON."""
    return {
        "id": watch.id,
        "name": watch.name,
        "kind": watch.kind,
        "url": watch.url,
        "tags": watch.tags,
        "rules": watch.rules,
        "fetch": msgspec.to_builtins(watch.fetch),
        "schedule": msgspec.to_builtins(watch.schedule),
        "paused": watch.paused_at is not None,
        "outcome": watch.last_outcome,
        "failures": watch.failures,
        "checked_at": stamp(watch.last_checked_at),
        "changed_at": stamp(watch.last_change_at),
        "due_at": stamp(watch.next_due_at),
        "created_at": stamp(watch.created_at),
    }


def _short(watch: Watch) -> str:
    """The end of the id: enough to name it on this machine."""
    return watch.id.hex[-8:]


def _read_bytes(file: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise BadFile("cannot be read", file=str(file), problem=error.strerror or str(error), hint="name a file") from None


def _open_new(file: Path) -> BinaryIO:
    """For its owner alone: headers and cookies of watches are in it."""
    try:
        return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")
    except OSError as error:
        raise BadFile("cannot be written", file=str(file), problem=error.strerror, hint="choose another path") from None


COMMANDS = (add, import_, export, list_, pause, resume, rm)
