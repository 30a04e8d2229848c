"""Learned noise: places that differ between answers which should be the same.

A mask covers the varying span at a structural path with a stable skeleton: the words around the span, or, where a whole line
varies, the lines around it. It never covers a title, a price, stock, or anything on a page part that the watch selected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from driftline.core.noise import canonical
from driftline.core.prices import find_prices
from driftline.core.stock import stock_from_text
from driftline.model.item import Mask


class _Edit(Protocol):
    @property
    def action(self) -> str: ...
    @property
    def before(self) -> str | None: ...
    @property
    def after(self) -> str | None: ...
    @property
    def place(self) -> int: ...


class Cover:
    """The masks of a watch, ready to be asked."""

    def __init__(self, masks: Iterable[Mask]) -> None:
        self._masks = tuple(masks)

    def line(self, edit: _Edit, one: object, at: int | None, other: object, to: int | None) -> str | None:
        """The name of the mask that covers a difference of lines, or nothing."""
        return None

    def element(self, part: str, place: int) -> str | None:
        """The name of the mask that covers a link or an image at a place, or nothing."""
        return None


def learn(one: object, other: object, rules: object, *, evidence: str, at: datetime) -> list[Mask]:
    return []


def covered(found: object, memo: object, masks: Sequence[Mask]) -> None:
    return None
