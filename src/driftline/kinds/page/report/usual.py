"""How usual a change is for its watch: a front page that is another one every hour is no alarm every hour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

import msgspec

from driftline.kinds.page.parsed import ParsedPage
from driftline.model.change import Finding
from driftline.model.item import SnapshotState

_CHANGES: Final = 2  # before this one, that were at the same places
_WITHIN: Final = timedelta(days=7)  # all of them


def usual_places(places: Sequence[str], history: Sequence[SnapshotState[ParsedPage]], at: datetime) -> bool:
    """Whether most of what differs stands where the last changes were too; `history` is newest first."""
    if not places or len(history) <= _CHANGES or at - history[_CHANGES].at > _WITHIN:
        return False
    known = set.intersection(*(_differing(older.state, newer.state) for newer, older in pairwise(history[: _CHANGES + 1])))
    return 2 * sum(place in known for place in places) > len(places)


def may_be_usual(finding: Finding) -> bool:
    """Whether it matters how usual a change is: price and stock stay what they are, and what is not high stays too."""
    return finding.type == "content" and finding.severity == "high"


def as_usual(finding: Finding) -> Finding:
    """Text that changes there all the time is nothing that nobody should miss."""
    return msgspec.structs.replace(finding, severity="medium")


def _differing(one: ParsedPage, other: ParsedPage) -> set[str]:
    """The structural paths of the lines that one side has more of."""
    old, new = (Counter(line.hash for line in page.line_details) for page in (one, other))
    found: set[str] = set()
    for page, more in ((one, old - new), (other, new - old)):
        found |= {page.paths[line.place] for line in page.line_details if line.hash in more and line.place < len(page.paths)}
    return found
