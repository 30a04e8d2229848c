"""Stored versions for people: the text of any of them, and any two compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from driftline.core.diff.lines import WordMark, align
from driftline.core.diff.rows import Row, rows, stored_rows
from driftline.core.markup.inert import inert
from driftline.core.text.charset import decode
from driftline.core.text.time_text import readable_date
from driftline.kinds.page.judge.spans import quieted

_OURS: Final = frozenset(
    {"carried", "price_told", "price_told_at", "stock_told_at", "price_before", "basis", "signature", "fingerprint"}
)
# Shorter ids than those that judging takes for such: here nothing is lost by it, because the line is shown.
_ID: Final = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,15}\b", re.IGNORECASE)
_FILE_HASH: Final = re.compile(r"\nsha256: [0-9a-f]{64}$")  # in texts of files that earlier versions stored
_HTML: Final = ("", "text/html", "application/xhtml+xml")
CHARACTERS_AT_MOST: Final = 2_000_000  # of one text


class VersionDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Two versions beside each other."""

    rows: tuple[Row, ...]
    added: int  # lines
    removed: int
    quiet: int = 0  # lines that differ in counters, ages and ids alone, or were not reported: shown, and not marked

    @property
    def summary(self) -> str:
        """`1 line changed, 2 added`."""
        changed = sum(row.action == "changed" for row in self.rows)
        counts = {"changed": changed, "added": self.added - changed, "removed": self.removed - changed}
        said = [(count, what) for what, count in counts.items() if count]
        lines = [f"{count} {'line' if count == 1 else 'lines'} {what}" for count, what in said[:1]]
        return ", ".join([*lines, *(f"{count} {what}" for count, what in said[1:])])


def readable(text: str | None, state: Any) -> str:
    """What a version says: its text, or the fields of its state, one a line, where the kind keeps no text."""
    if text is not None:
        return _FILE_HASH.sub("", text) if isinstance(state, dict) and state.get("file") else text
    return "\n".join(_fields(state)) if isinstance(state, dict) else ""


def _fields(state: dict[str, Any], before: str = "") -> Iterator[str]:
    for name, value in state.items():
        if name in _OURS or value in (None, "", [], {}):
            continue
        words = f"{before}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            yield from _fields(value, f"{words} ")
        elif isinstance(value, list):
            yield f"{words}: {', '.join(map(_plain, value))}"
        else:
            yield f"{words}: {_plain(value)}"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return readable_date(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def reported_lines(diffs: Iterable[Mapping[str, Any] | None]) -> frozenset[str] | None:
    """Every line that these diffs report, as it was and as it is; None where one of them does not say all."""
    found: set[str] = set()
    for diff in diffs:
        rows = stored_rows(diff)
        if not rows or rows[-1].action == "cut":
            return None
        for row in rows:
            if row.action not in ("context", "skipped"):
                found |= {row.old, row.new}
    return frozenset(found)


def compared(before: str, after: str, reported: frozenset[str] | None = None) -> VersionDiff:
    """The lines that differ, with their words marked; both texts are capped.

    `reported` are the lines that checks reported between the two: what they saw and did not report is noise.
    """
    old, new = _lines(before), _lines(after)
    gone, come = set(old) - set(new), set(new) - set(old)
    ops = align(
        [_quiet(line) if line in gone else line for line in old], [_quiet(line) if line in come else line for line in new]
    )
    all_rows = rows(old, new, ops=ops)
    found = tuple(all_rows if reported is None else [_unmarked(row, reported) for row in all_rows])
    unmarked = sum(one is not other for one, other in zip(all_rows, found, strict=True))
    return VersionDiff(
        quiet=sum(line in come for op in ops if op.action == "equal" for line in new[op.after : op.after_end]) + unmarked,
        rows=found if any(row.action not in ("context", "skipped") for row in found) else (),
        added=sum(row.action in ("added", "changed") for row in found),
        removed=sum(row.action in ("removed", "changed") for row in found),
    )


def _unmarked(row: Row, reported: frozenset[str]) -> Row:
    """A changed line that no check reported, as context."""
    if row.action != "changed" or row.old in reported or row.new in reported:
        return row
    return Row("context", row.before, row.after, (WordMark("same", row.new),))


def _quiet(line: str) -> str:
    return _ID.sub("\x01", quieted(line))


def _lines(text: str) -> list[str]:
    return text[:CHARACTERS_AT_MOST].splitlines()


def as_it_looked(body: bytes, content_type: str) -> str | None:
    """The stored page for a frame, inert; None for what is no HTML, or more than a browser shows in good time."""
    if content_type.split(";", 1)[0].strip().lower() not in _HTML:
        return None
    source = decode(body, content_type)
    return inert(source) if "<" in source[:10_000] else None
