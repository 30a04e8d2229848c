"""Pagination: a page of a list, with a cursor to the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Generic, TypeVar

import msgspec
from litestar.params import QueryParameter

from driftline.store.rows import Page

T = TypeVar("T")
S = TypeVar("S")

Limit = Annotated[int, QueryParameter(ge=1, le=1000, description="maximum number", required=False)]
Cursor = Annotated[str | None, QueryParameter(max_length=4096, description="the cursor of the previous answer", required=False)]


class Listed(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list, and the cursor to the next."""

    items: tuple[T, ...]
    cursor: str | None = None  # for the next page; null: this was the last one


def listed(page: Page[S], shown: Callable[[S], T]) -> Listed[T]:
    """A page of the store as documents."""
    return Listed(items=tuple(shown(row) for row in page.rows), cursor=page.cursor)
