"""Feeds with their addresses, import and export."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import UploadFile
from litestar.exceptions import HTTPException

from driftline.errors import UsageError
from driftline.model.access import Token
from driftline.store.session import OrgData
from driftline.web.api.accounts import access
from driftline.web.api.watching import transfer as api
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.public.failing import ErrorNotice, error_notice

_HERE: Final = "/settings/feeds"


@get(_HERE, guards=[viewer])
async def feeds(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The feeds of whoever asks, and the ways in and out."""
    return await _shown(request, caller)


async def _shown(
    request: Request[Any, Any, Any],
    caller: Caller,
    *,
    address: str = "",  # of a new feed; shown once, as it holds a secret
    imported: api.Imported | None = None,
    problem: ErrorNotice | None = None,
) -> Response[str]:
    user_id = caller.identity.user.id

    def find(data: OrgData) -> list[Token]:
        return [token for token in data.tokens.all(user_id=user_id) if token.scopes == ("feed",)]

    tokens = await caller.read(find)
    status = 422 if problem else 200
    return page(request, "feeds.html", status=status, tokens=tokens, address=address, imported=imported, problem=problem)


@post(_HERE, guards=[access.keyholder])
async def add_feed(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """A new address for a feed reader: of all changes, of a watch or of a tag."""
    form = await FormValues.form(request)
    try:
        chosen: dict[str, str] = {}
        if form["watch"]:
            watch = await caller.read(lambda data: data.watches.get(form["watch"]))
            chosen["watch"] = str(watch.id)
        elif form["tag"]:
            chosen["tag"] = form["tag"]
        name = f"Feed: {form['watch'] or form['tag'] or 'all changes'}"[:120]
        made = await access.add_token.fn(caller, access.NewToken(name=name, scopes=("feed",)))
    except UsageError as error:
        return await _shown(request, caller, problem=error_notice(error))
    secret = msgspec.json.decode(made.content, type=dict[str, Any])["token"]
    base = caller.app.settings.public_url.rstrip("/") or str(request.base_url).rstrip("/")
    query = f"?{urlencode(chosen)}" if chosen else ""
    return await _shown(request, caller, address=f"{base}/api/v1/feeds/{secret}/changes.atom{query}")


@post("/settings/import", guards=[editor])
async def import_file(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """A file, or lines that were pasted; invalid ones are listed, existing watches skipped."""
    fields = await request.form()
    upload, pasted = fields.get("file"), fields.get("lines")
    data = await upload.read() if isinstance(upload, UploadFile) else b""
    data = data or str(pasted or "").encode("utf-8", "surrogatepass")
    try:
        if not data.strip():
            raise UsageError("nothing was given", hint="choose a file, or paste addresses")
        made = await api.imported_from(caller, data)
    except UsageError as error:
        return await _shown(request, caller, problem=error_notice(error))
    except HTTPException as error:
        return await _shown(request, caller, problem=ErrorNotice(title="Nothing was imported", context=error.detail))
    return await _shown(request, caller, imported=msgspec.json.decode(made.content, type=api.Imported))


ROUTES = (feeds, add_feed, import_file)
