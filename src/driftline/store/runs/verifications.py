"""The queue of articles whose own pages have to be read: when each was last requested, and what it has to confirm."""

from __future__ import annotations

from typing import Final

from driftline.engine.recording import Recording
from driftline.model.item import Verification
from driftline.model.watch import Watch
from driftline.store.db import bulk
from driftline.store.db.database import Tx
from driftline.store.runs.write_items import key_hash

_OF: Final = (
    "SELECT i.key, v.tried_at, v.claim, i.fingerprint, v.etag, v.last_modified "
    "FROM verifications AS v JOIN items AS i ON i.id = v.item_id WHERE v.watch_id = ?"
)
_ITEM: Final = "FROM items WHERE source_id = ? AND kind = ? AND key_hash = ? ON CONFLICT (watch_id, item_id) DO UPDATE SET"
_CLAIM: Final = f"INSERT INTO verifications (watch_id, item_id, claim) SELECT ?, id, ? {_ITEM} claim = excluded.claim"
_FAILED: Final = f"INSERT INTO verifications (watch_id, item_id, tried_at) SELECT ?, id, ? {_ITEM} tried_at = excluded.tried_at"
_READ: Final = (
    "INSERT INTO verifications (watch_id, item_id, tried_at, etag, last_modified) "
    f"SELECT ?, id, ?, ?, ? {_ITEM} tried_at = excluded.tried_at, claim = NULL, etag = excluded.etag, "
    "last_modified = excluded.last_modified"
)


def of(tx: Tx, watch: Watch) -> dict[str, Verification]:
    """The queue of a watch, by key."""
    at_or_none = tx.codec.at_or_none
    return {
        key: Verification(
            tried_at=at_or_none(tried_at), claim=claim, fingerprint=fingerprint, etag=etag, last_modified=last_modified
        )
        for key, tried_at, claim, fingerprint, etag, last_modified in tx.walk(_OF, (watch.id,))
    }


def write(tx: Tx, recording: Recording) -> None:
    """A page that was read confirms or refutes its claim; one that was not stays in the queue."""
    watch, at = recording.watch, recording.run.started_at
    for claims in bulk.chunks(recording.claims.items()):
        tx.many(_CLAIM, [(watch.id, claim, watch.source_id, watch.kind, key_hash(key)) for key, claim in claims])
    for part in bulk.chunks(recording.tried):
        rows = [(one.read, (watch.source_id, watch.kind, key_hash(one.key))) for one in part]
        tx.many(_READ, [(watch.id, at, read.etag, read.last_modified, *item) for read, item in rows if read])
        tx.many(_FAILED, [(watch.id, at, *item) for read, item in rows if read is None])
