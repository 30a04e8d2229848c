"""Adding a watch, with a preview before anything is saved."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request, Response, get, post

from driftline.engine.editing.watch_input import WatchInput
from driftline.kinds.registry import KINDS
from driftline.model.delivery import Subscription
from driftline.model.watch import Watch
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import HTML, fragment, page, to
from driftline.web.pages.parts.watch_form import WatchForm, form_of, posted, read_form
from driftline.web.pages.watching.preview import PagePreview, Shown, previewed

_EMPTY: Final = WatchInput(url="")
_PREVIEW: Final = "/add/form"


@get("/add", guards=[editor])
async def adding(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The empty form, or one with an address that a bookmark brought."""
    values = form_of(msgspec.structs.replace(_EMPTY, url=FormValues.of(request, "url")["url"]))
    await caller.read(lambda _data: None)  # nothing beside what the frame tells
    return _page(request, WatchForm(values=values, proxies=tuple(caller.app.settings.proxies)))


@post(_PREVIEW, guards=[editor])
async def show_preview(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The form again, with what is read from the address."""
    form = await posted(await FormValues.form(request), caller.app)
    wanted, errors = read_form(caller.app, _EMPTY, form.values)
    if errors:
        return _page(request, msgspec.structs.replace(form, errors=errors), status=422)
    shown = await previewed(caller.app, wanted)
    if (seen := shown.seen) is not None:  # what is saved is what was shown
        name = seen.title[:200] if KINDS[seen.kind].traits.one_item and not form["name"] else form["name"]
        form = msgspec.structs.replace(form, values={**form.values, "kind": seen.kind, "name": name})
    return _page(request, form, shown)


@post("/add/preview", guards=[editor])
async def preview(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The part of the page that shows what is read."""
    form = await posted(await FormValues.form(request), caller.app)
    wanted, errors = read_form(caller.app, _EMPTY, form.values)
    shown = Shown(errors=tuple(errors.values())) if errors else await previewed(caller.app, wanted)
    return Response(fragment(request, "preview.html", preview_form=_PREVIEW, **shown.values()), media_type=HTML)


@post("/add", guards=[editor])
async def save(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Store it, due at once, and subscribe whoever asked for that."""
    form = await posted(await FormValues.form(request), caller.app)
    wanted, errors = read_form(caller.app, _EMPTY, form.values)
    if errors:
        return _page(request, msgspec.structs.replace(form, errors=errors), status=422)
    add_watches = caller.app.adding([caller.app.draft(wanted)])
    identity, subscription_id, at = caller.identity, caller.app.ids(), caller.now

    def store(data: OrgData) -> tuple[Watch, bool]:
        (watch,) = add_watches(data)
        if form.subscribe:
            subscription = Subscription(
                id=subscription_id, org_id=identity.org.id, user_id=identity.user.id, watch_id=watch.id, created_at=at
            )
            data.subscriptions.add(subscription)
        return watch, form.subscribe and not data.channels.all(user_id=identity.user.id)

    watch, unheard = await caller.write(store)
    return to(f"/watches/{watch.id}", done="added_unheard" if unheard else "added")


def _page(request: Request[Any, Any, Any], form: WatchForm, shown: Shown | None = None, *, status: int = 200) -> Response[str]:
    seen = shown or Shown(closer=PagePreview())
    return page(request, "add.html", status=status, form=form, preview_form=_PREVIEW, **seen.values())


ROUTES = (adding, show_preview, preview, save)
