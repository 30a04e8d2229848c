"""Tags: the list, and what each sets on its watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from litestar import Request, Response, get, post

from driftline.engine.editing.tag_fields import TAG_FIELDS, as_input, tag_words, with_tag_field
from driftline.engine.editing.watch_texts import texts_of
from driftline.errors import UsageError
from driftline.kinds.registry import KINDS
from driftline.model.tag import Tag, TagSettings
from driftline.policy.conditions.checking import checked_condition
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues, query
from driftline.web.pages.parts.rendering import page, to
from driftline.web.pages.parts.watch_form import RULE_FIELDS, WatchForm, sentence

_TAGS_SHOWN: Final = 100
_SHOWN: Final = tuple(name for name in TAG_FIELDS if name not in ("timeout", "robots"))
_RULES: Final = tuple((kind, field.rule) for kind, fields in RULE_FIELDS.items() for field in fields)


class TagRow(msgspec.Struct, frozen=True, kw_only=True):
    """A tag in the list."""

    name: str
    watches: int
    words: str  # what it sets


@get("/tags", guards=[editor])
async def tag_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Every tag that a watch has, or that sets something."""
    return await _list(request, caller)


async def _list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    values = FormValues.of(request, "cursor")

    def find(data: OrgData) -> tuple[list[TagRow], str | None]:
        found = data.tags.page(limit=_TAGS_SHOWN, cursor=values["cursor"] or None)
        conditions = data.tag_conditions.of([one.tag.name for one in found.rows])
        rows = [
            TagRow(name=one.tag.name, watches=one.watches, words=_words(one.tag.settings, conditions.get(one.tag.name, "")))
            for one in found.rows
        ]
        return rows, found.cursor

    rows, cursor = await caller.read(find)
    return page(request, "tags.html", tags=rows, cursor=cursor, given=values.given)


@get("/tag", guards=[editor])
async def one_tag(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """What it sets, in the fields that a watch has."""
    name = FormValues.of(request, "name")["name"]
    if not name:
        return await _list(request, caller)
    return await _page(request, caller, name, None)


@post("/tag", guards=[editor])
async def save_tag(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """All of the form or nothing; with an error it stays as it was filled in."""
    values = await FormValues.form(request)
    stored = await caller.read(lambda data: data.tags.get(values["name"]).settings)
    settings, errors = _read(stored, values)
    when = ""
    try:
        when = checked_condition(values["when"], [kind.traits.subject for kind in KINDS.values()])
    except UsageError as error:
        errors["when"] = sentence(error)
    if not errors:
        try:
            await caller.write(
                _saving(caller.app.saving_tag(caller.app.draft_tag(values["name"], settings)), values["name"], when)
            )
        except UsageError as error:
            errors = {"": sentence(error)}
    if errors:
        form = WatchForm(values=dict(values), errors=errors, proxies=tuple(caller.app.settings.proxies))
        return await _page(request, caller, values["name"], form)
    return to(f"/tag{query({'name': values['name']})}", done="saved")


def _saving(save: Callable[[OrgData], Any], name: str, when: str) -> Callable[[OrgData], None]:
    """What the tag sets, and its condition, in one transaction."""

    def both(data: OrgData) -> None:
        save(data)
        data.tag_conditions.set(name, when)

    return both


async def _page(request: Request[Any, Any, Any], caller: Caller, name: str, form: WatchForm | None) -> Response[str]:
    def find(data: OrgData) -> tuple[Tag, int, bool, str]:
        mine = any(one.tag == name for one in data.subscriptions.all(user_id=caller.identity.user.id))
        return data.tags.get(name), data.tags.watches(name), mine, data.tag_conditions.get(name)

    tag, watches, subscribed, when = await caller.read(find)
    stored = {**_texts(tag.settings), "when": when}
    shown = form or WatchForm(values=stored, proxies=tuple(caller.app.settings.proxies))
    return page(
        request,
        "tag.html",
        status=422 if form else 200,
        name=name,
        watches=watches,
        subscribed=subscribed,
        form=shown,
        sets={kind for kind, _ in _RULES if any(shown[f"{kind}.{rule}"] for of, rule in _RULES if of == kind)},
    )


def _texts(settings: TagSettings) -> Mapping[str, str]:
    """The tag as the form shows it."""
    values = {name: "\n".join(texts_of(as_input(settings, "page"), name)) for name in _SHOWN}
    values["window"] = values["window"].replace("\n", "; ")
    for kind, rule in _RULES:
        values[f"{kind}.{rule}"] = "\n".join(texts_of(as_input(settings, kind), f"rules.{rule}"))
    return values


def _read(stored: TagSettings, values: Mapping[str, str]) -> tuple[TagSettings, dict[str, str]]:
    """What the form asks for, over what has no field in it, and what is wrong with its fields."""
    settings, errors = stored, {}
    for name in (*_SHOWN, *(f"{kind}.{rule}" for kind, rule in _RULES)):
        text = values.get(name, "")
        try:
            settings = with_tag_field(settings, name, "=", [text] if name == "body" else text.splitlines(), KINDS)
        except UsageError as error:
            errors[name] = sentence(error)
    return settings, errors


def _words(settings: TagSettings, when: str) -> str:
    notified = [("notify only when", when)] if when else []
    return ", ".join(f"{name} {text}" for name, text in (*tag_words(settings), *notified))


ROUTES = (tag_list, one_tag, save_tag)
