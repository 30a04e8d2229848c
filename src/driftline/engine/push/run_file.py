r"""A pushed run as a stream of bytes: its envelope and its rows, whether one JSON document or a line each.

    {"run_key": "2026-03-01", "products": [{...}, {...}]}       an envelope
    [{...}, {...}]                                              a bare list
    {...}\n{...}\n                                                JSON lines; a line of envelope fields alone is the envelope

Only the row that is being read is in memory.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final, Literal, get_args

import msgspec

from driftline.core.identity.timestamps import EARLIEST, LATEST
from driftline.core.text.spelling import spelling
from driftline.errors import BadFile
from driftline.model.change import Notice

MAX_ROW: Final = 1_048_576  # bytes of one row
_HEAD_BYTES: Final = 65_536  # bytes that are read to tell a document from lines
_BATCH_BYTES: Final = 65_536  # bytes of rows that are parsed together: small enough for the processor's cache
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_json: Final = json.JSONDecoder()


Status = Literal["completed", "partial", "failed", "running"]


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawler states about its run; all fields are optional."""

    run_key: str | None = None  # a repeated key gets the answer of the first run
    started_at: datetime | None = None
    completed_at: datetime | None = None
    status: Status = "completed"


_ENVELOPE: Final = {
    "runid": "run_key",
    "scraperunid": "run_key",
    "finishedat": "completed_at",
    **{spelling(name): name for name in Envelope.__struct_fields__},
}
_RUN_ONLY_FIELDS: Final = frozenset(_ENVELOPE.values()) - {"status"}  # fields that no product has
_UNKNOWN_SHOWN: Final = 10  # names that a warning lists
_UNKNOWN_AT_MOST: Final = 1_000  # names that are counted


Row = tuple[int, bytes]  # line number from 1, and JSON text
Part = tuple[Sequence[int], Sequence[bytes]]  # the same of several rows


class RunFile:
    """Reads the rows once; afterwards `fields` has the envelope, `unknown` the unknown names, and `is_lines` the format."""

    def __init__(self, chunks: Iterable[bytes] | Iterable[Mapping[str, Any]]) -> None:
        self._chunks: Iterator[Any] = iter(chunks)
        self.fields: dict[str, Any] = {}
        self.unknown: dict[str, None] = {}
        self.is_lines = False

    def rows(self) -> Iterator[Row]:
        """Every row, in order; raises BadFile if the rest cannot be read."""
        return chain.from_iterable(zip(*part, strict=True) for part in self.parts())

    def parts(self) -> Iterator[Part]:
        """The rows in batches; none is empty."""
        head = b""
        while len(head) < _HEAD_BYTES and (chunk := next(self._chunks, None)) is not None:
            if not isinstance(chunk, bytes):
                return _batched(self._values(chunk))
            head += chunk
        head = head.removeprefix(codecs.BOM_UTF8)
        self.is_lines = not _is_document(head)
        return self._lines(head) if self.is_lines else _batched(self._document(head))

    def envelope(self) -> Envelope:
        """The checked envelope."""
        fields = {name: value for name, value in self.fields.items() if value is not None}
        if isinstance(fields.get("run_key"), int):
            fields["run_key"] = str(fields["run_key"])
        if isinstance(status := fields.get("status"), str):
            fields["status"] = status.strip().lower()
        if fields.get("status", "completed") not in get_args(Status):
            raise BadFile("unknown status of a run", status=str(status)[:40], hint=f"use one of {', '.join(get_args(Status))}")
        try:
            envelope = msgspec.convert(fields, Envelope, strict=False)
        except msgspec.ValidationError as fault:
            raise BadFile("envelope cannot be read", problem=str(fault), hint="times are RFC 3339") from None
        return msgspec.structs.replace(
            envelope, started_at=_in_utc(envelope.started_at), completed_at=_in_utc(envelope.completed_at)
        )

    def add_fields(self, fields: Mapping[str, Any]) -> None:
        """Add envelope fields in any spelling; unknown names are kept for a warning."""
        for name, value in fields.items():
            if field := _ENVELOPE.get(spelling(name)):
                self.fields[field] = value
            elif len(self.unknown) < _UNKNOWN_AT_MOST:
                self.unknown[name[:60]] = None

    def take_envelope(self, text: bytes) -> bool:
        """Whether a line is an envelope; its fields are added."""
        try:
            value = json.loads(text[:MAX_ROW])
        except (ValueError, RecursionError):
            return False
        if not isinstance(value, dict) or not value:
            return False
        names = [_ENVELOPE.get(spelling(name)) for name in value]
        if None in names and _RUN_ONLY_FIELDS.isdisjoint(names):
            return False
        self.add_fields(value)
        return True

    def notices(self) -> tuple[Notice, ...]:
        """The warning about unknown envelope fields."""
        if not self.unknown:
            return ()
        named = ", ".join(list(self.unknown)[:_UNKNOWN_SHOWN])
        message = f"fields of the run that are not known were ignored: {named}"
        return (Notice(code="unknown_fields", message=message, count=len(self.unknown)),)

    def _values(self, first: Any) -> Iterator[Row]:
        for number, value in enumerate(chain((first,), self._chunks), start=1):
            try:
                yield number, json.dumps(value, default=str).encode()
            except (TypeError, ValueError, RecursionError):
                yield number, b""

    def _lines(self, head: bytes) -> Iterator[Part]:
        rest, number = b"", 1
        for chunk in chain((head,), self._chunks, (b"\n",)):
            for start in range(0, len(chunk), _BATCH_BYTES):
                *lines, rest = (rest + chunk[start : start + _BATCH_BYTES]).split(b"\n")
                numbers: Sequence[int] = range(number, number + len(lines))
                number += len(lines)
                if not all(lines) or any(map(bytes.isspace, lines)):
                    numbers = [at for at, line in zip(numbers, lines, strict=True) if line.strip()]
                    lines = [line for line in lines if line.strip()]
                if lines:
                    yield numbers, lines
                if len(rest) > 2 * MAX_ROW:
                    rest = rest[: MAX_ROW + 1]  # too large already

    def _document(self, head: bytes) -> Iterator[Row]:
        text = _Text(head, self._chunks)
        if text.peek() == "[":
            yield from _elements(text)
        else:
            text.take()
            while (character := text.peek()) != "}":
                if character == ",":
                    text.take()
                name = text.value()
                text.expect(":")
                if spelling(str(name)) != "products":
                    self.add_fields({str(name): text.value()})
                elif text.peek() == "[":
                    yield from _elements(text)
                else:
                    raise BadFile("products is not a list", line=text.line)
            text.take()
        if text.peek():
            raise BadFile("more than one document", line=text.line, hint="write JSON lines, or one list of products")


