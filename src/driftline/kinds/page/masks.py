"""Learned noise: places that differ between answers which should be the same.

A mask covers the varying span of a line at a structural path, known by the words around it; where a whole line, link or image
varies, it covers what stands at that path, known by the path and its neighbours. It is asked when two pages are compared, on
both
sides alike. It never covers a title, a price or stock, and nothing is learned on a part that the watch selected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from driftline.core.prices import find_prices
from driftline.core.stock import stock_from_text
from driftline.core.text import title_key
from driftline.kinds.page.parsed import Image, Link, ParsedPage
from driftline.model.item import Mask

Part = Literal["text", "link", "image", "order", "metadata"]

MOST_MASKS: Final = 60  # learned at once: more places than that are a page that changed, not noise
_GLUE: Final = " \u2026 "  # between the two ends of a skeleton, for people
_NUMBERS: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_SKELETON: Final = 3  # letters or digits that make the ends of a line a skeleton


class Edit(NamedTuple):
    """A line that changed, came, went or moved."""

    action: Literal["changed", "added", "removed", "moved"]
    before: str | None
    after: str | None
    at: int | None  # its number before
    to: int | None  # its number after
    place: int  # hash of its structural path


class Side(NamedTuple):
    """One page's lines, as far as masks look at them."""

    marks: Sequence[int]
    places: Sequence[int]
    title: str


class Cover:
    """The masks of a watch, ready to be asked."""

    def __init__(self, masks: Iterable[Mask]) -> None:
        self._by_place: dict[tuple[str, int], list[Mask]] = {}
        for mask in masks:
            if mask.lifted:
                continue
            key = mask.data.get("part", ""), int(mask.data.get("place", "0"), 16)
            self._by_place.setdefault(key, []).append(mask)

    def __bool__(self) -> bool:
        return bool(self._by_place)

    def at(self, part: Part, place: int) -> Sequence[Mask]:
        """The masks of one place."""
        return self._by_place.get((part, place), ())

    def line(self, edit: Edit, one: Side, other: Side) -> str | None:
        """The name of the mask that covers a difference of lines, or nothing."""
        if edit.action == "moved":
            moving = (*self.at("order", edit.place), *self.at("text", edit.place))
            return name_of(moving[0]) if moving else None
        if edit.at is not None and edit.to is not None and one.places[edit.at] != other.places[edit.to]:
            gone = Edit("removed", edit.before, None, edit.at, None, one.places[edit.at])
            come = Edit("added", None, edit.after, None, edit.to, other.places[edit.to])
            return self.line(gone, one, other) and self.line(come, one, other)
        masks = self.at("text", edit.place)
        if not masks or _is_protected(edit, one, other):
            return None
        return next((name_of(mask) for mask in masks if _covers(mask, edit, one, other)), None)

    def element(self, part: Part, place: int, url: str, there: Iterable[str]) -> str | None:
        """The name of the mask that covers a link or an image which only one side has, or nothing."""
        for mask in self.at(part, place):
            varying = frozenset(mask.data.get("params", "").split())
            if not varying or without_params(url, varying) in {without_params(known, varying) for known in there}:
                return name_of(mask)
        return None


def name_of(mask: Mask) -> str:
    """What a suppressed difference calls the mask that dropped it."""
    return f"mask {mask.id}" if mask.id is not None else f"mask at {mask.place}"


def _covers(mask: Mask, edit: Edit, one: Side, other: Side) -> bool:
    data = mask.data
    counts = _count(one, edit.place), _count(other, edit.place)
    if data["mode"] == "span":
        fits = all(within(side, data["prefix"], data["suffix"]) for side in (edit.before, edit.after) if side is not None)
        return fits and (edit.action == "changed" or counts[0] == counts[1])
    if max(counts) > int(data["most"]) or (counts[0] != counts[1] and min(counts) < int(data["fewest"])):
        return False
    if "beside" not in data:
        return True
    known = {int(mark, 16) for mark in data["beside"].split()}
    return all(_neighbours(side, index) & known for side, index in ((one, edit.at), (other, edit.to)) if index is not None)


