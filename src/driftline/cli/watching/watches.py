"""Commands that add, import, list, pause and remove watches."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO
from uuid import UUID

import msgspec
import typer

from driftline.cli.options import Cursor, Every, Json, KindName, Limit, RulesFile, Select, unreadable
from driftline.cli.output import ago, console, emit, progress, say_more, stamp, table
from driftline.core.text.safety.escapes import escape, escape_json
from driftline.errors import BadFile, Refused, UsageError
from driftline.model.watch import Watch

if TYPE_CHECKING:
    from driftline.store.rows import Page
    from driftline.store.session import OrgData
    from driftline.store.views.watching.summaries import BucketSummary

WatchRefs = Annotated[list[str], typer.Argument(metavar="WATCH...", help="Name, id, or the end of an id.")]
IMPORTED_AT_ONCE = 500


def add(
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="The URL to watch. Without a scheme: https://, or http:// for localhost."),
    ],
    kind: KindName = "page",
    name: Annotated[str | None, typer.Option("--name", help="Your name for it; default: the URL.")] = None,
    every: Every = None,
    cron: Annotated[str | None, typer.Option("--cron", help="Five fields instead of --every, e.g. '0 9 * * mon-fri'.")] = None,
    timezone: Annotated[str, typer.Option("--timezone", help="Time zone of --cron and --window.")] = "UTC",
    window: Annotated[
        list[str] | None,
        typer.Option("--window", help="Check only at these times, e.g. 'mon-fri 08:00-18:00'; may be repeated."),
    ] = None,
    adaptive: Annotated[bool, typer.Option("--adaptive", help="Adjust the frequency automatically.")] = False,
    select: Select = None,
    compare: Annotated[
        str | None, typer.Option("--compare", help="visual: compare how the page, or the selected part, looks in the browser.")
    ] = None,
    rules: RulesFile = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")] = None,
    header: Annotated[list[str] | None, typer.Option("--header", help="'Name: value', sent with every request.")] = None,
    cookie: Annotated[list[str] | None, typer.Option("--cookie", help="'name=value', sent with every request.")] = None,
    method: Annotated[str, typer.Option("--method", help="GET, POST or HEAD.")] = "GET",
    body: Annotated[str | None, typer.Option("--body", help="Sent with --method POST.")] = None,
    browser: Annotated[
        str,
        typer.Option("--browser", help="auto (where the plain answer does not hold the content), never or always."),
    ] = "auto",
    wait_for: Annotated[
        str | None,
        typer.Option("--wait-for", help="In the browser: wait for a CSS selector, or for text=..., before reading."),
    ] = None,
    when: Annotated[
        str, typer.Option("--when", help="Notify only where this condition holds, e.g. 'price < 80'. See docs/conditions.md.")
    ] = "",
    intent: Annotated[
        str, typer.Option("--intent", help="Notify only of what this sentence asks for, as a language model judges it.")
    ] = "",
    paused: Annotated[
        bool, typer.Option("--paused", help="Do not check it until it is resumed. Runs can still be pushed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Watch a URL."""
    from driftline.cli.watching.watch_args import fetch_options, rules_from, schedule_from
    from driftline.engine.editing.watch_input import WatchInput
    from driftline.wiring import opened

    watch_input = WatchInput(
        url=url,
        kind=kind,
        name=name,
        tags=tuple(tag or ()),
        rules=rules_from(rules, select) | ({"compare": compare} if compare else {}),
        fetch=fetch_options(method, header or (), cookie or (), body, browser=browser, wait_for=wait_for),
        schedule=schedule_from(every, cron, timezone, window or (), adaptive=adaptive),
        when=when,
        intent=intent,
        paused=paused,
    )
    with opened() as app:
        draft = app.draft(watch_input)
        add_watches = app.adding([draft])

        def store(data: OrgData) -> Watch:
            if data.watches.name_exists(draft.name):
                raise Refused("a watch with this name already exists", name=draft.name, hint="choose another --name")
            return add_watches(data)[0]

        watch = app.write(store)
    if as_json:
        emit(watch_document(watch))
    else:
        console().print(f"watching {watch.name} ({watch.kind}). Try: driftline check {_short(watch)}", markup=False)


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="URLs, one a line with a name behind it if you like; an export of driftline; a backup of changedetection.io; "
            "YAML of urlwatch or webchanges; OPML. '-' reads standard input.",
        ),
    ],
    kind: KindName = "page",
    select: Select = None,
    every: Every = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Import nothing if a line is invalid.")] = False,
    as_json: Json = False,
) -> int:
    """Add many watches from a file. Invalid lines are listed with their numbers; existing watches are skipped.

    The formats are described in docs/import.md.
    """
    from driftline.cli.watching.watch_args import rules_from, schedule_from
    from driftline.engine.imports.limits import collect
    from driftline.engine.imports.watch_list import inputs_from_file, tags_from_list
    from driftline.wiring import opened

    rules = rules_from(None, select)
    schedule = schedule_from(every, None, "UTC", (), adaptive=False)
    with opened() as app:
        content = _read_bytes(file)
        found = inputs_from_file(content, kind, rules, schedule, tuple(tag or ()))
        out = collect(found, app.draft)
        good, bad, warned = out.good, out.bad, out.warned
        if bad and (strict or not good):
            number, problem = bad[0]
            raise BadFile(
                "nothing imported", bad_lines=out.bad_count, first=f"line {number}: {problem}", hint="correct these lines"
            )
        app.write(app.importing_tags(tags_from_list(content)))
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
            print(escape(f"line {number}: {problem}", one_line=True), file=sys.stderr)
        if out.bad_count > len(bad):
            print(f"and {out.bad_count - len(bad)} more invalid lines", file=sys.stderr)
        there = f", skipped {len(good) - len(fresh)}" if len(fresh) < len(good) else ""
        console().print(f"imported {len(imported)}{there}, invalid {out.bad_count}", markup=False)
    return 0


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to write; - is standard output, the default.")
    ] = None,
) -> None:
    """Write all watches, and tags that set something, as JSON lines for `driftline import`."""
    from driftline.engine.imports.watch_list import TagLine, input_of
    from driftline.wiring import opened

    encoder = msgspec.json.Encoder()
    target = sys.stdout.buffer if file is None or str(file) == "-" else _open_new(file)
    with opened() as app:
        for tag in app.read(lambda data: data.tags.all()):
            target.write(escape_json(encoder.encode(TagLine(tag=tag.name, settings=tag.settings))) + b"\n")
        for watch in app.all_watches():
            if watch.parent_id is None:
                target.write(escape_json(encoder.encode(input_of(watch))) + b"\n")
    target.flush()
    if target is not sys.stdout.buffer:
        target.close()


