"""The rows of a pushed run: read, rejected with their line, or spooled outside of the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from driftline.engine.push.run_file import MAX_ROW, Envelope, RunFile
from driftline.engine.push.spool import PartedRows, fingerprints
from driftline.errors import BadFile, Refused
from driftline.kinds.catalog.product import Product, merged, observed
from driftline.kinds.catalog.rows import Rejected, RowReader, duplicates_notice
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.change import Notice
from driftline.model.item import Observed
from driftline.model.watch import Watch

REJECTED_AT_MOST: Final = 5_000  # rows that are named; all are counted
_EXPECTED: Final = "give JSON lines, a list of products, or an envelope with `products`; each has a `url`"
_TOO_LARGE: Final = Rejected("row is too large")


class BadRow(msgspec.Struct, frozen=True):
    """A row that was left out."""

    line: int
    reason: str


class PushedRun:
    """The rows of one run, by the hash of their key."""

    def __init__(self, rules: CatalogRules, base: str) -> None:
        self._reader = RowReader(rules, base)
        self._again = RowReader(rules, base)  # for rows that were counted before
        self._rows = PartedRows()
        self._disagreeing: set[str] = set()
        self._unknown: tuple[Notice, ...] = ()
        self.envelope = Envelope()
        self.rejected: list[BadRow] = []
        self.rejections = 0

    def take(
        self, pieces: Iterable[bytes] | Iterable[Mapping[str, Any]], *, strict: bool, said: Mapping[str, Any] | None = None
    ) -> None:
        """Read a whole run: the pieces of a file, or products as values; `said` goes before what its envelope says.

        Raises BadFile for what is no run or has no good row, and with `strict` Refused for the first bad row.
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
        if self.rejected and self._rows.empty:  # of another file: as a run it would say that every product is gone
            first = self.rejected[0]
            raise BadFile(
                "no row can be read, and nothing was stored", rows=self.rejections, line=first.line, reason=first.reason,
                hint=_EXPECTED,
            )  # fmt: skip
        file.say(said or {})
        self.envelope = file.envelope()
        self._unknown = file.notices()

    def _one_by_one(self, rows: Iterable[tuple[int, bytes]], file: RunFile, *, strict: bool) -> Iterator[tuple[bytes, bytes]]:
        """The rows that are good, with their stamps."""
        for line, text in rows:
            read = self._reader.stamp(text) if len(text) <= MAX_ROW else _TOO_LARGE
            if not isinstance(read, Rejected):
                yield read, text
            elif not file.says(text):
                self._reject(line, read, strict=strict)

    def _reject(self, line: int, read: Rejected, *, strict: bool) -> None:
        if strict:
            reason = read.reason
            raise Refused("a row cannot be read, and nothing was stored", line=line, reason=reason, hint="leave out --strict")
        self.rejections += 1
        if len(self.rejected) < REJECTED_AT_MOST:
            self.rejected.append(BadRow(line, read.reason))

    def part(self, part: int) -> tuple[dict[bytes, bytes], list[bytes]]:
        """Each product of a part once, the last sight of it: fingerprints by the hash of the key, and the texts beside them."""
        stamps, texts = self._rows.part(part)
        shown = fingerprints(stamps)
        if len(shown) == len(texts):
            return shown, texts
        once: dict[bytes, tuple[bytes, bytes]] = {}
        for at, text in zip(range(0, len(stamps), 32), texts, strict=True):
            hashed, sight = stamps[at : at + 16], (stamps[at + 16 : at + 32], text)
            earlier = once.get(hashed)
            once[hashed] = sight if earlier is None or earlier[0] == sight[0] else self._merged(earlier[1], text)
        return {hashed: sight[0] for hashed, sight in once.items()}, [sight[1] for sight in once.values()]

    def _merged(self, earlier: bytes, later: bytes) -> tuple[bytes, bytes]:
        one, other = self.product(earlier), self.product(later)
        product, disagree = merged(one.state, other.state)
        if disagree:
            self._disagreeing.add(other.key)
        row = {"url": other.key} | msgspec.to_builtins(product)
        return observed(other.key, product).fingerprint, msgspec.json.encode(row)

    def product(self, text: bytes) -> Observed[Product]:
        """A row of a part, as it was observed."""
        read = self._again.decode(text)
        if isinstance(read, Rejected):
            raise TypeError("a row that was read once is read again")
        return read

    def notices(self) -> tuple[Notice, ...]:
        """What was left out or came twice, once all parts were walked."""
        return self._unknown + self._reader.notices() + duplicates_notice(self._disagreeing)

    def close(self) -> None:
        """Delete the spool."""
        self._rows.close()


def pushable(watch: Watch) -> PushedRun:
    """An empty run of the watch; Refused where runs of its kind cannot be pushed."""
    if watch.kind != "catalog":
        raise Refused("only runs of catalogs can be pushed", watch=watch.name, kind=watch.kind)
    return PushedRun(msgspec.convert(watch.rules, CatalogRules), watch.url)