def within(line: str, prefix: str, suffix: str) -> bool:
    """Whether a line has the ends of a skeleton and something between them."""
    return len(line) >= len(prefix) + len(suffix) and line.startswith(prefix) and line.endswith(suffix)


def _count(side: Side, place: int) -> int:
    return sum(1 for known in side.places if known == place)


def _neighbours(side: Side, index: int) -> set[int]:
    return set(side.marks[max(0, index - 1) : index]) | set(side.marks[index + 1 : index + 2])


def _is_protected(edit: Edit, one: Side, other: Side) -> bool:
    """A title, or a line in which only the price or the stock differs: never noise."""
    sides = [side for side in (edit.before, edit.after) if side is not None]
    if any(title_key(side) in {title_key(one.title), title_key(other.title)} for side in sides):
        return True
    if edit.before is None or edit.after is None:
        return False
    return is_price_or_stock(edit.before, edit.after)


def is_price_or_stock(before: str, after: str) -> bool:
    """Whether the same words stand around another price, or stock is said on both sides and differs."""
    old, new = priceless(before), priceless(after)
    if old is not None and old == new:
        return True
    said = stock_from_text(before), stock_from_text(after)
    return said[0] is not None and said[1] is not None and said[0] != said[1]


def priceless(line: str) -> str | None:
    """The line with every price blanked; None if there is none."""
    spans = find_prices(line)
    if not spans:
        return None
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (line[at : span.start], "¤")
        at = max(at, span.end)
    return "".join((*parts, line[at:]))


def without_params(url: str, names: frozenset[str]) -> str:
    """The URL without some of its parameters."""
    path, mark, query = url.partition("?")
    if not mark:
        return url
    kept = "&".join(pair for pair in query.split("&") if pair.partition("=")[0] not in names)
    return f"{path}?{kept}" if kept else path


class _Teacher:
    """Collects the masks that two states of one page teach."""

    def __init__(self, one: ParsedPage, other: ParsedPage, evidence: str, at: datetime) -> None:
        self.paths = {**one.paths, **other.paths}
        self.evidence = evidence
        self.at = at
        self.found: dict[tuple[str, ...], Mask] = {}

    def add(self, part: Part, place: int, skeleton: str, **data: str) -> None:
        name = f"{place:016x}"
        key = (
            part,
            name,
            data.get("mode", ""),
            data.get("prefix", ""),
            data.get("suffix", ""),
            data.get("params", ""),
            data.get("beside", ""),
        )
        self.found.setdefault(
            key,
            Mask(
                place=self.paths.get(name) or "the page",
                skeleton=skeleton[:500],
                evidence=self.evidence,
                data={"part": part, "place": name, **data},
                learned_at=self.at,
            ),
        )


def learn(
    one: ParsedPage,
    other: ParsedPage,
    edits: Sequence[Edit],
    sides: tuple[Side, Side],
    *,
    evidence: str,
    at: datetime,
    elements: bool = True,
) -> list[Mask]:
    """Masks for the edits, and the links and images, that differ between two states that should be the same."""
    teacher = _Teacher(one, other, evidence, at)
    changed = Counter(edit.place for edit in edits)
    for edit in edits:
        if edit.action == "moved":
            teacher.add("order", edit.place, edit.after or "", mode="order")
        elif not _is_protected(edit, *sides):
            _learn_line(teacher, edit, sides, changed)
    if elements:
        _learn_elements(teacher, "link", one.links, other.links)
        _learn_elements(teacher, "image", one.images, other.images)
    masks = list(teacher.found.values())
    return masks if len(masks) <= MOST_MASKS else []


