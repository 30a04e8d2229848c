"""Long lists in parts: a cursor leads from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from litestar.params import QueryParameter

from driftline.store.codec import Codec
from driftline.store.rows import Page, Row
from driftline.web.kept import Kept

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


def written(document: Callable[..., object]) -> Kept[msgspec.Raw]:
    """Rows as the JSON of their documents, kept."""

    def write(codec: Codec, row: Row, *same: Hashable) -> msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(document(codec, row, *same)))

    return Kept(write)


def listed_as(kept: Kept[msgspec.Raw], page: Page[Any], *same: Hashable) -> Listed[Any]:
    """A page of the store, each of its rows as it is written."""
    return Listed(items=tuple(kept.of(page.codec, page.raw, *same)), cursor=page.cursor)
