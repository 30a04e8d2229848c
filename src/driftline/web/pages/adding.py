"""Adding a watch: what would be read is shown before anything is saved."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, get, post

from driftline.engine.drafting import Wish
from driftline.engine.preview import Preview
from driftline.errors import BadRule, UsageError
from driftline.model.delivery import Subscription
from driftline.model.watch import Schedule, Watch
from driftline.policy.every import parse_every
from driftline.store.session import OrgData
from driftline.web.api import previews
from driftline.web.auth import editor
from driftline.web.caller import Caller
from driftline.web.pages.asked import Asked
from driftline.web.pages.looking import Closer, look_closer
from driftline.web.pages.rendering import HTML, fragment, page, to
from driftline.web.pages.troubles import Trouble, trouble_of


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
    form = Form(url=Asked.of(request, "url")["url"])
    await caller.read(lambda _data: None)  # nothing beside what the frame tells
    return page(request, "add.html", form=form, seen=None, trouble=None, closer=Closer())


@post("/add/look", guards=[editor])
async def look(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The form again, with what is read from the address."""
    form = await _form(request)
    seen, trouble, closer = await _looked(caller, form)
    if seen is not None:  # what is saved is what was shown
        name = seen.title[:200] if seen.kind == "page" and not form.name else form.name
        form = msgspec.structs.replace(form, kind=seen.kind, name=name)
    return page(request, "add.html", form=form, seen=seen or trouble, trouble=trouble, closer=closer)


@post("/add/preview", guards=[editor])
async def preview(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The part of the page that shows what is read."""
    seen, trouble, closer = await _looked(caller, await _form(request))
    return Response(fragment(request, "preview.html", seen=seen, trouble=trouble, closer=closer), media_type=HTML)


@post("/add", guards=[editor])
async def save(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Store it, due at once, and subscribe whoever asked for that."""
    form = await _form(request)
    try:
        plant = caller.app.planting([caller.app.draft(wish_of(form))])
    except UsageError as error:
        refused = trouble_of(error)
        return page(request, "add.html", status=422, form=form, seen=None, trouble=None, closer=Closer(), problem=refused)
    identity, subscription_id, at = caller.identity, caller.app.ids(), caller.now

    def store(data: OrgData) -> tuple[Watch, bool]:
        (watch,) = plant(data)
        if form.subscribe:
            wish = Subscription(
                id=subscription_id, org_id=identity.org.id, user_id=identity.user.id, watch_id=watch.id, created_at=at
            )
            data.subscriptions.add(wish)
        return watch, form.subscribe and not data.channels.all(user_id=identity.user.id)

    watch, unheard = await caller.write(store)
    return to(f"/watches/{watch.id}", done="added_unheard" if unheard else "added")


def wish_of(form: Form) -> Wish:
    """The watch that the form asks for."""
    rules = rules_from(form.rules)
    if form.select and form.kind == "page":
        rules = {**rules, "select": [form.select]}
    return Wish(
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
        raise BadRule("rules are not a JSON object", problem=str(error), hint='write {"name": value, ...}') from None
    return rules


async def _form(request: Request[Any, Any, Any]) -> Form:
    asked = await Asked.form(request)
    return Form(
        url=asked["url"],
        kind=asked["kind"] or "page",
        name=asked["name"],
        every=asked["every"] or "1h",
        tags=asked["tags"],
        select=asked["part"] or asked["select"],
        rules=asked["rules"],
        subscribe=asked["subscribe"] == "yes",
    )


async def _looked(caller: Caller, form: Form) -> tuple[Preview | None, Trouble | None, Closer]:
    """What is read, as the kind that sees most; of a page also its parts and its noise."""
    try:
        wish = wish_of(form)
        seen: Preview = await previews.preview_watch.fn(caller, wish)
        if seen.suggested_kind != seen.kind and not form.rules and not form.select:
            wish = wish_of(msgspec.structs.replace(form, kind=seen.suggested_kind))
            seen = await previews.preview_watch.fn(caller, wish)
        if seen.kind != "page" or seen.outcome is not None:
            return seen, None, Closer()
        return seen, None, await look_closer(caller.app, caller.app.draft(wish))
    except UsageError as error:
        return None, trouble_of(error), Closer()


ROUTES = (adding, look, preview, save)
