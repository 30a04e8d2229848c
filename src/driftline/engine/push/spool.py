"""Streams that are kept outside of memory until they are needed: what a large run brings, and what it leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Final, Generic, TypeVar

import msgspec

T = TypeVar("T")

PARTS: Final = 128  # a million rows in parts of eight thousand
_HELD: Final = 16_777_216  # bytes of rows that wait in memory until they are written, all parts together
_IN_MEMORY: Final = 5_000  # values of a stream, before it goes on in a file
_LENGTH: Final = Struct("<I")
_STAMP: Final = Struct("16s16s")  # a stamp: the hash of a key, and a fingerprint


def fingerprints(stamps: bytes | bytearray) -> dict[bytes, bytes]:
    """Fingerprints by the hash of the key; the last one of a key."""
    return dict(_STAMP.iter_unpack(stamps))


class PartedStamps:
    """What is known of many items: the hashes of their keys and their fingerprints, in the same parts as rows."""

    def __init__(self) -> None:
        self._stamps = [bytearray() for _ in range(PARTS)]

    def add(self, stamps: Iterable[bytes]) -> None:
        """More of them."""
        parts = self._stamps
        for stamp in stamps:
            part = parts[stamp[0] >> 1]
            part += stamp

    def part(self, part: int) -> dict[bytes, bytes]:
        """The fingerprints of a part, by the hash of the key."""
        return fingerprints(self._stamps[part])


class PartedRows:
    """Rows by the hash of their key, in parts: all rows of one key are in one part, in the order in which they came.

    Packed, not as objects: a walk over objects that lie scattered in memory takes several times as long.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="driftline-run-")  # noqa: SIM115 - closed by close()
        self._end = 0
        self._held = 0
        self._stamps = [bytearray() for _ in range(PARTS)]  # that wait to be written
        self._texts = [bytearray() for _ in range(PARTS)]  # each ended by a NUL, which no JSON holds
        self._blocks: list[list[tuple[int, int, int]]] = [[] for _ in range(PARTS)]  # where, bytes of stamps, of texts

    def add(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """More rows: stamp and text of each."""
        all_stamps, all_texts, held = self._stamps, self._texts, self._held
        for stamp, text in rows:
            part = stamp[0] >> 1
            stamps, texts = all_stamps[part], all_texts[part]
            stamps += stamp
            texts += text
            texts += b"\0"
            held += len(text)
        self._held = held
        if held >= _HELD:
            self.flush()

    @property
    def empty(self) -> bool:
        """Nothing came yet."""
        return not self._held and not self._end

    def flush(self) -> None:
        """What waits in memory goes to the file."""
        for stamps, texts, blocks in zip(self._stamps, self._texts, self._blocks, strict=True):
            blocks.append((self._end, len(stamps), len(texts)))
            self._end += self._file.write(stamps) + self._file.write(texts)
            stamps.clear()
            texts.clear()
        self._file.flush()
        self._held = 0

    def part(self, part: int) -> tuple[bytes, list[bytes]]:
        """The stamps of a part's rows, one after the other, and their texts."""
        stamps, texts = bytearray(), bytearray()
        for start, of_stamps, of_texts in self._blocks[part]:
            stamps += os.pread(self._file.fileno(), of_stamps, start)
            texts += os.pread(self._file.fileno(), of_texts, start + of_stamps)
        found = bytes(texts + self._texts[part]).split(b"\0")
        found.pop()  # behind the last NUL
        return bytes(stamps + self._stamps[part]), found

    def close(self) -> None:
        """The file is gone."""
        self._file.close()


class Stream(Generic[T]):
    """Values of one type that can be walked again and again: the first few stay in memory, the rest go to a file."""

    def __init__(self, type_: type[T]) -> None:
        self._first: list[T] = []
        self._file: IO[bytes] | None = None
        self._encoder = msgspec.msgpack.Encoder(uuid_format="bytes")
        self._decoder = msgspec.msgpack.Decoder(type_)
        self._count = 0

    def add(self, value: T) -> None:
        """One value more."""
        self._count += 1
        if len(self._first) < _IN_MEMORY:
            self._first.append(value)
            return
        if self._file is None:
            self._file = TemporaryFile(prefix="driftline-run-")  # noqa: SIM115 - closed by close()
        encoded = self._encoder.encode(value)
        self._file.write(_LENGTH.pack(len(encoded)) + encoded)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        """From the start; one walk at a time."""
        yield from self._first
        if self._file is not None:
            self._file.seek(0)
            while head := self._file.read(_LENGTH.size):
                yield self._decoder.decode(self._file.read(_LENGTH.unpack(head)[0]))

    def clear(self) -> None:
        """Empty again."""
        self.close()
        self._first = []
        self._count = 0

    def close(self) -> None:
        """The file is gone."""
        if self._file is not None:
            self._file.close()
            self._file = None
