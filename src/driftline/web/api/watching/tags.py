"""Tags: what they set on the watches that have them."""

from __future__ import annotations

import msgspec
from litestar import delete, get, put
from litestar.params import FromPath, JSONBody

from driftline.model.tag import Tag, TagSettings
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Listed


class TagDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A tag, how many watches have it, and what it sets."""

    name: str
    watches: int
    settings: TagSettings


@get("/tags", guards=[editor], summary="List tags")
async def list_tags(caller: Caller) -> Listed[TagDocument]:
    """Those that a watch has, and those that set something."""

    def find(data: OrgData) -> Listed[TagDocument]:
        counts, stored = data.tags.counts(), {tag.name: tag.settings for tag in data.tags.all()}
        names = sorted({*counts, *stored})
        return Listed(items=tuple(_document(name, counts.get(name, 0), stored.get(name)) for name in names))

    return await caller.read(find)


@get("/tags/{name:str}", guards=[editor], summary="Show a tag")
async def show_tag(caller: Caller, name: FromPath[str]) -> TagDocument:
    """What it sets; nothing for one that is only a word on watches."""

    def find(data: OrgData) -> TagDocument:
        return _document(name, data.tags.counts().get(name, 0), data.tags.get(name).settings)

    return await caller.read(find)


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
    return _document(tag.name, data.tags.counts().get(tag.name, 0), tag.settings)


def _document(name: str, watches: int, settings: TagSettings | None) -> TagDocument:
    return TagDocument(name=name, watches=watches, settings=settings or TagSettings())


ROUTES = (list_tags, show_tag, set_tag, remove_tag)