def list_(
    tag: Annotated[str | None, typer.Option("--tag", help="Only watches with this tag.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only watches of this kind.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="Only where the name or URL contains this.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List watches."""
    from driftline.wiring import opened

    with opened() as app:

        def find(data: OrgData) -> tuple[Page[Watch], Mapping[UUID, str | None], Mapping[UUID, BucketSummary]]:
            found = data.watches.page(tag=tag, kind=kind, text=text, roots=True, limit=limit, cursor=cursor)
            bucket_summaries = data.watches.bucket_summaries([watch.id for watch in found.rows])
            notes = data.runs.notes([watch.id for watch in found.rows if not watch.failures and watch.kind == "page"])
            reasons = data.runs.reasons([watch.id for watch in found.rows if watch.failures])
            return found, {**notes, **reasons}, bucket_summaries

        page, reasons, bucket_summaries = app.read(find)
        now = app.clock.now()
    if as_json:
        emit([_listed(watch, reasons.get(watch.id), bucket_summaries.get(watch.id)) for watch in page.rows])
    else:
        rows = [_row(watch, reasons.get(watch.id), bucket_summaries.get(watch.id), now=now) for watch in page.rows]
        table(
            "",
            ("name", "kind", "id", "state", "checked", "changed", "next"),
            rows,
            empty="No matching watches" if tag or kind or text or cursor else "No watches yet. Try: driftline add URL",
        )
    say_more("list", page.cursor)


def _listed(watch: Watch, reason: str | None, board: BucketSummary | None) -> dict[str, Any]:
    """A watch in JSON, with what is wrong with it."""
    from driftline.policy.health import failing

    wrong = failing(watch, reason)
    document = watch_document(board.applied_to(watch) if board else watch)
    return document | {"buckets": board.buckets if board else 0, "reason": reason, "message": wrong.sentence if wrong else None}


def _row(watch: Watch, reason: str | None, board: BucketSummary | None, *, now: datetime) -> tuple[str, ...]:
    from driftline.kinds.registry import KINDS
    from driftline.policy.health import failing

    wrong = failing(watch, reason)
    if board:
        watch = board.applied_to(watch)
    state = "paused" if watch.paused_at else wrong.what if wrong else reason or watch.last_outcome or "new"
    if board:
        thing = "page" if KINDS[watch.kind].traits.finds_children else "date"
        state += f", {board.buckets} {thing}{'' if board.buckets == 1 else 's'}"
        state += f", {board.failing} failing" if board.failing else ""
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
    """Stop checking watches. Their history stays."""
    _each(watches, "paused", lambda data, watch, at: data.watches.pause(watch.id, at=at), as_json=as_json)


def resume(watches: WatchRefs, as_json: Json = False) -> None:
    """Check paused watches again."""
    _each(watches, "resumed", lambda data, watch, at: data.watches.resume(watch.id, next_due_at=at), as_json=as_json)


def rm(
    watches: WatchRefs,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Remove watches and their history. Asks first, unless --yes says that it need not."""
    if not yes:
        _confirm_removal(watches)
    _each(watches, "removed", lambda data, watch, _at: data.watches.remove(watch.id), as_json=as_json)


def _confirm_removal(references: list[str]) -> None:
    """Go on only if a person says so; where nobody can be asked, nothing is removed."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.read(lambda data: {one.id: one for one in (data.watches.get(reference) for reference in references)})
    names = ", ".join(watch.name for watch in found.values())
    try:
        sure = typer.confirm(f"Remove {escape(names, one_line=True)} with all history?", err=True)
    except (typer.Abort, OSError):  # nobody is there
        raise UsageError(
            "removing cannot be undone", watches=names, hint="add --yes to remove them with their history"
        ) from None
    if not sure:
        raise typer.Exit(1)


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
        "when": watch.when,
        "intent": watch.intent,
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
    from driftline.engine.imports.limits import BYTES_AT_MOST

    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(BYTES_AT_MOST + 1)
        with file.open("rb") as stream:
            return stream.read(BYTES_AT_MOST + 1)
    except OSError as error:
        raise unreadable(file, error) from None


def _open_new(file: Path) -> BinaryIO:
    """For its owner alone: headers and cookies of watches are in it."""
    try:
        return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")
    except OSError as error:
        raise BadFile(
            "the file cannot be written", file=str(file), problem=error.strerror, hint="choose another path"
        ) from None


COMMANDS = (add, import_, export, list_, pause, resume, rm)
