"""Picking a part of a page on its picture: a click proposes a selector, which is tried on stored versions."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from driftline.core.answers.failure_text import failure_text
from driftline.core.text.charset import decode
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.watch_list import input_of
from driftline.engine.pool import Overrun
from driftline.model.browser.picking import OutlinedPage
from driftline.model.fetch import Blocked, Failed, Fetched, Unmodified
from driftline.model.fetch import Request as FetchRequest
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.parts.watch_form import WatchForm, posted, read_form
from driftline.web.pages.public.failing import ErrorNotice
from driftline.wiring import App

_VERSIONS: Final = 8  # that a selector is tried on
_SAID: Final = 160  # characters


@post("/add/pick", guards=[editor])
async def pick_new(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The page of a watch that is being added."""
    form = await posted(await FormValues.form(request), caller.app)
    wanted, errors = read_form(caller.app, WatchInput(url=""), form.values)
    return await _shown(request, caller, form, wanted, errors, back="/add/form", tries="")


@post("/watches/{watch_id:uuid}/pick", guards=[editor])
async def pick_again(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[str]:
    """The page of a stored watch."""
    form = await posted(await FormValues.form(request), caller.app)
    stored = await caller.read(lambda data: data.watches.get(watch_id))
    wanted, errors = read_form(caller.app, input_of(stored), form.values)
    place = f"/watches/{watch_id}"
    return await _shown(request, caller, form, wanted, errors, back=f"{place}/form", tries=f"{place}/selected")


async def _shown(
    request: Request[Any, Any, Any],
    caller: Caller,
    form: WatchForm,
    wanted: WatchInput,
    errors: dict[str, str],
    *,
    back: str,
    tries: str,
) -> Response[str]:
    await caller.read(lambda _data: None)  # nothing beside what the frame tells
    found = None if errors else await _outlined(caller.app, wanted)
    outlined = found if isinstance(found, OutlinedPage) else None
    sentence = next(iter(errors.values()), None) or (found if isinstance(found, str) else None)
    return page(
        request,
        "pick.html",
        status=200 if outlined else 422,
        kept={name: value for name, value in form.values.items() if name not in ("part", "csrf", "_csrf")},
        subscribe=form.subscribe,
        problem=ErrorNotice(title=sentence) if sentence else None,
        picture=b64encode(outlined.picture).decode() if outlined else "",
        outlines=msgspec.json.encode(outlined.outlines).decode().replace("<", "\\u003c") if outlined else "[]",
        back=back,
        tries=tries,
        url=wanted.url,
    )


async def _outlined(app: App, wanted: WatchInput) -> OutlinedPage | str:
    """The picture with its elements, or the sentence that says why there is none."""
    draft = app.draft(msgspec.structs.replace(wanted, rules={}))
    options = msgspec.structs.replace(draft.fetch, browser="always", method="GET", body=None)
    async with app.fetcher() as fetcher:
        asked = FetchRequest(url=draft.url, options=options, picture="", outlined=True, org_id=app.org.id)
        answer = await fetcher.fetch(asked, robots=False)
    match answer:
        case Fetched(body=body) if answer.content_type == "application/json":
            return msgspec.json.decode(body, type=OutlinedPage)
        case Failed():
            return failure_text(answer.outcome, answer.reason).sentence
        case Blocked():
            return failure_text("blocked", answer.reason).sentence
        case Fetched() | Unmodified():
            return "This address answers with a file, which has no parts to pick."


class SelectedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What a selector finds in a stored version."""

    version: int
    count: int
    text: str


@get("/watches/{watch_id:uuid}/selected", guards=[editor])
async def selected(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> list[SelectedVersion]:
    """What a selector finds in the newest stored versions, for whoever picks."""
    selector = FormValues.of(request, "selector")["selector"]

    def find(data: OrgData) -> list[tuple[int, str, str]]:
        return data.contents.newest_bodies(data.watches.get(watch_id).id, limit=_VERSIONS)

    bodies = [
        (version, body, content_type)
        for version, key, content_type in await caller.read(find)
        if (body := await caller.app.store.blob(key)) is not None
    ]
    with caller.app.pool.preview(caller.app.org.id) as share:
        try:
            return await share.run(_selected, selector, bodies)
        except Overrun:
            return []


def _selected(selector: str, bodies: list[tuple[int, bytes, str]]) -> list[SelectedVersion]:
    found = []
    for version, body, content_type in bodies:
        try:
            nodes = LexborHTMLParser(decode(body, content_type)).css(selector)
        except (SelectolaxError, ValueError):
            nodes = []
        text = " ".join(nodes[0].text(separator=" ").split())[:_SAID] if nodes else ""
        found.append(SelectedVersion(version=version, count=len(nodes), text=text))
    return found


ROUTES = (pick_new, pick_again, selected)
