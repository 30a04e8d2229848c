"""The few facts about the latest snapshot that reading a new answer needs."""

from __future__ import annotations

import msgspec

from driftline.core.text.folding import title_key
from driftline.kinds.page.parsed import ParsedPage


class Memo(msgspec.Struct, frozen=True, array_like=True):
    """Stored beside the snapshot; without it, soft errors cannot be recognized."""

    title: str = ""  # blind to case
    size: int = 0  # characters of its text


def memo_of(page: ParsedPage) -> bytes:
    """The memo of a page."""
    return msgspec.msgpack.encode(Memo(title_key(page.title), len(page.text or "")))


def decoded(memo: bytes | None) -> Memo:
    """The stored memo; an empty one if it is missing or has an older format."""
    try:
        return msgspec.msgpack.decode(memo, type=Memo) if memo else Memo()
    except msgspec.MsgspecError:
        return Memo()
