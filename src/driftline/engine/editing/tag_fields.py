"""What a tag sets as texts: read into its settings, and written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from driftline.engine.editing.watch_fields import ALIASES, FIELDS, with_field
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.editing.watch_texts import texts_of
from driftline.errors import UsageError
from driftline.kinds.kind import AnyKind
from driftline.model.tag import TagSettings

_NOT_OF_TAGS: Final = frozenset({"url", "kind", "name", "tag", "when", "intent"})  # a tag's condition has a place of its own
TAG_FIELDS: Final = tuple(name for name in FIELDS if name not in _NOT_OF_TAGS)  # what a tag can set, beside rules


def with_tag_field(
    settings: TagSettings, name: str, how: str, texts: Sequence[str], kinds: Mapping[str, AnyKind]
) -> TagSettings:
    """The settings with one field as the texts say; `how` is =, += or -=. A rule stands behind its kind: page.select."""
    kind, dot, rule = name.partition(".")
    field = ALIASES.get(name, name)
    if dot and kind in kinds:
        field = f"rules.{ALIASES.get(rule, rule)}"
    elif field not in TAG_FIELDS:
        raise UsageError(f'a tag cannot set "{name}"', hint=f"use {', '.join(TAG_FIELDS)}, or a rule such as page.select")
    before = as_input(settings, kind if dot else "page")
    known = texts_of(before, field) if how != "=" else []
    wanted = [*known, *texts] if how == "+=" else [text for text in known if text not in texts] if how == "-=" else texts
    after = with_field(before, field, wanted, kinds)
    rules = {**settings.rules, before.kind: after.rules} if dot else settings.rules
    return msgspec.structs.replace(
        settings, schedule=after.schedule, fetch=after.fetch, rules={one: given for one, given in rules.items() if given}
    )


def as_input(settings: TagSettings, kind: str) -> WatchInput:
    """A watch of this kind that sets nothing else."""
    return WatchInput(
        url="", kind=kind, schedule=settings.schedule, fetch=settings.fetch, rules=dict(settings.rules.get(kind, {}))
    )


def tag_words(settings: TagSettings) -> Iterator[tuple[str, str]]:
    """Every field that the tag sets, with its value in words."""
    plain = as_input(settings, "page")
    for name in TAG_FIELDS:
        if texts := texts_of(plain, name):
            yield name.replace("_", " "), ", ".join(texts)
    for kind, rules in settings.rules.items():
        of_kind = as_input(settings, kind)
        for rule in rules:
            yield f"{kind} {rule.replace('_', ' ')}", ", ".join(texts_of(of_kind, f"rules.{rule}"))