def _learn_line(teacher: _Teacher, edit: Edit, sides: tuple[Side, Side], changed: Counter[int]) -> None:
    if edit.action == "changed" and edit.before is not None and edit.after is not None:
        prefix, suffix = _skeleton(edit.before, edit.after)
        if _size(prefix + suffix) >= _SKELETON:
            teacher.add("text", edit.place, f"{prefix}{_GLUE}{suffix}", mode="span", prefix=prefix, suffix=suffix)
            return
    counts = [_count(side, edit.place) for side in sides]
    data = {"mode": "whole", "most": str(max(counts)), "fewest": str(min(counts))}
    if changed[edit.place] < min(
        filter(None, counts), default=0
    ):  # others at this path stand still: tell this one by its neighbours
        beside = {
            mark
            for side, index in zip(sides, (edit.at, edit.to), strict=True)
            if index is not None
            for mark in _neighbours(side, index)
        }
        data["beside"] = " ".join(f"{mark:016x}" for mark in sorted(beside))
    teacher.add("text", edit.place, edit.after or edit.before or "", **data)


def _skeleton(before: str, after: str) -> tuple[str, str]:
    """What stands still around the varying span. Where most of a line is another one, only a label is more than chance."""
    prefix, suffix = _ends(before, after)
    most = max(map(_size, (before, after)))
    if _size(prefix + suffix) * 2 >= most or _NUMBERS.sub("0", before) == _NUMBERS.sub("0", after):
        return prefix, suffix
    label, colon, _ = prefix.partition(":")
    return (label + colon, "") if colon else ("", "")


def _size(text: str) -> int:
    return sum(map(str.isalnum, text))


def _ends(before: str, after: str) -> tuple[str, str]:
    """What two lines have in common at their ends, cut at words."""
    head = 0
    for left, right in zip(before, after, strict=False):
        if left != right:
            break
        head += 1
    while head and (before[head - 1].isalnum() or before[head - 1] in ".,") and _joins(before, after, head):
        head -= 1
    tail = 0
    limit = min(len(before), len(after)) - head
    while tail < limit and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    while tail and before[len(before) - tail].isalnum() and _joins(before, after, -tail):
        tail -= 1
    return before[:head], before[len(before) - tail :] if tail else ""


def _joins(before: str, after: str, cut: int) -> bool:
    """Whether the cut would split a word on either side."""
    for line in (before, after):
        at = cut if cut > 0 else len(line) + cut
        if 0 < at < len(line) and line[at - 1].isalnum() and line[at].isalnum():
            return True
    return False


def _learn_elements(
    teacher: _Teacher,
    part: Literal["link", "image"],
    one: Sequence[Link] | Sequence[Image],
    other: Sequence[Link] | Sequence[Image],
) -> None:
    old, new = {thing.url: thing.place for thing in one}, {thing.url: thing.place for thing in other}
    gone = [(url, place) for url, place in old.items() if url not in new]
    come = [(url, place) for url, place in new.items() if url not in old]
    for place in {place for _, place in (*gone, *come)}:
        left = [url for url, at in gone if at == place]
        right = [url for url, at in come if at == place]
        varying = _varying_params(left, right)
        if varying:
            teacher.add(part, place, left[0], mode="params", params=" ".join(sorted(varying)))
            continue
        still = sum(1 for url, at in old.items() if at == place and url in new)
        if max(len(left), len(right)) >= still:
            teacher.add(part, place, (right or left)[0], mode="whole")


def _varying_params(left: Sequence[str], right: Sequence[str]) -> frozenset[str]:
    """The parameters without which both sides point to the same; none where they do not."""
    if not left or len(left) != len(right):
        return frozenset()
    names = {
        pair.partition("=")[0]
        for old, new in zip(left, right, strict=True)
        for pair in set(old.partition("?")[2].split("&")) ^ set(new.partition("?")[2].split("&"))
        if "=" in pair  # what has no name is another one in every answer
    }
    varying = frozenset(names)
    same = {without_params(url, varying) for url in left} == {without_params(url, varying) for url in right}
    return varying if same else frozenset()
