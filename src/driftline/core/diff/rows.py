"""A diff as a bounded list of rows: changed lines with marked words and some context, without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from driftline.core.diff.lines import Op, WordMark, align, mark_words

# Characters with an effect on display: terminal controls, line ends inside a line, changes of writing direction.
_CONTROLS = [*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF, *range(0xFFF9, 0xFFFC)]
_SPACES = [*range(9, 14), 0x85, 0x2028, 0x2029]
_PLAIN = {**dict.fromkeys(_CONTROLS), **dict.fromkeys(_SPACES, " "), **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}
_HAS_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")


class DiffLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a diff is shown."""

    context: int = 3  # unchanged lines around a change
    rows: int = 2_000
    chars: int = 200_000  # of all rows
    mark: int = 2_000  # characters of one added or removed part
    same: int = 160  # characters of an unchanged part of a line


_DEFAULT_LIMITS = DiffLimits()


class Row(msgspec.Struct, frozen=True):
    """One line of a diff. Numbers are the first line's, counted from 1; 0 where that side has no line."""

    action: Literal["context", "changed", "added", "removed", "moved", "skipped", "cut"]
    before: int = 0
    after: int = 0
    marks: tuple[WordMark, ...] = ()
    count: int = 1  # lines that a `skipped` row replaces, or differences that `cut` leaves out

    @property
    def old(self) -> str:
        """The line before."""
        return "".join(mark.text for mark in self.marks if mark.action != "added")

    @property
    def new(self) -> str:
        """The line after."""
        return "".join(mark.text for mark in self.marks if mark.action != "removed")


def rows(
    before: Sequence[str], after: Sequence[str], *, ops: Sequence[Op] | None = None, limits: DiffLimits = _DEFAULT_LIMITS
) -> list[Row]:
    """The differences in the order of the after side; the last row is `cut` if a limit was reached."""
    ops = align(before, after) if ops is None else ops
    shown: list[Row] = []
    chars = 0
    for index in range(len(ops)):
        for row in _op_rows(ops, index, before, after, limits):
            for mark in row.marks:
                chars += len(mark.text)
            if len(shown) >= limits.rows or chars > limits.chars:
                left = sum(_lines(op) for op in ops[index:] if op.action != "equal")
                return [*shown, Row("cut", count=left)] if left else shown
            shown.append(row)
    return [] if all(op.action == "equal" for op in ops) else shown


def stored_rows(diff: Mapping[str, Any] | None) -> tuple[Row, ...]:
    """The rows in a stored change's diff; empty if its text did not change."""
    return msgspec.convert((diff or {}).get("rows") or (), tuple[Row, ...])


def _op_rows(ops: Sequence[Op], index: int, before: Sequence[str], after: Sequence[str], limits: DiffLimits) -> Iterator[Row]:
    op = ops[index]
    match op.action:
        case "equal":
            yield from _context(op, after, first=index == 0, last=index == len(ops) - 1, limits=limits)
        case "changed":
            marks = mark_words(_plain(before[op.before]), _plain(after[op.after]))
            yield Row("changed", op.before + 1, op.after + 1, tuple(_short(*mark, limits) for mark in marks))
        case "added":
            for line in range(op.after, op.after_end):
                yield Row("added", 0, line + 1, (_short("added", _plain(after[line]), limits),))
        case "removed":
            for line in range(op.before, op.before_end):
                yield Row("removed", line + 1, 0, (_short("removed", _plain(before[line]), limits),))
        case "moved":
            for offset, line in enumerate(range(op.after, op.after_end)):
                yield Row("moved", op.before + offset + 1, line + 1, (_short("same", _plain(after[line]), limits),))


def _context(op: Op, after: Sequence[str], *, first: bool, last: bool, limits: DiffLimits) -> Iterator[Row]:
    size = op.after_end - op.after
    head, tail = (0 if first else limits.context), (0 if last else limits.context)
    skipped = size - head - tail
    whole = skipped <= 1
    for offset in range(size if whole else head):
        yield _same(op, after, offset, limits)
    if not whole:
        if not (first or last):
            yield Row("skipped", op.before + head + 1, op.after + head + 1, count=skipped)
        for offset in range(size - tail, size):
            yield _same(op, after, offset, limits)


def _same(op: Op, after: Sequence[str], offset: int, limits: DiffLimits) -> Row:
    mark = _short("same", _plain(after[op.after + offset]), limits)
    return Row("context", op.before + offset + 1, op.after + offset + 1, (mark,))


def _lines(op: Op) -> int:
    return max(op.before_end - op.before, op.after_end - op.after)


def _plain(text: str) -> str:
    return text if _HAS_CONTROLS.search(text) is None else text.translate(_PLAIN)


def _short(action: Literal["same", "removed", "added"], text: str, limits: DiffLimits) -> WordMark:
    limit = limits.same if action == "same" else limits.mark
    half = limit // 2
    return WordMark(action, text if len(text) <= limit else f"{text[:half]} … {text[-half:]}")
