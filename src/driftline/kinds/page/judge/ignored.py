"""What rules dropped since the snapshot: when the rules change, the last seen state is the baseline (law 6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from driftline.kinds.page.judge.reasons import SHOWN
from driftline.kinds.page.parsed import line_hash
from driftline.model.change import Suppressed
from driftline.model.habit import Ignored

VERSION: Final = 2  # of the rules in judge/: another one wherever they drop less, or other things
SEEN: Final = "seen before the rules changed"


def ignored_now(dropped: Iterable[Suppressed]) -> Ignored | None:
    """To be stored; None: nothing was dropped."""
    values = {value_of(one.before or None, one.after or None) for one in dropped if one.before or one.after}
    return Ignored(VERSION, b"".join(sorted(value.to_bytes(8, "little") for value in values))) if values else None


def seen_before(ignored: Ignored | None) -> frozenset[int]:
    """What other rules than these dropped at the latest check."""
    if ignored is None or ignored.rules == VERSION:
        return frozenset()
    packed = ignored.values
    return frozenset(int.from_bytes(packed[at : at + 8], "little") for at in range(0, len(packed), 8))


def value_of(before: str | None, after: str | None) -> int:
    """What a difference is known by: what the snapshot has there, however far the page went on; else what came."""
    return line_hash((after or "")[:SHOWN] if before is None else before[:SHOWN])
