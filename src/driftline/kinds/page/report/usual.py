"""Lowers the severity of changes that are usual for a watch, such as a front page with new text every hour."""

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


def is_usual(places: Sequence[str], history: Sequence[SnapshotState[ParsedPage]], at: datetime) -> bool:
    """Whether most differences are at the same places as in the last changes; `history` is newest first."""
    if not places or len(history) <= _CHANGES or at - history[_CHANGES].at > _WITHIN:
        return False
    known = set.intersection(*(_differing(older.state, newer.state) for newer, older in pairwise(history[: _CHANGES + 1])))
    return 2 * sum(place in known for place in places) > len(places)


def may_be_lowered(finding: Finding) -> bool:
    """Whether a finding may be lowered: only `high` ones, and never price or stock."""
    return finding.type == "content" and finding.severity == "high"


def lowered(finding: Finding) -> Finding:
    """The finding with the severity of text that changes at this place all the time."""
    return msgspec.structs.replace(finding, severity="medium")


def _differing(one: ParsedPage, other: ParsedPage) -> set[str]:
    """The structural paths of lines that one version has more often than the other."""
    old, new = (Counter(line.hash for line in page.line_details) for page in (one, other))
    found: set[str] = set()
    for page, more in ((one, old - new), (other, new - old)):
        found |= {page.paths[line.place] for line in page.line_details if line.hash in more and line.place < len(page.paths)}
    return found
