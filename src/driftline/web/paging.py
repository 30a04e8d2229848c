"""Long lists in parts: a cursor leads from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Generic, TypeVar

import msgspec
from litestar.params import QueryParameter

from driftline.store.rows import Page

T = TypeVar("T")
S = TypeVar("S")

Limit = Annotated[int, QueryParameter(ge=1, le=1000, description="how many at most", required=False)]
Cursor = Annotated[
    str | None, QueryParameter(max_length=4096, description="where an earlier answer said that there is more", required=False)
]


class Listed(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A part of a list."""

    items: tuple[T, ...]
    cursor: str | None = None  # for the next part; null: this was the last one


def listed(page: Page[S], shown: Callable[[S], T]) -> Listed[T]:
    """A page of the store as it is shown."""
    return Listed(items=tuple(shown(row) for row in page.rows), cursor=page.cursor)
