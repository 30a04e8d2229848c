"""Decompresses bodies while they arrive, in bounded pieces: a decompression bomb never reaches its full size."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import brotli
import zstandard

_PIECE_BYTES = 256 * 1024  # zlib and brotli return at most about this much at once
# A zstd block of 128 KiB can be 4 bytes long, and the library decompresses its whole input, so the input is sliced.
_ZSTD_SLICE = 256
_ZSTD_WINDOW = 8 * 1024 * 1024  # RFC 9659: the limit for Content-Encoding
_MAX_MEMBERS = 1_000  # consecutive streams in a body: an empty one takes nine bytes, but is slow to start
_SLACK = 64 * 1024  # bytes by which an encoded body may exceed the limit of the decoded one
_NO_ENCODING = frozenset({"", "identity", "none", "utf-8"})  # the last two are common mistakes of servers


class BodyError(Exception):
    """A body that is not a complete answer."""

    def __init__(self, reason: str, *, truncated: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.truncated = truncated  # larger than allowed


class _Decoder(Protocol):
    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The decoded bytes in bounded pieces; raises the library's own error for invalid data."""

    def whole(self) -> bool:
        """Whether the stream is complete, checksums included."""


class _Zlib:
    """gzip (with consecutive members, RFC 1952) and deflate, with its header or raw."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._start = b""  # held back until two bytes tell zlib's format from raw deflate
        self._inflate = zlib.decompressobj(wbits=31) if gzip else None
        self._members = 1

    def pieces(self, data: bytes) -> Iterator[bytes]:
        inflate = self._inflate
        if inflate is None:
            data = self._start + data
            if len(data) < 2:
                self._start = data
                return
            wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            inflate = self._inflate = zlib.decompressobj(wbits=15 if wrapped else -15)
        full = False  # a full piece may leave more inside, even where no input is left
        while data or full:
            if inflate.eof:
                # Another member, or the padding that browsers ignore too: what came before is complete and checked.
                if not self._gzip or data[:1] != b"\x1f":
                    return
                self._members = _one_more(self._members)
                inflate = self._inflate = zlib.decompressobj(wbits=31)
            piece = inflate.decompress(data, _PIECE_BYTES)
            yield piece
            data = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            full = len(piece) == _PIECE_BYTES and not inflate.eof

    def whole(self) -> bool:
        return self._inflate is not None and self._inflate.eof


class _Brotli:
    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        decoder = self._decoder
        piece = decoder.process(data, output_buffer_limit=_PIECE_BYTES)
        yield piece
        # A full piece may leave more inside, even where the decoder would take more input.
        while (piece or not decoder.can_accept_more_data()) and not decoder.is_finished():
            piece = decoder.process(b"", output_buffer_limit=_PIECE_BYTES)
            yield piece

    def whole(self) -> bool:
        return bool(self._decoder.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._frames = 0
        self._frame = self._next_frame()

    def _next_frame(self) -> zstandard.ZstdDecompressionObj:
        self._frames = _one_more(self._frames)
        return zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _ZSTD_SLICE):
            part = data[start : start + _ZSTD_SLICE]
            while part:
                if self._frame.eof:
                    self._frame = self._next_frame()
                yield self._frame.decompress(part)
                part = self._frame.unused_data if self._frame.eof else b""

    def whole(self) -> bool:
        return self._frame.eof


def _one_more(members: int) -> int:
    if members >= _MAX_MEMBERS:
        raise BodyError("body of too many parts")
    return members + 1


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
    "zstd": _Zstd,
}
ACCEPTED = "gzip, deflate, br, zstd"


class Body:
    """Collects one body: fed chunk by chunk, complete at the end or a BodyError."""

    __slots__ = ("_decoder", "_fed", "_limit", "_pieces", "_size")

    def __init__(self, content_encoding: str, limit: int) -> None:
        self._decoder = _decoder(content_encoding) if content_encoding else None
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._fed = 0  # encoded bytes

    def feed(self, data: bytes) -> None:
        """Add the next encoded chunk."""
        if self._decoder is None:
            self._add(data)
            return
        self._fed += len(data)
        if self._fed > self._limit + _SLACK:  # empty blocks could go on forever
            raise BodyError("body too large", truncated=True)
        try:
            for piece in self._decoder.pieces(data):
                self._add(piece)
        except (zlib.error, brotli.error, zstandard.ZstdError):
            raise BodyError("body does not decode") from None

    def _add(self, piece: bytes) -> None:
        room = self._limit - self._size
        self._size += len(piece)
        if len(piece) > room:
            self._pieces.append(piece[:room])
            raise BodyError("body too large", truncated=True)
        self._pieces.append(piece)

    def expect(self, length: int) -> None:
        """Refuse an announced length beyond the limit, before reading."""
        if length > self._limit:
            raise BodyError("body too large", truncated=True)

    def so_far(self) -> bytes:
        """The decoded bytes up to the limit."""
        return b"".join(self._pieces)

    def whole(self) -> bytes:
        """The complete body; an encoded stream must have reached its end."""
        if self._decoder is not None and self._fed and not self._decoder.whole():
            raise BodyError("body cut short")
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)


def _decoder(content_encoding: str) -> _Decoder | None:
    """The decoder for a Content-Encoding header; at most one encoding."""
    names = [name for part in content_encoding.split(",") if (name := part.strip().lower()) not in _NO_ENCODING]
    if not names:
        return None
    if len(names) > 1:
        raise BodyError("more than one content encoding")
    make = _DECODERS.get(names[0])
    if make is None:
        raise BodyError("unknown content encoding")
    return make()
