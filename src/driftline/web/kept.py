"""What was made of the rows of a list, kept: most of what a list shows was shown before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Final, Generic, TypeVar

from driftline.store.codec import Codec
from driftline.store.rows import Row, characters

T = TypeVar("T")

AT_MOST: Final = 1_000_000  # characters of the rows that one list keeps: hundreds, and as much again for what they became
_EACH: Final = 1_000  # counted for every row beside its texts
_KEYS: Final = 2  # columns, ids, that tell the rows of a list apart


class Kept(Generic[T]):
    """A pure function of a row, and what it gave.

    What is kept is given only for what it was made of: the row as the database gave it, compared value by value, and `same`. So
    nothing can be stale or another org's. A row replaces what it was before; the oldest are forgotten first.
    """

    def __init__(self, make: Callable[..., T], *, at_most: int = AT_MOST) -> None:
        self._make = make
        self._at_most = at_most
        self._found: dict[Hashable, tuple[Row, T]] = {}  # by its first columns: to hash a whole row takes longer
        self._weight = 0
        self._lock = Lock()  # of what is added and forgotten; finding needs none

    def of(self, codec: Codec, rows: Iterable[Row], *same: Hashable) -> list[T]:
        """`make(codec, row, *same)` of every row."""
        find = self._found.get
        shown = []
        for row in rows:
            key = (row[:_KEYS], same)
            kept = find(key)
            if kept is not None and kept[0] == row:
                shown.append(kept[1])
            else:
                made = self._make(codec, row, *same)
                self._keep(key, row, made)
                shown.append(made)
        return shown

    def forget(self) -> None:
        """Everything."""
        with self._lock:
            self._found.clear()
            self._weight = 0

    def _keep(self, key: Hashable, row: Row, made: T) -> None:
        weight = _weight(row)
        if weight > self._at_most // 10:  # one long text is not worth ten short ones
            return
        with self._lock:
            self._drop(key)
            self._found[key] = (row, made)
            self._weight += weight
            while self._weight > self._at_most:
                self._drop(next(iter(self._found)))

    def _drop(self, key: Hashable) -> None:
        kept = self._found.pop(key, None)
        if kept is not None:
            self._weight -= _weight(kept[0])


def _weight(row: Row) -> int:
    return _EACH + characters((row,))
