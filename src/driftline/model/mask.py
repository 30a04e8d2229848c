"""Masks: areas of a source in which differences are known to be noise."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from driftline.model.change import Suppressed

Part = Literal["line", "link", "image", "field"]
MaskState = Literal[
    "active",  # differences in its area are ignored
    "doubtful",  # a difference there was gone seconds later, once: nothing is ignored yet; the next time makes it active
    "lifted",  # a person wants to see it: nothing is ignored, and its place is not learned again
]


class MaskedArea(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which differences a mask covers: at a path, those of some types, or those among values that were seen there."""

    part: Part
    path: str  # structural path, or the key of a field
    shape: str = ""  # of a typed area: hash of the text around its spans, or an address without its opaque parts
    types: tuple[str, ...] = ()  # of the spans that may differ; `picture`, `address`, `creeping` for pictures, links, counters
    values: tuple[str, ...] = ()  # of an exact area: hashes of the values that were seen, and `absent`


class Mask(msgspec.Struct, frozen=True, kw_only=True):
    """A learned area of noise. Applied at compare time to both sides, never part of the recipe."""

    id: UUID | None = None  # None until stored
    place: str  # of the area, as people read it
    skeleton: str  # what may vary there, as people read it
    evidence: str  # why: "differed between two fetches 3 s apart", "A, B, A at run ..."
    state: MaskState = "active"
    area: MaskedArea | None = None  # None: stored by a version whose masks covered more than they may now; covers nothing
    learned_at: datetime
    needed_at: datetime | None = None  # when it last hid a difference, to the day; None: not since it was learned

    def doubted(self, evidence: str) -> Mask:
        """The same mask in doubt."""
        return msgspec.structs.replace(self, evidence=evidence, state="doubtful")


class Ignoring(msgspec.Struct, frozen=True, kw_only=True):
    """What an ignored area would hide of a change, shown before it is hidden."""

    hidden: tuple[Suppressed, ...] = ()  # differences that they cover
    left: tuple[Suppressed, ...] = ()  # differences that would still be reported
    ignore_text: tuple[str, ...] = ()  # patterns for the rule of that name, which would cover lines that are left
