"""Masks: areas of a source whose differences are ignored as noise."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from driftline.model.change import Suppressed

Part = Literal["line", "link", "image", "field", "region"]  # a region of a picture
MaskState = Literal[
    "active",  # differences in its area are ignored
    "doubtful",  # a difference there disappeared after seconds, once: nothing is ignored yet; the next time makes it active
    "lifted",  # a user wants to see it: nothing is ignored, and it is not learned again
]


class MaskedArea(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The differences that a mask covers: at a path, those of some types, or those between values that were seen there."""

    part: Part
    path: str  # structural path, the key of a field, or x,y,width,height of a region
    shape: str = ""  # of an area with types: hash of the text around the spans, or an address without its generated parts
    types: tuple[str, ...] = ()  # of spans that may differ; `picture`, `address`, `creeping` for pictures, links, counters
    values: tuple[str, ...] = ()  # of an area without types: hashes of the values that were seen, and `absent`


class Mask(msgspec.Struct, frozen=True, kw_only=True):
    """A learned area of noise; applied to both sides of a comparison, and not part of the recipe."""

    id: UUID | None = None  # None until stored
    place: str  # of the area, for users
    skeleton: str  # what may differ there, for users
    evidence: str  # why: "differed between two fetches 3 s apart", "A, B, A at run ..."
    state: MaskState = "active"
    area: MaskedArea | None = None  # None: stored by an older version; covers nothing
    learned_at: datetime
    needed_at: datetime | None = None  # when it last hid a difference, to within a day; None: never

    def doubted(self, evidence: str) -> Mask:
        """The same mask in doubt."""
        return msgspec.structs.replace(self, evidence=evidence, state="doubtful")


class Ignoring(msgspec.Struct, frozen=True, kw_only=True):
    """What an ignored area would hide of a change, shown before it is hidden."""

    hidden: tuple[Suppressed, ...] = ()  # differences that would be hidden
    left: tuple[Suppressed, ...] = ()  # differences that would still be reported
    ignore_text: tuple[str, ...] = ()  # patterns for that rule which would cover remaining lines
