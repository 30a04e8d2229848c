"""Two pages side by side: the text's differences, noise and masks taken out, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from driftline.core.ages import has_aged
from driftline.core.diff import Op, align
from driftline.core.noise import PLACEHOLDER, explained, sense
from driftline.kinds.page.lines import COUNTER, NOISE
from driftline.kinds.page.masks import Cover, Edit, Side
from driftline.kinds.page.memo import column
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.turning import turned
from driftline.model.change import Suppressed

MAX_SUPPRESSED: Final = 100
_PURE: Final = frozenset((NOISE, COUNTER))  # of lines that are noise and nothing else
_TURNING: Final = re.compile(
    r"[.#](?:[\w-]*(?:carousel|slider|slideshow|swiper|slick|splide|rotator|marquee|partners|"
    r"sponsors|logos|lang(?:uages?)?(?:[-_]\w+)*))|(?:^|> )nav\b|[.#](?:main-?)?(?:nav|navbar|navigation|footer)\b"
)


class TextDiff(NamedTuple):
    """What differs in the text of two pages."""

    edits: list[Edit]
    suppressed: list[Suppressed]
    before: str | None  # the text as compared, without what masks cover; None: not kept
    after: str
    covered: int  # characters that masks took out of the larger side
    sides: tuple[Side, Side]
    lines: tuple[Sequence[str], Sequence[str]]  # of both sides, as readers see them
    ops: list[Op]  # of the lines, without what masks cover


def text_diff(before: ParsedPage, after: ParsedPage, cover: Cover) -> TextDiff:
    """The edits that turn one page's lines into the other's, without noise and without what masks cover."""
    one, other = _Side(before), _Side(after)
    sides = Side(one.marks, one.places, before.title), Side(other.marks, other.places, after.title)
    names = _shared_names(one, other)
    left = [names[mark] for mark in one.marks]
    right = [names[mark] for mark in other.marks]
    ops = align(left, right) if left != right else [Op("equal", 0, len(left), 0, len(right))]
    edits: list[Edit] = []
    suppressed: list[Suppressed] = []
    kept: list[Op] = []
    hidden: tuple[set[int], set[int]] = (set(), set())
    for op in ops:
        if op.action == "equal":
            suppressed.extend(_noise(one, other, op))
            kept.append(op)
            continue
        for edit in _edits(one, other, op):
            rule = _of_itself(edit, one, other, (before, after))
            mask = cover.line(edit, *sides) if cover and rule is None else rule
            if mask is None:
                edits.append(edit)
            if mask is None or rule is not None:
                kept.append(_op(edit, op))
            if mask is None:
                continue
            suppressed.append(_shown(mask, after.paths.get(f"{edit.place:016x}", ""), edit))
            if edit.at is not None:
                hidden[0].add(edit.at)
            if edit.to is not None:
                hidden[1].add(edit.to)
    old, new = _without(left, hidden[0]), _without(right, hidden[1])
    covered = max(sum(len(line[at]) + 1 for at in gone) for line, gone in zip((left, right), hidden, strict=True))
    lines = one.lines, other.lines
    return TextDiff(edits, suppressed[:MAX_SUPPRESSED], None if one.unkept else old, new, covered, sides, lines, kept)


def _without(lines: Sequence[str], hidden: set[int]) -> str:
    return "\n".join([line for index, line in enumerate(lines) if index not in hidden] if hidden else lines)


def _of_itself(edit: Edit, one: _Side, other: _Side, pages: tuple[ParsedPage, ParsedPage]) -> str | None:
    """The rule for a line that is nothing but noise and came or went, or that a carousel or a shop turned; else nothing."""
    page = pages[1]
    if edit.action == "moved":
        return "carousel" if _TURNING.search(page.paths.get(f"{edit.place:016x}", "").lower()) else None
    if page.literal:
        return None
    if edit.action == "changed":
        if edit.before and edit.after and has_aged(edit.before, edit.after):
            return "relative-time"
        return turned(edit.before, edit.after, pages)
    known = one.marks[edit.at] if edit.at is not None else other.marks[edit.to or 0]
    return "noise" if known in _PURE else None


def _op(edit: Edit, op: Op) -> Op:
    """One edit as an alignment of its own."""
    at = op.before if edit.at is None else edit.at
    to = op.after if edit.to is None else edit.to
    return Op(edit.action, at, at + (edit.at is not None), to, to + (edit.to is not None))


class _Side:
    """One page's lines with their marks and places."""

    def __init__(self, page: ParsedPage) -> None:
        self.marks = column(page.marks)
        self.places = column(page.places)
        self.unkept = page.text is None
        self.lines: Sequence[str] = [""] * len(self.marks) if page.text is None else page.lines

    def line(self, index: int) -> str | None:
        return None if self.unkept else self.lines[index]


def _shared_names(one: _Side, other: _Side) -> dict[int, str]:
    """A text for every mark, the same on both sides, so that lines which differ by noise alone are equal."""
    names: dict[int, str] = {}
    for side in (one, other):
        names |= zip(side.marks, [f"\x00{mark:x}" for mark in side.marks] if side.unkept else side.lines, strict=True)
    names[NOISE] = PLACEHOLDER
    return names


def _edits(one: _Side, other: _Side, op: Op) -> Iterator[Edit]:
    match op.action:
        case "changed" if not one.unkept:
            yield Edit("changed", one.line(op.before), other.line(op.after), op.before, op.after, other.places[op.after])
        case "moved":
            for at, to in zip(range(op.before, op.before_end), range(op.after, op.after_end), strict=True):
                yield Edit("moved", one.line(at), other.line(to), at, to, other.places[to])
        case _:
            for at in range(op.before, op.before_end):
                yield Edit("removed", one.line(at), None, at, None, one.places[at])
            for to in range(op.after, op.after_end):
                yield Edit("added", None, other.line(to), None, to, other.places[to])


def _noise(one: _Side, other: _Side, op: Op) -> Iterator[Suppressed]:
    """The raw differences inside lines that are equal without their noise."""
    if one.unkept or one.lines[op.before : op.before_end] == other.lines[op.after : op.after_end]:
        return
    for at, to in zip(range(op.before, op.before_end), range(op.after, op.after_end), strict=True):
        old, new = one.lines[at], other.lines[to]
        if old != new:
            found = next(chain(explained(new), explained(old)), None)
            rule = found[0].name if found else "writing" if sense(old) == sense(new) else "counter"
            yield Suppressed(rule=rule, before=old[:200], after=new[:200])


def _shown(rule: str, place: str, edit: Edit) -> Suppressed:
    return Suppressed(rule=rule, place=place, before=(edit.before or "")[:200], after=(edit.after or "")[:200])
