"""What the next check of a watch needs to know of recent ones: one overwritten row, deleted when everything came to rest."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from driftline.engine.recording import LastSeen
from driftline.model.noise.flapping import Place
from driftline.model.noise.habit import Habit, Ignored
from driftline.store.db.database import Tx

_ENCODER: Final = msgspec.msgpack.Encoder()
_PLACES: Final = msgspec.msgpack.Decoder(tuple[Place, ...])
_HABITS: Final = msgspec.msgpack.Decoder(tuple[Habit, ...])
_IGNORED: Final = msgspec.msgpack.Decoder(Ignored)


def decode(places: bytes, habits: bytes | None, ignored: bytes | None) -> LastSeen:
    """The stored values; empty if they cannot be decoded any more."""
    try:
        return LastSeen(
            places=_PLACES.decode(places),
            habits=_HABITS.decode(habits) if habits else (),
            ignored=_IGNORED.decode(ignored) if ignored else None,
        )
    except msgspec.MsgspecError:
        return LastSeen()


def write(tx: Tx, watch_id: UUID, seen: LastSeen) -> None:
    """Replace the row of the watch."""
    if not (seen.places or seen.habits or seen.ignored):
        tx.run("DELETE FROM last_seen WHERE watch_id = ?", (watch_id,))
        return
    tx.run(
        "INSERT INTO last_seen (watch_id, places, habits, ignored) VALUES (?, ?, ?, ?) ON CONFLICT (watch_id) DO UPDATE "
        "SET places = excluded.places, habits = excluded.habits, ignored = excluded.ignored",
        (
            watch_id,
            _ENCODER.encode(seen.places),
            _ENCODER.encode(seen.habits) if seen.habits else None,
            _ENCODER.encode(seen.ignored) if seen.ignored else None,
        ),
    )
