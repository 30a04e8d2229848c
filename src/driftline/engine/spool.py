"""Streams that are kept outside of memory until they are needed: what a large run brings, and what it leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Final, Generic, TypeVar

import msgspec

T = TypeVar("T")

PARTS: Final = 64  # a million rows in parts of sixteen thousand
_BLOCK: Final = 65_536  # bytes of one part that are written together
_IN_MEMORY: Final = 5_000  # values of a stream, before it goes on in a file
_HEAD: Final = Struct("<16s16sI")  # hash of the key, fingerprint, length of the rest
_LENGTH: Final = Struct("<I")


class PartedRows:
    """Rows by the hash of their key, in parts: all rows of one key are in one part, in the order in which they came."""

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="driftline-run-")  # noqa: SIM115 - closed by close()
        self._end = 0
        self._waiting: list[list[bytes]] = [[] for _ in range(PARTS)]
        self._sizes = [0] * PARTS
        self._blocks: list[list[tuple[int, int]]] = [[] for _ in range(PARTS)]

    def add(self, hashed: bytes, fingerprint: bytes, packed: bytes) -> None:
        """One row more."""
        part = hashed[0] * PARTS // 256  # a range of hashes: what a source holds of them can be read in one walk
        self._waiting[part] += (_HEAD.pack(hashed, fingerprint, len(packed)), packed)
        self._sizes[part] += _HEAD.size + len(packed)
        if self._sizes[part] >= _BLOCK:
            self._flush(part)

    def _flush(self, part: int) -> None:
        block = b"".join(self._waiting[part])
        self._file.write(block)
        self._blocks[part].append((self._end, len(block)))
        self._end += len(block)
        self._waiting[part] = []
        self._sizes[part] = 0

    def part(self, part: int) -> Iterator[tuple[bytes, bytes, bytes]]:
        """The rows of a part: hash, fingerprint, the rest."""
        self._file.flush()
        for start, size in self._blocks[part]:
            yield from _rows(os.pread(self._file.fileno(), size, start))
        yield from _rows(b"".join(self._waiting[part]))

    def close(self) -> None:
        """The file is gone."""
        self._file.close()


def _rows(block: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    at = 0
    while at < len(block):
        hashed, fingerprint, length = _HEAD.unpack_from(block, at)
        at += _HEAD.size + length
        yield hashed, fingerprint, block[at - length : at]


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
