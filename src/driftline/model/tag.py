"""A tag that acts: what it sets on the watches that have it."""

from __future__ import annotations

from typing import Any

import msgspec

from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule


class TagSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a tag sets; a value that is the default sets nothing."""

    schedule: Schedule = Schedule()
    fetch: FetchOptions = FetchOptions()
    rules: dict[str, dict[str, Any]] = {}  # by kind: the rules of watches of that kind


class Tag(msgspec.Struct, frozen=True, kw_only=True):
    """A tag with its settings."""

    name: str
    settings: TagSettings = TagSettings()
