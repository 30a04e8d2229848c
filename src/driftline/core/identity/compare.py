"""Compares observations with the stored state; linear, and the same for every kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from driftline.model.delta import Delta, Entry
from driftline.model.item import Observed, StoredItem

S = TypeVar("S")


def compare(
    observed: Iterable[Observed[S]], known: Mapping[str, StoredItem], members: Sequence[StoredItem] = (), *, exhaustive: bool
) -> Delta[S]:
    """What a complete observation changes: entries that joined or moved, members that are gone, and how many stayed.

    `known` holds what is stored of the observed keys; `members` all that the watch held before. A key observed twice counts
    once, the last one wins. Absence is evidence only where the kind says that its answers are exhaustive.
    """
    entries: dict[str, Entry[S]] = {}
    listed: dict[str, Observed[S]] = {}
    seen: set[str] = set()
    for item in observed:
        seen.add(item.key)
        stored = known.get(item.key)
        if stored is not None and stored.member and stored.fingerprint == item.fingerprint:
            entries.pop(item.key, None)
        elif stored is not None and stored.member and not item.fingerprint:
            listed[item.key] = item
        else:
            entries[item.key] = Entry(observed=item, stored=stored)
    absent = [member for member in members if member.key not in seen]
    return Delta(
        entries=tuple(entries.values()),
        removed=absent if exhaustive else (),
        missing=() if exhaustive else absent,
        listed=tuple(listed.values()),
        unchanged=len(seen) - len(entries) - len(listed),
    )
