"""What a reading notes of differences that turned out to be noise, so that somebody can ask later (law 10).

Noting is cheap and leaves the naming of rules to whoever asks: most notes are never read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from driftline.core.text import fold
from driftline.kinds.page.memo import Memo, column
from driftline.kinds.page.scan import Scan
from driftline.model.change import Suppressed

T = TypeVar("T")

RAW: Final = "noise"  # which rule it was is found out when it is asked
_MOST: Final = 12  # notes of a run
_LONGEST: Final = 160  # characters of a note


def of_pieces(pieces: Sequence[bytes]) -> tuple[Suppressed, ...]:
    """Pieces of a source that the snapshot's source did not have: a tag with the text behind it."""
    shown = (fold(piece[: 4 * _LONGEST].decode("utf-8", "replace")) for piece in pieces[:_MOST])
    return tuple(Suppressed(rule=RAW, after=f"<{piece}"[:_LONGEST]) for piece in shown)


def of_scan(found: Scan, memo: Memo) -> tuple[Suppressed, ...]:
    """Text, addresses and head sources that the snapshot did not have, and that mean the same."""
    if not memo.raw:
        return ()
    texts = _unknown(found.nodes, found.raw, memo.raw)
    notes = [Suppressed(rule=RAW, after=fold(text.decode("utf-8", "replace"))[:_LONGEST]) for text in texts]
    notes += [
        Suppressed(rule="address", after=href[:_LONGEST]) for href in _unknown(found.hrefs, found.raw_links, memo.raw_links)
    ]
    if found.raw_data != memo.raw_data:
        notes.append(Suppressed(rule="metadata", place="head"))
    return tuple(notes[:_MOST])


def _unknown(things: Iterable[T], hashes: Sequence[int], known: bytes) -> list[T]:
    there = set(column(known))
    if there.issuperset(hashes):
        return []
    return [thing for thing, hashed in zip(things, hashes, strict=True) if hashed not in there][:_MOST]