def _batched(rows: Iterable[Row]) -> Iterator[Part]:
    numbers, texts, size = list[int](), list[bytes](), 0
    for number, text in rows:
        numbers.append(number)
        texts.append(text)
        size += len(text)
        if size >= _BATCH_BYTES:
            yield numbers, texts
            numbers, texts, size = [], [], 0
    if texts:
        yield numbers, texts


def _elements(text: _Text) -> Iterator[Row]:
    text.take()
    if text.peek() == "]":
        text.take()
        return
    while True:
        text.peek()
        line = text.line
        text.value()
        yield line, text.value_text.encode("utf-8", "surrogatepass")
        character = text.peek()
        if character == "]":
            text.take()
            return
        text.expect(",")


class _Text:
    """A cursor over a JSON document that arrives in chunks."""

    def __init__(self, head: bytes, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._decode = codecs.getincrementaldecoder("utf-8")()
        self._window = ""
        self._at = 0
        self._ended = False
        self.line = 1
        self.value_text = ""  # the text of the latest value
        self._feed(head)

    def peek(self) -> str:
        """The next character that is not a space; empty at the end."""
        while True:
            found = _SPACE.match(self._window, self._at)
            end = found.end() if found else self._at
            self._move(end)
            if self._at < len(self._window) or not self._more():
                return self._window[self._at : self._at + 1]

    def take(self) -> None:
        """Move past the next character."""
        self._move(self._at + 1)

    def expect(self, character: str) -> None:
        """Move past this character; any other is an error."""
        if self.peek() != character:
            raise self._fault()
        self.take()

    def value(self) -> Any:
        """The next complete JSON value."""
        if not self.peek():
            raise self._fault()
        while True:
            found = self._decoded()
            if found is not None and (found[1] < len(self._window) or self._ended):  # a number may continue in the next chunk
                self.value_text = self._window[self._at : found[1]]
                self._move(found[1])
                return found[0]
            if self._ended:
                raise self._fault()
            if len(self._window) - self._at > 2 * MAX_ROW:
                raise BadFile("a row is too large", line=self.line, limit=MAX_ROW)
            self._more()

    def _decoded(self) -> tuple[Any, int] | None:
        try:
            return _json.raw_decode(self._window, self._at)
        except RecursionError:
            raise BadFile("not JSON that can be read", line=self.line, hint="it is nested too deeply") from None
        except ValueError:
            return None

    def _fault(self) -> BadFile:
        return BadFile("not JSON", line=self.line, hint="nothing was stored. Correct the file, or write JSON lines")

    def _move(self, to: int) -> None:
        self.line += self._window.count("\n", self._at, to)
        self._at = to

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        self._ended = chunk is None
        self._feed(chunk or b"")
        return not self._ended or self._at < len(self._window)

    def _feed(self, chunk: bytes) -> None:
        try:
            text = self._decode.decode(chunk, final=self._ended)
        except UnicodeDecodeError:
            raise BadFile("not UTF-8", line=self.line) from None
        self._window = self._window[self._at :] + text
        self._at = 0


def _is_document(head: bytes) -> bool:
    """A list, or an object with `products`; anything else is JSON lines."""
    text = head.decode("utf-8", "replace").lstrip()
    if text.startswith("["):
        return True
    if not text.startswith("{"):
        return False
    at = 1
    try:
        while True:
            at = _skip_space(text, at)
            name, at = _json.raw_decode(text, at)
            at = _skip_space(text, at)
            if text[at : at + 1] != ":":
                return False
            if isinstance(name, str) and spelling(name) == "products":
                return True
            _, at = _json.raw_decode(text, _skip_space(text, at + 1))
            at = _skip_space(text, at)
            if text[at : at + 1] != ",":
                return False
            at += 1
    except (ValueError, RecursionError):
        return False


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _in_utc(moment: datetime | None) -> datetime | None:
    """In UTC (also if it has no zone), moved into the range that can be stored."""
    if moment is None:
        return None
    zoned = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return min(max(zoned, EARLIEST), LATEST).astimezone(UTC)
