"""The command that lists the pages of a site."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from driftline.cli.options import Json, Limit
from driftline.cli.output import ago, emit, table
from driftline.cli.watching.watches import watch_document

if TYPE_CHECKING:
    from driftline.model.watch import Watch
    from driftline.store.rows import Page
    from driftline.store.session import OrgData


def pages(
    watch: Annotated[str, typer.Argument(metavar="WATCH", help="A site: name, id, or the end of an id.")],
    text: Annotated[str | None, typer.Option("--text", help="Only where the title or URL contains this.")] = None,
    removed: Annotated[bool, typer.Option("--removed", help="Pages that are gone, instead of those that are watched.")] = False,
    limit: Limit = 100,
    cursor: Annotated[str | None, typer.Option("--cursor", help="Continue where an earlier list ended.")] = None,
    as_json: Json = False,
) -> None:
    """List the pages of a site by address. Each is a watch of its own."""
    from driftline.wiring import opened

    with opened() as app:

        def find(data: OrgData) -> Page[Watch]:
            site = data.watches.get(watch)
            listed = data.watches.children_page
            return listed(site.id, text=text, state="retired" if removed else None, limit=limit, cursor=cursor)

        found = app.read(find)
        now = app.clock.now()
    if as_json:
        emit([watch_document(one) for one in found.rows])
    else:
        rows = [
            (one.url, one.name, one.last_outcome or "new", ago(one.last_checked_at, now=now), ago(one.last_change_at, now=now))
            for one in found.rows
        ]
        table("", ("address", "title", "state", "checked", "changed"), rows, empty="No pages")
    if found.cursor:
        print(f"More: driftline pages {watch} --cursor {found.cursor}", file=sys.stderr)


COMMANDS = (pages,)
