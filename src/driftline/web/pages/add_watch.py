"""Adding a watch, with a preview before anything is saved."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, get, post

from driftline.engine.preview import Preview
from driftline.engine.preview import preview as preview_of
from driftline.engine.watch_input import WatchInput
from driftline.errors import BadRule, UsageError
from driftline.kinds.kind import Learns
from driftline.kinds.registry import KINDS
from driftline.model.delivery import Subscription
from driftline.model.watch import Schedule, Watch
from driftline.policy.every import parse_every
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.failing import ErrorNotice, error_notice
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import HTML, fragment, page, to
from driftline.web.pages.preview import FirstLoad, PagePreview, preview_page


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What the form holds."""

    url: str = ""
    kind: str = "page"
    name: str = ""
    every: str = "1h"
    tags: str = ""
    select: str = ""
    rules: str = ""
    subscribe: bool = True


@get("/add", guards=[editor])
async def adding(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The empty form, or one with an address that a bookmark brought."""
    form = Form(url=FormValues.of(request, "url")["url"])
    await caller.read(lambda _data: None)  # nothing beside what the frame tells
    return page(request, "add.html", form=form, seen=None, trouble=None, closer=PagePreview())


@post("/add/form", guards=[editor])
async def show_preview(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The form again, with what is read from the address."""
    form = await _form(request)
    seen, trouble, closer = await _previewed(caller, form)
    if seen is not None:  # what is saved is what was shown
        name = seen.title[:200] if KINDS[seen.kind].traits.one_item and not form.name else form.name
        form = msgspec.structs.replace(form, kind=seen.kind, name=name)
    return page(request, "add.html", form=form, seen=seen or trouble, trouble=trouble, closer=closer)


@post("/add/preview", guards=[editor])
async def preview(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The part of the page that shows what is read."""
    seen, trouble, closer = await _previewed(caller, await _form(request))
    return Response(fragment(request, "preview.html", seen=seen, trouble=trouble, closer=closer), media_type=HTML)


@post("/add", guards=[editor])
async def save(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Store it, due at once, and subscribe whoever asked for that."""
    form = await _form(request)
    try:
        plant = caller.app.planting([caller.app.draft(input_from_form(form))])
    except UsageError as error:
        refused = error_notice(error)
        return page(request, "add.html", status=422, form=form, seen=None, trouble=None, closer=PagePreview(), problem=refused)
    identity, subscription_id, at = caller.identity, caller.app.ids(), caller.now

    def store(data: OrgData) -> tuple[Watch, bool]:
        (watch,) = plant(data)
        if form.subscribe:
            watch_input = Subscription(
                id=subscription_id, org_id=identity.org.id, user_id=identity.user.id, watch_id=watch.id, created_at=at
            )
            data.subscriptions.add(watch_input)
        return watch, form.subscribe and not data.channels.all(user_id=identity.user.id)

    watch, unheard = await caller.write(store)
    return to(f"/watches/{watch.id}", done="added_unheard" if unheard else "added")


def input_from_form(form: Form) -> WatchInput:
    """The watch that the form asks for."""
    rules = rules_from(form.rules)
    if form.select and form.kind in KINDS and "select" in KINDS[form.kind].rules.__struct_fields__:
        rules = {**rules, "select": [form.select]}
    return WatchInput(
        url=form.url,
        kind=form.kind,
        name=form.name or None,
        tags=tags_from(form.tags),
        rules=rules,
        schedule=Schedule(every_for=parse_every(form.every)),
    )


def tags_from(text: str) -> tuple[str, ...]:
    """With commas between them."""
    return tuple(tag.strip() for tag in text.split(",") if tag.strip())


def rules_from(text: str) -> dict[str, Any]:
    """A JSON object; none for no text."""
    if not text.strip():
        return {}
    try:
        rules: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise BadRule("the rules are not a JSON object", problem=str(error), hint='write {"name": value, ...}') from None
    return rules


async def _form(request: Request[Any, Any, Any]) -> Form:
    values = await FormValues.form(request)
    return Form(
        url=values["url"],
        kind=values["kind"] or "page",
        name=values["name"],
        every=values["every"] or "1h",
        tags=values["tags"],
        select=values["part"] or values["select"],
        rules=values["rules"],
        subscribe=values["subscribe"] == "yes",
    )


async def _previewed(caller: Caller, form: Form) -> tuple[Preview | None, ErrorNotice | None, PagePreview]:
    """What is read, as the kind that sees most; of a page also its parts and its noise."""
    try:
        app = caller.app
        draft = app.draft(input_from_form(form))
        with app.pool.preview(app.org.id) as share:
            async with app.fetcher() as fetcher:
                loaded = FirstLoad(fetcher)
                seen = await preview_of(loaded, share, KINDS, draft)
                if seen.suggested_kind != seen.kind and not form.rules and not form.select:
                    draft = app.draft(input_from_form(msgspec.structs.replace(form, kind=seen.suggested_kind)))
                    seen = await preview_of(loaded, share, KINDS, draft)
                if not isinstance(KINDS[seen.kind], Learns) or seen.outcome is not None:
                    return seen, None, PagePreview()
                return seen, None, await preview_page(app, draft, loaded, share)
    except UsageError as error:
        return None, error_notice(error), PagePreview()


ROUTES = (adding, show_preview, preview, save)
