"""Export and import of watches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.exceptions import ClientException
from litestar.params import FromQuery
from litestar.response import Stream

from driftline.engine.editing.watch_input import draft_of
from driftline.engine.imports.limits import ENTRIES_OF_A_REQUEST, ImportedFile, LineProblem, collect
from driftline.engine.imports.watch_list import TagLine, input_of, inputs_from_file, tags_from_list
from driftline.engine.pool import Overrun
from driftline.errors import BadFile
from driftline.kinds.registry import KINDS
from driftline.model.watch import Schedule, Watch
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller

_PAGE: Final = 500
BODY: Final = {
    "description": "one URL per line with an optional name after it, the lines of an export, a backup of changedetection.io, "
    "YAML of urlwatch or webchanges, or OPML",
    "required": True,
    "content": {
        media: {"schema": {"type": "string"}}
        for media in ("text/plain", "application/x-ndjson", "application/zip", "application/yaml", "text/x-opml")
    },
}


class BadLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of an import that is invalid or was only partly understood."""

    line: int
    problem: str


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an import."""

    imported: int
    already: int  # the same watches were there
    refused: tuple[BadLine, ...]  # the first thousand
    refused_count: int
    warnings: tuple[BadLine, ...]  # of lines that were imported


@get("/export", guards=[editor], summary="Export watches", media_type="application/x-ndjson")
async def export_watches(caller: Caller) -> Stream:
    """One JSON object per line, as `driftline export` writes it. Headers and cookies are included."""

    async def lines() -> AsyncIterator[bytes]:
        for tag in await caller.read(lambda data: data.tags.all()):
            yield msgspec.json.encode(TagLine(tag=tag.name, settings=tag.settings)) + b"\n"
        cursor: str | None = None
        while True:
            page = await caller.read(_page(cursor))
            yield b"".join(msgspec.json.encode(input_of(watch)) + b"\n" for watch in page.rows)
            cursor = page.cursor
            if cursor is None:
                return

    headers = {"Content-Disposition": 'attachment; filename="watches.ndjson"'}
    return Stream(lines(), media_type="application/x-ndjson", headers=headers)


def _page(cursor: str | None) -> Any:
    def read(data: OrgData) -> Page[Watch]:
        return data.watches.page(roots=True, limit=_PAGE, cursor=cursor)

    return read


@post("/import", guards=[editor], body=BODY, summary="Import watches")
async def import_watches(
    request: Request[Any, Any, Any], caller: Caller, strict: FromQuery[bool] = False
) -> Response[Imported]:
    """Invalid lines are listed and existing watches skipped. With `strict`, nothing is imported if a line is invalid."""
    return await imported_from(caller, await request.body(), strict=strict)


async def imported_from(caller: Caller, data: bytes, *, strict: bool = False) -> Response[Any]:
    """What a file holds, as watches; with what was wrong with it."""
    with caller.app.pool.preview(caller.app.org.id) as share:
        try:
            read = await share.compute(len(data), _sorted, data, caller.now)
        except Overrun as error:
            raise BadFile(f"reading the file {error}", hint="split it") from None
    good, bad = read.good, read.bad
    if bad and strict:
        flaws = [{"message": problem, "key": str(line), "source": "body"} for line, problem in bad[:100]]
        raise ClientException(status_code=422, detail=f"{read.bad_count} invalid lines; nothing was imported", extra=flaws)
    fresh = await asyncio.to_thread(caller.app.unknown, good)

    def imported(made: Sequence[Watch]) -> Imported:
        return Imported(
            imported=len(made),
            already=len(good) - len(fresh),
            refused=_listed(bad),
            refused_count=read.bad_count,
            warnings=_listed(read.warned),
        )

    tags, add_watches = caller.app.importing_tags(tags_from_list(data)), caller.app.adding(fresh)

    def store(org: OrgData) -> list[Watch]:
        tags(org)
        return add_watches(org)

    return await caller.create(store, imported)


def _sorted(data: bytes, at: datetime) -> ImportedFile:
    """In a child: a file may be slow to read in ways of its own."""
    found = inputs_from_file(data, "page", {}, Schedule(), ())
    return collect(found, lambda watch_input: draft_of(watch_input, KINDS, at=at), entries_at_most=ENTRIES_OF_A_REQUEST)


def _listed(imported: Sequence[LineProblem]) -> tuple[BadLine, ...]:
    return tuple(BadLine(line=number, problem=problem) for number, problem in imported)


ROUTES = (export_watches, import_watches)
