"""A person said that a change was noise: what its two snapshots teach."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from driftline.engine.ports import Store
from driftline.engine.rereading import unpacked
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Rules
from driftline.model.change import Change
from driftline.model.item import Mask

VERSIONS_AT_MOST: Final = 1_000


def evidence_of(change_id: UUID) -> str:
    """How a mask says that a person taught it, and with what."""
    return f"you said that change {change_id.hex[-8:]} was noise"


async def lesson(store: Store, kind: AnyKind, rules: Rules, change: Change, *, at: datetime) -> Sequence[Mask]:
    """Masks for whatever differs between the change's two snapshots; none where one of them is gone."""
    if change.item_id is None or change.prev_snapshot_id is None or change.next_snapshot_id is None:
        return ()
    history = {one.snapshot_id: one for one in await store.history(change.item_id, VERSIONS_AT_MOST)}
    one, other = history.get(change.prev_snapshot_id), history.get(change.next_snapshot_id)
    if one is None or other is None:
        return ()
    try:
        before, after = unpacked(kind, one).state, unpacked(kind, other).state
    except StoreCorrupt:
        return ()
    return kind.learn(before, after, rules, evidence=evidence_of(change.id), at=at)
