"""A, B, A: what comes back is noise evidence, told once; a place that comes back twice is masked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from driftline.kinds.page.diff import text_diff
from driftline.kinds.page.masks import Cover, learn
from driftline.kinds.page.parsed import ParsedPage
from driftline.model.item import Mask, Past


def is_revert(after: ParsedPage, history: Sequence[Past[ParsedPage]], *, window_for: float, at: datetime) -> bool:
    """Whether the page is again as it was before its latest change, which is not longer ago than the window."""
    if len(history) < 2 or (at - history[0].at).total_seconds() > window_for:
        return False
    return history[1].state.signature == after.signature and history[0].state.signature != after.signature


def masks_of_reverts(
    after: ParsedPage, history: Sequence[Past[ParsedPage]], *, evidence: str, at: datetime, window_for: float
) -> list[Mask]:
    """Masks for the places that went and came back twice: now, and once before within the window."""
    if after.literal or len(history) < 4 or any(past.state.text is None for past in history[:4]):
        return []
    if (at - history[3].at).total_seconds() > 2 * window_for:
        return []
    one, two, three, four = (past.state for past in history[:4])
    places = _came_back(after, one, two)
    if not places or not (places := places & _came_back(two, three, four)):
        return []
    text = text_diff(one, after, Cover(()))
    edits = [edit for edit in text.edits if edit.place in places]
    return learn(one, after, edits, text.sides, evidence=evidence, at=at, elements=False)


def _came_back(now: ParsedPage, between: ParsedPage, before: ParsedPage) -> set[int]:
    """The places where `between` differs from `now`, and `before` does not."""
    differs = {edit.place for edit in text_diff(between, now, Cover(())).edits}
    return differs - {edit.place for edit in text_diff(before, now, Cover(())).edits} if differs else set()
