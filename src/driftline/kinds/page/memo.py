"""What the latest reading leaves for the next one: raw hashes with the canonical marks that the rules made of them.

A shortcut and nothing else: marks are a pure function of the raw bytes, so a reading with a memo equals one without.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

import msgspec

from driftline.kinds.page.stretches import Stretch


class Memo(msgspec.Struct, frozen=True, array_like=True):
    """Parallel columns of 8-byte numbers, in page order."""

    base: bytes = b""  # hash of the URL that links were resolved against
    raw: bytes = b""  # hash of each text node, as the page has it
    marks: bytes = b""  # its canonical hash, role in the low bits
    places: bytes = b""  # hash of its structural path
    raw_links: bytes = b""
    links: bytes = b""
    link_places: bytes = b""
    raw_images: bytes = b""
    images: bytes = b""
    image_places: bytes = b""
    raw_data: bytes = b""  # hash of the title, meta and JSON-LD sources
    data: bytes = b""  # hash of what they say
    title: bytes = b""  # hash of the title, blind to case and noise
    lasting: bytes = b""  # signature without the parts that pass by themselves; empty where the page has none
    aside: bytes = b""  # addresses in lists of other pages
    aside_texts: bytes = b""  # what they say
    address: bytes = b""  # hash of the page's own URL
    stretches: tuple[Stretch, ...] = ()  # of the source; none where it must not be recognised by them
    raw_lines: bytes = b""  # lines of several text nodes
    lines: bytes = b""
    addresses: dict[str, str] = {}  # mark in hex -> what it was made of, for links and pictures whose address may vary
    head: dict[str, str] | None = None  # what the sources of `data` say; None: not known

    @property
    def of_empty(self) -> bool:
        """Left by a page that had no text; a missing memo is not."""
        return bool(self.base) and not self.raw


_ENCODER = msgspec.msgpack.Encoder()
_BIG_ENDIAN: Final = array("H", b"\x01\x00")[0] != 1  # of this machine
_DECODER = msgspec.msgpack.Decoder(Memo)


def encode(memo: Memo) -> bytes:
    """The memo as it is stored."""
    return _ENCODER.encode(memo)


def decode(data: bytes | None) -> Memo:
    """The stored memo; an empty one for nothing or for what cannot be read."""
    if not data:
        return Memo()
    try:
        return _DECODER.decode(data)
    except msgspec.MsgspecError:
        return Memo()


def column(data: bytes) -> array[int]:
    """The numbers of a column."""
    numbers = array("Q")
    numbers.frombytes(data[: len(data) // 8 * 8])
    if _BIG_ENDIAN:
        numbers.byteswap()
    return numbers


def packed(numbers: Iterable[int]) -> bytes:
    """A column of numbers, the same bytes on every machine."""
    found = array("Q", numbers)
    if _BIG_ENDIAN:
        found.byteswap()
    return found.tobytes()
