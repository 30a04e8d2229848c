"""Feedback of users: a change marked as noise becomes ignored areas, learned from its two snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from driftline.engine.check.reparse import unpack
from driftline.engine.pool import Share
from driftline.engine.ports import Store
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Learns, Rules
from driftline.model.change import Change
from driftline.model.mask import Ignoring, Mask

VERSIONS_AT_MOST: Final = 1_000


def evidence_of(change_id: UUID) -> str:
    """The evidence of a mask that a user's feedback on a change made."""
    return f"you said that change {change_id.hex[-8:]} was noise"


class Lesson(NamedTuple):
    """What marking a change as noise would ignore from now on, and what it would hide."""

    masks: Sequence[Mask] = ()  # empty if a snapshot is gone, or nothing may be ignored
    ignoring: Ignoring = Ignoring()


async def lesson(store: Store, share: Share, kind: AnyKind, rules: Rules, change: Change, *, at: datetime) -> Lesson:
    """Masks for everything that differs between the change's two snapshots, and what they would hide."""
    if (
        not isinstance(kind, Learns)
        or change.item_id is None
        or change.prev_snapshot_id is None
        or change.next_snapshot_id is None
    ):
        return Lesson()
    history = {one.snapshot_id: one for one in await store.history(change.item_id, VERSIONS_AT_MOST)}
    one, other = history.get(change.prev_snapshot_id), history.get(change.next_snapshot_id)
    if one is None or other is None:
        return Lesson()
    try:
        before, after = unpack(kind, one).state, unpack(kind, other).state
    except StoreCorrupt:
        return Lesson()
    weight = max(rules.weight(b""), *(len(side.packed.state) + len(side.packed.text or "") for side in (one, other)))
    learn = partial(kind.learn, evidence=evidence_of(change.id), at=at)
    masks = await share.compute(weight, learn, before, after, rules)
    return Lesson(masks, await share.compute(weight, kind.ignoring, before, after, rules, masks))
