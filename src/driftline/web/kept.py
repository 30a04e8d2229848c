"""What was made of the rows of a list, kept: most of what a list shows was shown before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from driftline.store.codec import Codec
from driftline.store.rows import Row

T = TypeVar("T")

AT_MOST: Final = 1_000_000  # characters of the rows that one list keeps: hundreds, and as much again for what they became
_EACH: Final = 1_000  # counted for every row beside its texts


class Kept(Generic[T]):
    """A pure function of a row, and what it gave.

    A row is found again by everything that went in: the row as the database gave it, and `same`. So nothing that is kept can be
    stale or another org's: whatever differs in anything is another row. The oldest are forgotten first.
    """

    def __init__(self, make: Callable[..., T], *, at_most: int = AT_MOST) -> None:
        self._make = make
        self._at_most = at_most
        self._found: dict[Hashable, T] = {}
        self._weight = 0
        self._lock = Lock()  # of what is added and forgotten; finding needs none

    def of(self, codec: Codec, rows: Iterable[Row], *same: Hashable) -> list[T]:
        """`make(codec, row, *same)` of every row."""
        find = self._found.get
        shown = []
        for row in rows:
            key = (row, same)
            made = find(key)
            if made is None:
                made = self._make(codec, row, *same)
                self._keep(key, made)
            shown.append(made)
        return shown

    def forget(self) -> None:
        """Everything."""
        with self._lock:
            self._found.clear()
            self._weight = 0

    def _keep(self, key: tuple[Row, Any], made: T) -> None:
        weight = _weight(key[0])
        if weight > self._at_most // 10:  # one long text is not worth ten short ones
            return
        with self._lock:
            if key not in self._found:
                self._found[key] = made
                self._weight += weight
            while self._weight > self._at_most:
                oldest = next(iter(self._found))
                del self._found[oldest]
                self._weight -= _weight(oldest[0])  # type: ignore[index]  # a key of ours


def _weight(row: Row) -> int:
    return _EACH + sum([len(value) for value in row if type(value) is str or type(value) is bytes])
