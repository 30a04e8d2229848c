"""Editing a watch: the form that added it, with what is stored, and a preview before anything is saved."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from litestar import Request, Response, post
from litestar.params import FromPath

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.watch_list import input_of
from driftline.errors import Refused
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import HTML, fragment, to
from driftline.web.pages.parts.watch_form import WatchForm, posted, read_form, sentence
from driftline.web.pages.watching.preview import Shown, previewed
from driftline.web.pages.watching.watch import watch_page

TRIED_AT_ONCE = 200  # changes that the page shows
_TAB = FormValues({"tab": "rules"})


@post("/watches/{watch_id:uuid}/edit", guards=[editor])
async def edit(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[Any]:
    """All of the form or nothing; with an error it stays as it was filled in."""
    form, _, errors = await _asked(request, caller, watch_id)
    if not errors:
        change = caller.app.changing(watch_id, lambda stored: read_form(caller.app, stored, form.values)[0])
        try:
            await caller.write(change)
        except Refused as error:
            errors = {"": sentence(error)}
    if errors:
        kept = msgspec.structs.replace(form, errors=errors)
        return await watch_page(request, caller, watch_id, _TAB, form=kept, status=422)
    return to(f"/watches/{watch_id}?tab=rules", done="saved")


@post("/watches/{watch_id:uuid}/form", guards=[editor])
async def edit_preview(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[str]:
    """The form again, with what is read with these values; nothing is saved."""
    form, wanted, errors = await _asked(request, caller, watch_id)
    shown = None if errors else await previewed(caller.app, wanted, suggest=False)
    kept = msgspec.structs.replace(form, errors=errors)
    return await watch_page(request, caller, watch_id, _TAB, form=kept, shown=shown, status=422 if errors else 200)


@post("/watches/{watch_id:uuid}/try", guards=[editor])
async def edit_trial(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[str]:
    """The form again, with what its condition would have done to the changes of the last 90 days; nothing is saved."""
    form, asked, errors = await _asked(request, caller, watch_id)
    if not errors:
        watch = await caller.read(lambda data: data.watches.get(watch_id))
        trial = await caller.app.trying(
            watch, when=asked.when, intent=asked.intent if caller.app.settings.model_url else "", limit=TRIED_AT_ONCE
        )
        form = msgspec.structs.replace(form, trial=trial)
    kept = msgspec.structs.replace(form, errors=errors)
    return await watch_page(request, caller, watch_id, _TAB, form=kept, status=422 if errors else 200)


@post("/watches/{watch_id:uuid}/preview", guards=[editor])
async def preview_fragment(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[str]:
    """The part of the page that shows what is read."""
    _, wanted, errors = await _asked(request, caller, watch_id)
    shown = Shown(errors=tuple(errors.values())) if errors else await previewed(caller.app, wanted, suggest=False)
    place = f"/watches/{watch_id}/form"
    return Response(fragment(request, "preview.html", preview_form=place, **shown.values()), media_type=HTML)


async def _asked(
    request: Request[Any, Any, Any], caller: Caller, watch_id: UUID
) -> tuple[WatchForm, WatchInput, dict[str, str]]:
    """The form as it was sent, the watch that it asks for, and what is wrong with it."""
    form = await posted(await FormValues.form(request), caller.app)
    stored = await caller.read(lambda data: data.watches.get(watch_id))
    return form, *read_form(caller.app, input_of(stored), form.values)


ROUTES = (edit, edit_preview, edit_trial, preview_fragment)
