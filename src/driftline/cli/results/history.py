"""The command that shows every version of a watch."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Cursor, FormOption, Json, Limit
from driftline.cli.output import emit, say_more, stamp, table, when
from driftline.cli.results.diffs import print_diff
from driftline.core.text.safety.escapes import escape
from driftline.errors import NotFound, Refused, UsageError

if TYPE_CHECKING:
    from uuid import UUID

    from driftline.model.change import Change
    from driftline.store.rows import Page, SnapshotRef
    from driftline.store.session import OrgData
    from driftline.wiring import App


def history(
    watch: Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id.")],
    versions: Annotated[
        list[int] | None, typer.Argument(metavar="[A [B]]", help="One version: its text. Two: how they differ.")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", help="A product, slot or article of the watch: its id or URL. Not needed for pages.")
    ] = None,
    form: FormOption = "text",
    limit: Limit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List every version of a watch, show the text of one, or compare any two."""
    from driftline.wiring import opened

    numbers = versions or []
    if len(numbers) > 2 or any(number < 1 for number in numbers):
        raise UsageError("too many versions" if len(numbers) > 2 else "versions count from 1", hint="give one or two numbers")
    with opened() as app:
        item_id = app.read(lambda data: _item(data, watch, item))
        match numbers:
            case []:
                _list(app, item_id, limit, cursor, as_json=as_json)
            case [number]:
                ref, text = app.read(app.stored_text(item_id, number))
                if as_json:
                    emit(_document(ref) | {"text": text})
                else:
                    print(escape(text))
            case _:
                _compare(app, item_id, numbers[0], numbers[1], form, as_json=as_json)


def _item(data: OrgData, reference: str, chosen: str | None) -> UUID:
    """The item whose versions are asked for: a page's own, or the named one."""
    from driftline.kinds.registry import KINDS
    from driftline.store.db.query import uuid_or_none

    watch = data.watches.get(reference)
    if chosen is not None and (id_ := uuid_or_none(chosen)) is not None:
        return data.items.get(id_).id
    if chosen is None and not KINDS[watch.kind].traits.one_item:
        raise Refused("this watch has many items", watch=watch.name, hint="name one with --item URL")
    found = (
        data.items.by_url(watch.id, chosen) if chosen is not None else [one.id for one in data.items.of(watch.id, limit=1).rows]
    )
    if not found:
        raise NotFound(
            "no version is stored", watch=watch.name, hint="check the watch first" if chosen is None else "check the URL"
        )
    return found[0]


def _list(app: App, item_id: UUID, limit: int, cursor: str | None, *, as_json: bool) -> None:
    def find(data: OrgData) -> tuple[Page[SnapshotRef], dict[UUID, Change]]:
        changes = data.changes.page(item_id=item_id, limit=limit).rows
        return data.items.snapshots(item_id, limit=limit, cursor=cursor), {
            change.run_id: change for change in reversed(changes)
        }

    page, reported = app.read(find)
    if as_json:
        emit([_document(ref) | {"headline": _headline(reported, ref)} for ref in page.rows])
    else:
        rows = [(str(ref.version), when(ref.run_started_at), _headline(reported, ref) or "-") for ref in page.rows]
        table("", ("version", "when", "what"), rows, empty="No versions yet. Try: driftline check")
    say_more("history ...", page.cursor)


def _headline(reported: dict[UUID, Change], ref: SnapshotRef) -> str | None:
    change = reported.get(ref.run_id)
    return change.headline if change else None


def _compare(app: App, item_id: UUID, old: int, new: int, form: Any, *, as_json: bool) -> None:
    pair = app.read(app.stored_pair(item_id, old, new))
    found = asyncio.run(app.compare_pair(pair))
    if as_json:
        sides = {"before": _document(pair.old), "after": _document(pair.new), "added": found.added, "removed": found.removed}
        emit(sides | {"rows": msgspec.to_builtins(found.rows)})
    elif found.rows:
        print_diff(found.rows, {}, form)
    else:
        print("the same text")
    if found.quiet and not as_json:
        lines = "1 line differs" if found.quiet == 1 else f"{found.quiet} lines differ"
        print(f"{lines} only in counters, ages or ids, or in what was ignored")


def _document(ref: SnapshotRef) -> dict[str, Any]:
    return {
        "version": ref.version,
        "at": stamp(ref.run_started_at),
        "run": ref.run_id,
        "snapshot": ref.id,
        "item": ref.item_id,
        "has_body": ref.blob_key is not None,
        "expires_at": stamp(ref.expires_at),
    }


COMMANDS = (history,)
