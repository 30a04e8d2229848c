"""Every version of an item: its text, the page as it looked, and any two compared."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath

from driftline.model.change import Change
from driftline.model.watch import Watch
from driftline.store.rows import SnapshotRef
from driftline.store.session import OrgData
from driftline.web.api.results.versions import LATEST
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import HTML, page
from driftline.web.security_headers import LOOKED

_VIEWS: Final = ("text", "changes", "split", "page")
_NOTHING: Final = (
    '<!doctype html><meta charset="utf-8"><title>Not stored</title><p>The page was not stored, or cannot be shown.</p>'
)
_REPORTED: Final = 200  # changes that a list of versions names


@get("/items/{item_id:uuid}/version", guards=[viewer])
async def one_version(request: Request[Any, Any, Any], caller: Caller, item_id: FromPath[UUID]) -> Response[str]:
    """What it said, what had changed, how it looked; the ones before and after are a step away."""
    values = FormValues.of(request, "number", "view")
    view = values["view"] if values["view"] in _VIEWS else _VIEWS[0]
    text_of = caller.app.stored_text

    def find(data: OrgData) -> dict[str, Any]:
        item = data.items.get(item_id)
        ref, text = text_of(item_id, _number(values["number"], LATEST))(data)
        neighbors = data.items.neighbors(item_id, ref.version)
        differs = neighbors.previous if view in ("changes", "split") else None
        pair = caller.app.stored_pair(item_id, differs, ref.version)(data) if differs else None
        found = {"item": item, "ref": ref, "text": text, "neighbors": neighbors, "pair": pair}
        return {**found, "watch": watch_of(data, item_id)}

    found = await caller.read(find)
    pair = found.pop("pair")
    compared = await caller.app.compare_pair(pair) if pair is not None else None
    return page(request, "version.html", view=view, compared=compared, **found)


@get("/items/{item_id:uuid}/compare", guards=[viewer])
async def compare(request: Request[Any, Any, Any], caller: Caller, item_id: FromPath[UUID]) -> Response[str]:
    """Any two, the older one first."""
    values = FormValues.of(request, "from", "to", "view")
    numbers = _number(values["from"], 1), _number(values["to"], LATEST)

    def find(data: OrgData) -> dict[str, Any]:
        item = data.items.get(item_id)
        pair = caller.app.stored_pair(item_id, *numbers)(data)
        found = {"item": item, "old": pair.old, "new": pair.new, "pair": pair}
        return {**found, "watch": watch_of(data, item_id)}

    found = await caller.read(find)
    compared = await caller.app.compare_pair(found.pop("pair"))
    view = "split" if values["view"] == "split" else "inline"
    return page(request, "compare.html", view=view, compared=compared, **found)


@get("/items/{item_id:uuid}/look", guards=[viewer])
async def look(request: Request[Any, Any, Any], caller: Caller, item_id: FromPath[UUID]) -> Response[str]:
    """The stored page for our frame: a stranger's content, so nothing of it runs, asks for anything or leads anywhere."""
    number = _number(FormValues.of(request, "number")["number"], LATEST)
    content = await caller.read(lambda data: data.contents.get(data.items.version(item_id, number).id))
    shown = await caller.app.page_for_frame(content)
    headers = {"Content-Security-Policy": LOOKED, "X-Frame-Options": "SAMEORIGIN"}
    return Response(shown or _NOTHING, media_type=HTML, headers=headers)


def watch_of(data: OrgData, item_id: UUID) -> Watch | None:
    """A watch that has the item now."""
    return next(iter(data.watches.some(data.items.watches_of(item_id))), None)


def reported(data: OrgData, item_id: UUID, snapshots: tuple[SnapshotRef, ...]) -> dict[UUID, Change]:
    """What was reported of these versions, by the run that made them."""
    if not snapshots:
        return {}
    changes = data.changes.page(item_id=item_id, limit=_REPORTED).rows
    return {change.run_id: change for change in reversed(changes)}


def _number(text: str, otherwise: int) -> int:
    return min(int(text), LATEST) if text.isascii() and text.isdigit() and len(text) < 12 else otherwise


ROUTES = (one_version, compare, look)
