"""Commands about tags: what they set on their watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Cursor, Json, Limit
from driftline.cli.output import emit, say, say_more, table

if TYPE_CHECKING:
    from driftline.model.tag import Tag
    from driftline.store.session import OrgData

tag = typer.Typer(no_args_is_help=True, help="Tags: schedule, request and rules for all watches that have one.")
TagName = Annotated[str, typer.Argument(metavar="TAG", help="The tag.")]


@tag.command("list")
def tag_list(limit: Limit = 100, cursor: Cursor = None, as_json: Json = False) -> None:
    """List tags with the number of their watches and what they set."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.read(lambda data: data.tags.page(limit=limit, cursor=cursor))
    if as_json:
        emit([{"tag": one.tag.name, "watches": one.watches, "settings": _plain(one.tag)} for one in found.rows])
    else:
        rows = [(one.tag.name, str(one.watches), _words(one.tag)) for one in found.rows]
        table("", ("tag", "watches", "sets"), rows, empty="No tags. Try: driftline set WATCH tag+=shops")
    say_more("tag list", found.cursor)


@tag.command("set")
def tag_set(
    name: TagName,
    changes: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="every, cron, timezone, window, adaptive, header, cookie, method, body, proxy, browser, wait_for, timeout, "
            "robots, or a rule with its kind in front such as page.select or catalog.currency. Give a key more than once for "
            "several values; an empty value sets nothing any more.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Set values for all watches with a tag. What a watch sets itself wins; of two tags, its first."""
    from driftline.cli.watching.edit import read_changes
    from driftline.engine.editing.tag_fields import with_tag_field
    from driftline.kinds.registry import KINDS
    from driftline.wiring import opened

    wanted = read_changes(changes)
    with opened() as app:

        def store(data: OrgData) -> tuple[Tag, int]:
            settings = data.tags.get(name).settings
            for key, how, texts in wanted:
                settings = with_tag_field(settings, key, how, texts, KINDS)
            fresh = app.draft_tag(name, settings)
            return fresh, app.saving_tag(fresh)(data)

        saved, changed = app.write(store)
    touched = "1 watch" if changed == 1 else f"{changed} watches"
    say(
        {"tag": saved.name, "settings": _plain(saved), "changed": changed},
        f"{_words(saved)}: {touched} changed",
        as_json=as_json,
    )


@tag.command("rm")
def tag_rm(name: TagName, as_json: Json = False) -> None:
    """Let a tag set nothing. Watches keep the tag, and their own values."""
    from driftline.model.tag import Tag
    from driftline.wiring import opened

    with opened() as app:
        changed = app.write(app.saving_tag(Tag(name=name)))
    touched = "1 watch" if changed == 1 else f"{changed} watches"
    say({"tag": name, "changed": changed}, f"{name} sets nothing now: {touched} changed", as_json=as_json)


def _plain(one: Tag | None) -> Any:
    return msgspec.to_builtins(one.settings) if one else {}


def _words(one: Tag | None) -> str:
    from driftline.engine.editing.tag_fields import tag_words

    return ", ".join(f"{name} {text}" for name, text in tag_words(one.settings)) if one else "nothing"


GROUPS = {"tag": tag}
