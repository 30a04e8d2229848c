"""Watches out and in again: what is exported can be imported as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.exceptions import ClientException
from litestar.params import FromQuery
from litestar.response import Stream

from driftline.cli.wishes import drafts_from, wish_of, wishes_from_file
from driftline.engine.drafting import Draft
from driftline.model.watch import Schedule, Watch
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.web.auth import editor
from driftline.web.caller import Caller

IMPORTED_AT_MOST: Final = 10_000
_PAGE: Final = 500
BODY: Final = {
    "description": "one URL a line with a name behind it, the lines of an export, a backup of changedetection.io, YAML of "
    "urlwatch or webchanges, or OPML",
    "required": True,
    "content": {
        media: {"schema": {"type": "string"}}
        for media in ("text/plain", "application/x-ndjson", "application/zip", "application/yaml", "text/x-opml")
    },
}


class BadLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is not a watch, or not all of one."""

    line: int
    problem: str


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What came in."""

    imported: int
    already: int  # the same watches were there
    refused: tuple[BadLine, ...]
    warnings: tuple[BadLine, ...]  # of lines that were imported


@get("/export", guards=[editor], summary="Export watches", media_type="application/x-ndjson")
async def export_watches(caller: Caller) -> Stream:
    """One JSON object a line, as `driftline export` writes it. Headers and cookies are in it."""

    async def lines() -> AsyncIterator[bytes]:
        cursor: str | None = None
        while True:
            page = await caller.read(_page(cursor))
            yield b"".join(msgspec.json.encode(wish_of(watch)) + b"\n" for watch in page.rows)
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
    """Bad lines are listed and the others imported, unless they are there already; with `strict`, none where one is bad."""
    good, bad, warned = await asyncio.to_thread(_sorted, caller, await request.body())
    if bad and strict:
        flaws = [{"message": one.problem, "key": str(one.line), "source": "body"} for one in bad[:100]]
        raise ClientException(status_code=422, detail=f"{len(bad)} bad lines; nothing was imported", extra=flaws)
    if len(good) > IMPORTED_AT_MOST:
        raise ClientException(status_code=413, detail=f"at most {IMPORTED_AT_MOST} watches at once")
    fresh = await asyncio.to_thread(caller.app.unknown, good)

    def told(made: Sequence[Watch]) -> Imported:
        already = len(good) - len(fresh)
        return Imported(imported=len(made), already=already, refused=tuple(bad[:1000]), warnings=tuple(warned[:1000]))

    return await caller.create(caller.app.planting(fresh), told)


def _sorted(caller: Caller, data: bytes) -> tuple[list[Draft], list[BadLine], list[BadLine]]:
    good, *told = drafts_from(wishes_from_file(data, "page", {}, Schedule(), ()), caller.app.draft)
    bad, warned = ([BadLine(line=number, problem=problem) for number, problem in lines] for lines in told)
    return good, bad, warned


ROUTES = (export_watches, import_watches)
