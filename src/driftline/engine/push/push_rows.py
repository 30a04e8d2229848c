"""The rows of a pushed run: parsed, rejected with their line number, or spooled to a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from driftline.engine.push.run_file import MAX_ROW, Envelope, RunFile
from driftline.engine.push.spool import PartedRows, fingerprints
from driftline.errors import BadFile, Refused
from driftline.kinds.catalog.product import Product, merged, observed
from driftline.kinds.catalog.push.rows import Rejected, RowReader, duplicates_notice
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.change import Notice
from driftline.model.item import Observed
from driftline.model.watch import Watch

REJECTED_AT_MOST: Final = 5_000  # rows that are named; all are counted
_EXPECTED: Final = "give JSON lines, a list of products, or an envelope with `products`; each has a `url`"
_TOO_LARGE: Final = Rejected("row is too large")


class BadRow(msgspec.Struct, frozen=True):
    """A row that was rejected."""

    line: int
    reason: str


class PushedRun:
    """The rows of one run, grouped by the hash of their key."""

    def __init__(self, rules: CatalogRules, base: str) -> None:
        self._reader = RowReader(rules, base)
        self._second_reader = RowReader(rules, base)  # for rows that were counted already
        self._rows = PartedRows()
        self._disagreeing: set[str] = set()
        self._unknown: tuple[Notice, ...] = ()
        self.envelope = Envelope()
        self.rejected: list[BadRow] = []
        self.rejections = 0

    def take(
        self, pieces: Iterable[bytes] | Iterable[Mapping[str, Any]], *, strict: bool, fields: Mapping[str, Any] | None = None
    ) -> None:
        """Read a whole run: the pieces of a file, or products as values; `fields` override the file's own envelope.

        Raises BadFile for a file that is not a run or has no good row, and with `strict` Refused at the first bad row.
        """
        file = RunFile(pieces)
        empty = True
        for lines, texts in file.parts():
            empty = False
            stamps = self._reader.stamps(texts) if max(map(len, texts)) <= MAX_ROW else None
            rows = zip(lines, texts, strict=True)
            self._rows.add(zip(stamps, texts, strict=True) if stamps else self._one_by_one(rows, file, strict=strict))
        if empty and file.is_lines:
            raise BadFile("holds no products", hint=_EXPECTED)
        if self.rejected and self._rows.empty:  # not a run at all: recorded, it would mean that every product is gone
            first = self.rejected[0]
            raise BadFile(
                "no row can be read, and nothing was stored", rows=self.rejections, line=first.line, reason=first.reason,
                hint=_EXPECTED,
            )  # fmt: skip
        file.add_fields(fields or {})
        self.envelope = file.envelope()
        self._unknown = file.notices()

    def _one_by_one(self, rows: Iterable[tuple[int, bytes]], file: RunFile, *, strict: bool) -> Iterator[tuple[bytes, bytes]]:
        """The good rows with their stamps."""
        for line, text in rows:
            read = self._reader.stamp(text) if len(text) <= MAX_ROW else _TOO_LARGE
            if not isinstance(read, Rejected):
                yield read, text
            elif not file.take_envelope(text):
                self._reject(line, read, strict=strict)

    def _reject(self, line: int, read: Rejected, *, strict: bool) -> None:
        if strict:
            reason = read.reason
            raise Refused("a row cannot be read, and nothing was stored", line=line, reason=reason, hint="leave out --strict")
        self.rejections += 1
        if len(self.rejected) < REJECTED_AT_MOST:
            self.rejected.append(BadRow(line, read.reason))

    def part(self, part: int) -> tuple[dict[bytes, bytes], list[bytes]]:
        """Each product of a part once, the last row winning: fingerprints by key hash, and the rows' texts."""
        stamps, texts = self._rows.part(part)
        shown = fingerprints(stamps)
        if len(shown) == len(texts):
            return shown, texts
        by_key: dict[bytes, tuple[bytes, bytes]] = {}
        for at, text in zip(range(0, len(stamps), 32), texts, strict=True):
            key, row = stamps[at : at + 16], (stamps[at + 16 : at + 32], text)
            earlier = by_key.get(key)
            by_key[key] = row if earlier is None or earlier[0] == row[0] else self._merged(earlier[1], text)
        return {key: row[0] for key, row in by_key.items()}, [row[1] for row in by_key.values()]

    def _merged(self, earlier: bytes, later: bytes) -> tuple[bytes, bytes]:
        one, other = self.product(earlier), self.product(later)
        product, disagree = merged(one.state, other.state)
        if disagree:
            self._disagreeing.add(other.key)
        row = {"url": other.key} | msgspec.to_builtins(product)
        return observed(other.key, product).fingerprint, msgspec.json.encode(row)

    def product(self, text: bytes) -> Observed[Product]:
        """A row of a part as an observed product."""
        read = self._second_reader.decode(text)
        if isinstance(read, Rejected):
            raise TypeError("a row that was read once is read again")
        return read

    def notices(self) -> tuple[Notice, ...]:
        """Warnings about rejected and repeated rows, after all parts were read."""
        return self._unknown + self._reader.notices() + duplicates_notice(self._disagreeing)

    def close(self) -> None:
        """Delete the spool."""
        self._rows.close()


def pushable(watch: Watch) -> PushedRun:
    """An empty run of the watch; raises Refused if runs of its kind cannot be pushed."""
    if watch.kind != "catalog":
        raise Refused("only runs of catalogs can be pushed", watch=watch.name, kind=watch.kind)
    return PushedRun(msgspec.convert(watch.rules, CatalogRules), watch.url)
