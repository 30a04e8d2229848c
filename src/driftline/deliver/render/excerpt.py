"""The lines of a change that a message shows: removed, added, and which words differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from driftline.deliver.render.wording import cut, one_line
from driftline.model.change import Change

_MAX_LINE: Final = 240  # characters of a line


class ExcerptPart(NamedTuple):
    """A part of a line."""

    text: str
    marked: bool  # whether it differs


class ExcerptLine(NamedTuple):
    """A removed or added line."""

    sign: Literal["+", "-"]
    pieces: tuple[ExcerptPart, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(piece.text for piece in self.pieces)


def excerpt(change: Change, at_most: int) -> tuple[list[ExcerptLine], bool]:
    """The first lines, and whether there are more."""
    found: list[ExcerptLine] = []
    for line in _lines(change.diff or {}):
        if len(found) == at_most:
            return found, True
        found.append(line)
    return found, False


def _lines(diff: Mapping[str, Any]) -> Iterator[ExcerptLine]:
    for row in diff.get("rows") or ():
        marks = row.get("marks") or ()
        action = row.get("action")
        if action in {"changed", "removed"}:
            yield from _line("-", marks, "removed", whole=action == "removed")
        if action in {"changed", "added"}:
            yield from _line("+", marks, "added", whole=action == "added")
    changes = diff.get("changes") or {}
    title = changes.get("title") or {}
    if title.get("changed"):
        yield from _both("title", title)
    for name, sides in (changes.get("metadata") or {}).items():
        yield from _both(name, sides)
    for what in ("images", "links"):
        for sign, side in (("+", "added"), ("-", "removed")):
            for entry in (changes.get(what) or {}).get(side) or ():
                place = entry if isinstance(entry, str) else entry.get("url", "")
                yield ExcerptLine(
                    "+" if sign == "+" else "-", (ExcerptPart(cut(one_line(f"{what[:-1]} {place}"), _MAX_LINE), False),)
                )


def _line(sign: Literal["+", "-"], marks: Sequence[Sequence[str]], own: str, *, whole: bool) -> Iterator[ExcerptLine]:
    """One side of a row; of a long line the part around the first difference."""
    pieces = [ExcerptPart(_clean(text), action == own and not whole) for action, text in marks if action in {"same", own}]
    total = 0
    kept: list[ExcerptPart] = []
    for number, piece in enumerate(pieces):
        text = piece.text
        if number == 0 and not piece.marked and len(text) > _MAX_LINE // 2 and len(pieces) > 1:
            text = f"…{text[-_MAX_LINE // 3 :]}"
        left = _MAX_LINE - total
        if left <= 0:
            break
        kept.append(ExcerptPart(cut(text, left) if len(text) > left else text, piece.marked))
        total += len(text)
    if any(piece.text.strip() for piece in kept):
        yield ExcerptLine(sign, tuple(kept))


def _clean(text: str) -> str:
    """Without line breaks and control characters; spaces around words stay."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def _both(name: str, sides: Mapping[str, Any]) -> Iterator[ExcerptLine]:
    for sign, side in (("-", "before"), ("+", "after")):
        value = sides.get(side)
        if value not in (None, ""):
            yield ExcerptLine("+" if sign == "+" else "-", (ExcerptPart(cut(one_line(f"{name}: {value}"), _MAX_LINE), False),))
