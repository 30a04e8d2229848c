"""Temporary files for large runs: rows that came in, and rows to be written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Final, Generic, TypeVar

import msgspec

T = TypeVar("T")

PARTS: Final = 128  # a million rows in parts of eight thousand
_BUFFER_BYTES: Final = 16_777_216  # bytes of rows that are buffered before they are written
_IN_MEMORY: Final = 5_000  # values of a stream that stay in memory
_LENGTH: Final = Struct("<I")
_STAMP: Final = Struct("16s16s")  # a stamp: the hash of a key, and a fingerprint


def fingerprints(stamps: bytes | bytearray) -> dict[bytes, bytes]:
    """Fingerprints by key hash; the last one of a key wins."""
    return dict(_STAMP.iter_unpack(stamps))


class PartedStamps:
    """Key hashes and fingerprints of many items, in the same parts as rows."""

    def __init__(self) -> None:
        self._stamps = [bytearray() for _ in range(PARTS)]

    def add(self, stamps: Iterable[bytes]) -> None:
        """Add stamps."""
        parts = self._stamps
        for stamp in stamps:
            part = parts[stamp[0] >> 1]
            part += stamp

    def part(self, part: int) -> dict[bytes, bytes]:
        """The fingerprints of a part, by key hash."""
        return fingerprints(self._stamps[part])


class PartedRows:
    """Rows in parts by key hash: all rows of one key are in one part, in the order in which they came.

    They are packed bytes: iterating over as many objects would take several times as long.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="driftline-run-")  # noqa: SIM115 - closed by close()
        self._end = 0
        self._buffered = 0
        self._stamps = [bytearray() for _ in range(PARTS)]  # not yet written
        self._texts = [bytearray() for _ in range(PARTS)]  # each ended by a NUL, which no JSON holds
        self._blocks: list[list[tuple[int, int, int]]] = [[] for _ in range(PARTS)]  # where, bytes of stamps, of texts

    def add(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Add rows: stamp and text of each."""
        all_stamps, all_texts, buffered = self._stamps, self._texts, self._buffered
        for stamp, text in rows:
            part = stamp[0] >> 1
            stamps, texts = all_stamps[part], all_texts[part]
            stamps += stamp
            texts += text
            texts += b"\0"
            buffered += len(text)
        self._buffered = buffered
        if buffered >= _BUFFER_BYTES:
            self.flush()

    @property
    def empty(self) -> bool:
        """Whether no row was added."""
        return not self._buffered and not self._end

    def flush(self) -> None:
        """Write the buffered rows to the file."""
        for stamps, texts, blocks in zip(self._stamps, self._texts, self._blocks, strict=True):
            blocks.append((self._end, len(stamps), len(texts)))
            self._end += self._file.write(stamps) + self._file.write(texts)
            stamps.clear()
            texts.clear()
        self._file.flush()
        self._buffered = 0

    def part(self, part: int) -> tuple[bytes, list[bytes]]:
        """The concatenated stamps of a part's rows, and their texts."""
        stamps, texts = bytearray(), bytearray()
        for start, of_stamps, of_texts in self._blocks[part]:
            stamps += os.pread(self._file.fileno(), of_stamps, start)
            texts += os.pread(self._file.fileno(), of_texts, start + of_stamps)
        found = bytes(texts + self._texts[part]).split(b"\0")
        found.pop()  # after the last NUL
        return bytes(stamps + self._stamps[part]), found

    def close(self) -> None:
        """Delete the file."""
        self._file.close()


class Stream(Generic[T]):
    """Values of one type that can be iterated repeatedly: the first ones stay in memory, the rest go to a file."""

    def __init__(self, type_: type[T]) -> None:
        self._first: list[T] = []
        self._file: IO[bytes] | None = None
        self._encoder = msgspec.msgpack.Encoder(uuid_format="bytes")
        self._decoder = msgspec.msgpack.Decoder(type_)
        self._count = 0

    def add(self, value: T) -> None:
        """Append a value."""
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
        """From the start; one iteration at a time."""
        yield from self._first
        if self._file is not None:
            self._file.seek(0)
            while head := self._file.read(_LENGTH.size):
                yield self._decoder.decode(self._file.read(_LENGTH.unpack(head)[0]))

    def clear(self) -> None:
        """Remove all values."""
        self.close()
        self._first = []
        self._count = 0

    def close(self) -> None:
        """Delete the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
