"""Tags: what they set on the watches that have them."""

from __future__ import annotations

import msgspec
from litestar import delete, get, put
from litestar.params import FromPath, JSONBody

from driftline.model.tag import Tag, TagSettings
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed


class TagDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A tag, how many watches have it, and what it sets."""

    name: str
    watches: int
    settings: TagSettings


@get("/tags", guards=[editor], summary="List tags")
async def list_tags(caller: Caller, limit: Limit = 100, cursor: Cursor = None) -> Listed[TagDocument]:
    """Those that a watch has, and those that set something, by name."""
    found = await caller.read(lambda data: data.tags.page(limit=limit, cursor=cursor))
    return listed(found, lambda one: _document(one.tag, one.watches))


@get("/tags/{name:str}", guards=[editor], summary="Show a tag")
async def show_tag(caller: Caller, name: FromPath[str]) -> TagDocument:
    """What it sets; nothing for one that is only a word on watches."""
    return await caller.read(lambda data: _document(data.tags.get(name), data.tags.watches(name)))


@put("/tags/{name:str}", guards=[editor], summary="Set what a tag sets")
async def set_tag(caller: Caller, name: FromPath[str], data: JSONBody[TagSettings]) -> TagDocument:
    """For all watches with the tag, present and to come. What a watch sets itself wins; of two tags, its first."""
    tag = caller.app.draft_tag(name, data)
    return await caller.write(lambda org: _saved(caller, org, tag))


@delete("/tags/{name:str}", guards=[editor], summary="Let a tag set nothing")
async def remove_tag(caller: Caller, name: FromPath[str]) -> None:
    """Watches keep the tag as a word, and their own values."""
    await caller.write(caller.app.saving_tag(Tag(name=name)))


def _saved(caller: Caller, data: OrgData, tag: Tag) -> TagDocument:
    caller.app.saving_tag(tag)(data)
    return _document(tag, data.tags.watches(tag.name))


def _document(tag: Tag, watches: int) -> TagDocument:
    return TagDocument(name=tag.name, watches=watches, settings=tag.settings)


ROUTES = (list_tags, show_tag, set_tag, remove_tag)
