"""Feedback of users: a change marked as noise becomes ignored areas, learned from its two snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from driftline.core.diff.rows import stored_rows
from driftline.core.select.patterns import any_found, parse_patterns
from driftline.engine.check.reparse import unpack
from driftline.engine.pool import Share
from driftline.engine.ports import Store
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Learns, Rules
from driftline.model.change import Change, Suppressed
from driftline.model.noise.mask import Ignoring, Mask

VERSIONS_AT_MOST: Final = 1_000
_DIFFERING: Final = ("changed", "added", "removed")
_CUT_FROM: Final = 150  # characters of a line from which a row of a diff may hold it cut


def evidence_of(change_id: UUID) -> str:
    """The evidence of a mask that a user's feedback on a change made."""
    return f"you said that change {change_id.hex[-8:]} was noise"


class ProposedMasks(NamedTuple):
    """The ignored areas that marking a change as noise would add, and what they would hide."""

    masks: Sequence[Mask] = ()  # empty if a snapshot is gone, or nothing may be ignored
    ignoring: Ignoring = Ignoring()


async def propose_masks(
    store: Store, share: Share, kind: AnyKind, rules: Rules, change: Change, *, at: datetime
) -> ProposedMasks:
    """Ignored areas for everything that differs between the change's two snapshots, and what they would hide."""
    if (
        not isinstance(kind, Learns)
        or change.item_id is None
        or change.prev_snapshot_id is None
        or change.next_snapshot_id is None
    ):
        return ProposedMasks()
    history = {one.snapshot_id: one for one in await store.history(change.item_id, VERSIONS_AT_MOST)}
    one, other = history.get(change.prev_snapshot_id), history.get(change.next_snapshot_id)
    if one is None or other is None:
        return ProposedMasks()
    try:
        before, after = unpack(kind, one).state, unpack(kind, other).state
    except StoreCorrupt:
        return ProposedMasks()
    weight = max(rules.weight(b""), *(len(side.packed.state) + len(side.packed.text or "") for side in (one, other)))
    learn = partial(kind.learn, evidence=evidence_of(change.id), at=at)
    masks = await share.compute(weight, learn, before, after, rules)
    return ProposedMasks(masks, of_change(await share.compute(weight, kind.ignoring, before, after, rules, masks), change))


def of_change(ignoring: Ignoring, change: Change) -> Ignoring:
    """Of the lines that differ between the two versions, those that the change shows: the others were ignored already."""
    shown = {side for row in stored_rows(change.diff) if row.action in _DIFFERING for side in (row.old, row.new)}
    if not shown:
        return ignoring

    def is_shown(one: Suppressed) -> bool:
        is_line = ">" in one.place  # else a field, which a diff has no row for
        return not is_line or any(side in shown or len(side) > _CUT_FROM for side in (one.before, one.after) if side)

    left = tuple(filter(is_shown, ignoring.left))
    patterns = ignoring.ignore_text if left else ()
    if len(left) < len(ignoring.left):
        texts = [side for one in left for side in (one.before, one.after)]
        patterns = tuple(one for one in patterns if any(any_found(parse_patterns((one,)), text) for text in texts))
    return Ignoring(hidden=tuple(filter(is_shown, ignoring.hidden)), left=left, ignore_text=patterns)
