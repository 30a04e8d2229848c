"""Observations against stored state. Linear, and the same for every kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from driftline.model.delta import Delta, Entry
from driftline.model.item import Known, Observed

S = TypeVar("S")


def compare(
    observed: Iterable[Observed[S]], known: Mapping[str, Known], members: Sequence[Known] = (), *, exhaustive: bool
) -> Delta[S]:
    """What a complete observation changes: entries that joined or moved, members that are gone, and how many stayed.

    `known` holds what is stored of the observed keys; `members` all that the watch held before. A key observed twice counts
    once, the last one wins. Absence is evidence only where the kind says that its answers are exhaustive.
    """
    entries: dict[str, Entry[S]] = {}
    seen: set[str] = set()
    for item in observed:
        seen.add(item.key)
        stored = known.get(item.key)
        entry = Entry(observed=item, known=stored)
        if entry.joined or entry.moved:
            entries[item.key] = entry
        else:
            entries.pop(item.key, None)
    absent = [member for member in members if member.key not in seen]
    return Delta(
        entries=tuple(entries.values()),
        removed=absent if exhaustive else (),
        missing=() if exhaustive else absent,
        unchanged=len(seen) - len(entries),
    )
