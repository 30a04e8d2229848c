"""The command that searches changes and stored texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Cursor, Json, Limit, read_span
from driftline.cli.output import ago, change_document, emit, say_more, stamp, table

if TYPE_CHECKING:
    from uuid import UUID

    from driftline.store.rows import Page
    from driftline.store.session import OrgData
    from driftline.store.views.results.search import Found


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="All of them are found, in any order.")],
    watch: Annotated[str | None, typer.Option("--watch", help="Only of this watch.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only of watches with this tag.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="Only changes of this type.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only from then on: a date, or 2h, 3d.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only before then; written like --since.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """Search changes and stored texts. Case and accents do not matter; end with * to find longer words."""
    from driftline.wiring import opened

    with opened() as app:
        now = app.clock.now()
        since_at, until_at = read_span(since, until, now=now)

        def find(data: OrgData) -> tuple[Page[Found], Mapping[UUID, str]]:
            watch_id = data.watches.get(watch).id if watch else None
            found = data.search.page(
                " ".join(words),
                watch_id=watch_id,
                tag=tag,
                type_=type_,
                since_at=since_at,
                until_at=until_at,
                limit=limit,
                cursor=cursor,
            )
            return found, data.watches.names([one.watch_id for one in found.rows])

        page, names = app.read(find)
    if as_json:
        emit([_document(found, names) for found in page.rows])
    else:
        rows = [(ago(one.at, now=now), names.get(one.watch_id, "-"), _what(one), _where(one)) for one in page.rows]
        table("", ("when", "watch", "what", "show"), rows, empty="Nothing found")
    say_more("search ...", page.cursor)


def _what(found: Found) -> str:
    return found.change.headline if found.change else found.text.excerpt if found.text else ""


def _where(found: Found) -> str:
    """What the next command takes."""
    return found.change.id.hex[-8:] if found.change else f"version {found.text.version}" if found.text else ""


def _document(found: Found, names: Mapping[UUID, str]) -> dict[str, Any]:
    base: dict[str, Any] = {"at": stamp(found.at), "watch": found.watch_id, "name": names.get(found.watch_id)}
    if found.change is not None:
        return base | {"found": "change", "change": change_document(found.change)}
    return base | {"found": "text", "text": msgspec.to_builtins(found.text)}


COMMANDS = (search,)
