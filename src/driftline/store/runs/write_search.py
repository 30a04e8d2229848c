"""What a search finds: a document a change, and one a version with a text, written in the commit that stores them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.core.text.search_words import search_words
from driftline.store.db import bulk
from driftline.store.db.database import Tx

DOCUMENT: Final = ("org_id", "watch_id", "change_id", "snapshot_id", "item_id", "at", "words")
_ROWS_AT_MOST: Final = 200  # of a diff: what is beyond is found by the texts of its versions


class Owner:
    """Whose document it is, as words that every search asks for: the index itself keeps orgs and watches apart."""

    def __init__(self, org_id: UUID, watch_id: UUID, parent_id: UUID | None) -> None:
        self.org_id = org_id
        self.watch_id = watch_id
        self.marks = (org_mark(org_id), watch_mark(watch_id), *([watch_mark(parent_id)] if parent_id else []))


def org_mark(org_id: UUID) -> str:
    """The word of an org."""
    return f"o{org_id.hex}"


def watch_mark(watch_id: UUID) -> str:
    """The word of a watch, and of the dates below it."""
    return f"w{watch_id.hex}"


def type_mark(type_: str) -> str:
    """The word of a change type."""
    return f"t{type_.replace('_', '')}x"


def change_row(
    owner: Owner, change_id: UUID, item_id: UUID | None, type_: str, headline: str, diff: Mapping[str, Any] | None, at: datetime
) -> tuple[Any, ...]:
    """The document of a change: its headline and the lines that differ."""
    text = "\n".join([headline, *_differing(diff)])
    words = _joined((*owner.marks, type_mark(type_), "isachange"), search_words(text))
    return owner.org_id, owner.watch_id, change_id, None, item_id, at, words


def text_row(owner: Owner, snapshot_id: UUID, item_id: UUID, title: str, text: str, at: datetime) -> tuple[Any, ...]:
    """The document of a stored text."""
    words = _joined((*owner.marks, "isatext"), search_words(f"{title}\n{text}"))
    return owner.org_id, owner.watch_id, None, snapshot_id, item_id, at, words


def write(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add the documents."""
    bulk.insert(tx, "search_documents", DOCUMENT, rows)


def _joined(marks: Iterable[str], words: Iterable[str]) -> str:
    return " ".join((*marks, *words))


def _differing(diff: Mapping[str, Any] | None) -> Iterator[str]:
    """The lines that came, went or changed; those around them are found by the texts of the versions."""
    for row in ((diff or {}).get("rows") or ())[:_ROWS_AT_MOST]:
        if row["action"] not in ("context", "skipped", "cut"):
            yield from (text for _, text in row["marks"])
