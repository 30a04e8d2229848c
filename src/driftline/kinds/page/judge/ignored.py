"""What rules dropped since the snapshot: when the rules change, the last seen state is the baseline (law 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from driftline.core.identity.fingerprint import digest
from driftline.kinds.page.judge.reasons import SHOWN
from driftline.kinds.page.parsed import line_hash
from driftline.model.change import Suppressed
from driftline.model.habit import Ignored

VERSION: Final = 2  # of the rules in judge/: another one wherever they drop less, or other things
SEEN: Final = "seen before the rules changed"
_MOST: Final = 20  # that a run keeps
# Rules that ask for no time and for no ignored area, which people may lift: they drop the same of the same answer.
_TIMELESS: Final = frozenset(
    (
        *("overlay", "advertising", "list of other pages", "beside the text", "order", "rank", "cleaned", "machine field"),
        *("writing", "repeats another field", "told with its line", "told with its entry", "its picture was dropped"),
    )
)


def ignored_now(dropped: Sequence[Suppressed], before: bytes, after: bytes) -> Ignored | None:
    """To be stored with the fingerprints of both sides; None: nothing was dropped that the next check has to know of."""
    values = {value_of(one.before or None, one.after or None) for one in dropped if one.before or one.after}
    packed = b"".join(sorted(value.to_bytes(8, "little") for value in values))
    if all(one.rule in _TIMELESS for one in dropped):
        return Ignored(VERSION, packed, digest(before + after), tuple(dropped[:_MOST]))
    return Ignored(VERSION, packed) if values else None


def dropped_before(ignored: Ignored | None, before: bytes, after: bytes) -> tuple[Suppressed, ...]:
    """What was dropped of these two sides at the latest check, if it need not be judged again."""
    if ignored is None or ignored.rules != VERSION or ignored.answer != digest(before + after):
        return ()
    return ignored.dropped


def seen_before(ignored: Ignored | None) -> frozenset[int]:
    """What other rules than these dropped at the latest check."""
    if ignored is None or ignored.rules == VERSION:
        return frozenset()
    packed = ignored.values
    return frozenset(int.from_bytes(packed[at : at + 8], "little") for at in range(0, len(packed), 8))


def value_of(before: str | None, after: str | None) -> int:
    """What a difference is known by: what the snapshot has there, however far the page went on; else what came."""
    return line_hash((after or "")[:SHOWN] if before is None else before[:SHOWN])
