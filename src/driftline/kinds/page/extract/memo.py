"""The little that reading wants to know of the latest snapshot before anything is loaded."""

from __future__ import annotations

import msgspec

from driftline.core.text.folding import title_key
from driftline.kinds.page.parsed import ParsedPage


class Memo(msgspec.Struct, frozen=True, array_like=True):
    """Kept beside the snapshot; without it soft errors are not told from the page."""

    title: str = ""  # blind to case
    size: int = 0  # characters of its text


def memo_of(page: ParsedPage) -> bytes:
    """What a snapshot leaves for the next reading."""
    return msgspec.msgpack.encode(Memo(title_key(page.title), len(page.text or "")))


def decoded(memo: bytes | None) -> Memo:
    """The memo of a snapshot; an empty one where there is none, or one of an older form."""
    try:
        return msgspec.msgpack.decode(memo, type=Memo) if memo else Memo()
    except msgspec.MsgspecError:
        return Memo()
