"""Lists of watches: one URL per line, the output of `driftline export`, or another program's file; and the export itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports import read_foreign
from driftline.engine.imports.limits import LINE_AT_MOST, check_size, lines_of
from driftline.model.tag import TagSettings
from driftline.model.watch import Schedule, Watch

_TAG_LINE: Final = '{"tag":'


class TagLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tag that sets something, as a line of an export."""

    tag: str
    settings: TagSettings


def tags_from_list(data: bytes) -> list[TagLine]:
    """The tags of an export of ours; none of any other file."""
    found = []
    for _, raw in lines_of(data):
        if raw.lstrip().startswith(_TAG_LINE):
            with suppress(msgspec.MsgspecError, RecursionError):  # a line that is wrong is named where watches are read
                found.append(msgspec.json.decode(raw, type=TagLine))
    return found


def inputs_from_list(
    data: bytes, kind: str, rules: dict[str, Any], schedule: Schedule, tags: tuple[str, ...]
) -> Iterator[tuple[int, WatchInput | None, str]]:
    """Each line as (number, input or None, problem): a URL with an optional name, or a JSON object of `driftline export`."""
    for number, raw in lines_of(data):
        line = raw.strip()
        if len(raw) >= LINE_AT_MOST:
            yield number, None, f"invalid watch: longer than {LINE_AT_MOST:,} characters"
            continue
        if not line or line.startswith("#"):
            continue
        if line.startswith("{"):
            try:
                if line.startswith(_TAG_LINE):
                    msgspec.json.decode(line, type=TagLine)
                    continue
                yield number, msgspec.json.decode(line, type=WatchInput), ""
            except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
                yield number, None, f"invalid watch: {error}"
            continue
        url, _, name = line.partition(" ") if " " in line else line.partition("\t")
        yield number, WatchInput(url=url, kind=kind, name=name.strip() or None, rules=rules, schedule=schedule, tags=tags), ""


def inputs_from_file(
    data: bytes, kind: str, rules: dict[str, Any], schedule: Schedule, tags: tuple[str, ...]
) -> Iterator[tuple[int, WatchInput | None, str]]:
    """Each watch of a list or of another program's file as (line, input or None, problem); `tags` are added."""
    check_size(data)
    foreign = read_foreign(data)
    if foreign is None:
        yield from inputs_from_list(data, kind, rules, schedule, tags)
        return
    for found in foreign:
        watch_input = found.watch_input
        yield (
            found.place,
            msgspec.structs.replace(watch_input, tags=(*watch_input.tags, *tags)) if watch_input else None,
            found.problem,
        )


def input_of(watch: Watch) -> WatchInput:
    """The input that would create this watch again: what it sets itself, without what its tags set."""
    itself = watch.own or watch
    return WatchInput(
        url=watch.url,
        kind=watch.kind,
        name=watch.name,
        tags=watch.tags,
        rules=itself.rules,
        fetch=itself.fetch,
        schedule=itself.schedule,
        own=watch.own.own if watch.own else (),
        when=watch.when,
        intent=watch.intent,
        paused=watch.paused_at is not None,
    )
