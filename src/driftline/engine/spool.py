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
_HELD: Final = 4_194_304  # bytes of rows that wait in memory until they are written, all parts together
_IN_MEMORY: Final = 5_000  # values of a stream, before it goes on in a file
_LENGTH: Final = Struct("<I")

Row = tuple[bytes, bytes, bytes]  # hash of the key, fingerprint, JSON text
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[Row]).decode


class PartedRows:
    """Rows by the hash of their key, in parts: all rows of one key are in one part, in the order in which they came."""

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="driftline-run-")  # noqa: SIM115 - closed by close()
        self._end = 0
        self._held = 0
        self._waiting: list[list[Row]] = [[] for _ in range(PARTS)]
        self._blocks: list[list[tuple[int, int]]] = [[] for _ in range(PARTS)]

    def add(self, hashed: bytes, fingerprint: bytes, text: bytes) -> None:
        """One row more."""
        # A part is a range of hashes: what a source holds of them can be read in one walk.
        self._waiting[hashed[0] * PARTS // 256].append((hashed, fingerprint, text))
        self._held += len(text)
        if self._held >= _HELD:
            self._flush()

    def _flush(self) -> None:
        for waiting, blocks in zip(self._waiting, self._blocks, strict=True):
            block = _encode(waiting)
            self._file.write(block)
            blocks.append((self._end, len(block)))
            self._end += len(block)
            waiting.clear()
        self._file.flush()
        self._held = 0

    def part(self, part: int) -> list[Row]:
        """The rows of a part."""
        rows: list[Row] = []
        for start, size in self._blocks[part]:
            rows += _decode(os.pread(self._file.fileno(), size, start))
        return rows + self._waiting[part]

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
