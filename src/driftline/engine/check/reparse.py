"""Reads stored bodies again, with other rules or to repeat a comparison. Writes nothing."""

from __future__ import annotations

from typing import Any

from driftline.engine.check.reading import read_answer
from driftline.engine.pool import Share
from driftline.engine.ports import Store, StoredSnapshot
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Hint, Reading, Rules
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Observed, SnapshotState
from driftline.model.watch import Watch


async def reread(
    store: Store, share: Share, kind: AnyKind, watch: Watch, rules: Rules, stored: StoredSnapshot, *, hint: Hint | None = None
) -> Reading[Any] | None:
    """The snapshot's body read as if it had just been fetched; None if it was not kept or is damaged. Raises Overrun."""
    if stored.blob_key is None:
        return None
    try:
        body = await store.blob(stored.blob_key)
    except StoreCorrupt:
        return None
    if body is None:
        return None
    headers = {"content-type": stored.content_type} if stored.content_type else {}
    answer = Fetched(request=Request(url=watch.url), url=watch.url, status=200, headers=headers, body=body, at=stored.at)
    return await read_answer(share, kind, answer, rules, hint)


def with_new_state(stored: StoredSnapshot, item: Observed[Any]) -> SnapshotState[Any]:
    """The snapshot with the state that its body gives now."""
    return SnapshotState(
        item_id=stored.item_id,
        key=stored.key,
        snapshot_id=stored.snapshot_id,
        version=stored.version,
        fingerprint=item.fingerprint,
        state=item.state,
        at=stored.at,
    )


def unpack(kind: AnyKind, stored: StoredSnapshot) -> SnapshotState[Any]:
    """The snapshot with its stored state decoded; raises StoreCorrupt."""
    packed = stored.packed
    return SnapshotState(
        item_id=stored.item_id,
        key=stored.key,
        snapshot_id=stored.snapshot_id,
        version=stored.version,
        fingerprint=stored.fingerprint,
        state=kind.unpack(packed.state, packed.text, packed.blocks),
        at=stored.at,
    )
