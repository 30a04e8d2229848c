"""Reads one answer: in place if it is small, else in a child process."""

from __future__ import annotations

from typing import Any

from selectolax.lexbor import SelectolaxError

from driftline.engine.pool import Overrun, Share
from driftline.errors import BadRule
from driftline.kinds.kind import AnyKind, Hint, Reading, Rules
from driftline.model.fetch import Fetched


async def read_answer(
    share: Share, kind: AnyKind, answer: Fetched, rules: Rules, hint: Hint | None, *, weight: int | None = None
) -> Reading[Any]:
    """The kind's reading of an answer, whose weight may be known; an expression that is too slow becomes an error.

    Raises Overrun.
    """
    if weight is None:
        weight = rules.weight(answer.body, share.in_process)
    if weight < share.in_process:
        return await share.compute(weight, _read, kind, answer, rules, hint)
    reading = await share.run(_read_in_child, kind, answer, rules, hint)
    if hint is None:
        return reading
    reading.items = [
        item if item.state is not None else item.built_by(lambda: kind.read(answer, rules, None).items[0].state)
        for item in reading.items
    ]
    return reading


def _read(kind: AnyKind, answer: Fetched, rules: Rules, hint: Hint | None) -> Reading[Any]:
    try:
        return kind.read(answer, rules, hint)
    except BadRule as fault:
        return Reading(complete=False, outcome="error", reason=fault.message)


def _read_in_child(kind: AnyKind, answer: Fetched, rules: Rules, hint: Hint | None) -> Reading[Any]:
    """Runs in the child: unchanged items return without their state, which is large and rarely needed."""
    try:
        reading = _read(kind, answer, rules, hint)
    except (MemoryError, SelectolaxError):  # lexbor raises this when it runs out of memory
        raise Overrun("needs more memory than there is for one answer") from None
    if hint is not None and (reading.unchanged or all(item.fingerprint == hint.stored.fingerprint for item in reading.items)):
        reading.items = [item.built_by(_no_state) for item in reading.items]
    return reading


def _no_state() -> None:
    return None
