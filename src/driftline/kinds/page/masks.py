"""Learned noise: places that differ between answers which should be the same.

A mask covers the varying span of a line or an address at a structural path, known by what stands around it; where a whole line,
link or image varies, it covers what stands at that path, known by the path and its neighbours. It is asked when two pages are
compared, on both sides alike. It never covers a title, a price or stock, and nothing is learned on a part that was selected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from driftline.core.prices import find_prices
from driftline.core.stock import stock_from_text
from driftline.core.text import title_key
from driftline.kinds.page.parsed import Image, Link, ParsedPage
from driftline.kinds.page.skeleton import ends, size
from driftline.kinds.page.varying import standing, varying_in
from driftline.model.item import Mask

Part = Literal["text", "link", "image", "order", "metadata"]

MOST_MASKS: Final = 60  # learned at once: more places than that are a page that changed, not noise
_GLUE: Final = " \u2026 "  # between the two ends of a skeleton, for people
_NUMBERS: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_NEAR: Final = 4  # lines above and below one by which it may be known
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
        self._left: dict[tuple[int, int], tuple[Collection[str], Mapping[str, str]]] = {}
        for mask in masks:
            if mask.lifted or mask.doubtful:
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

    def element(self, part: Part, place: int, url: str, there: Collection[str]) -> str | None:
        """The name of the mask that covers a link or an image which only one side has, or nothing."""
        for mask in self.at(part, place):
            if mask.data["mode"] == "whole" or standing(url, mask.data) in self._standing(mask, there):
                return name_of(mask)
        return None

    def same(self, part: Part, place: int, url: str, there: Collection[str]) -> str | None:
        """The address on the other side that is this one but for what a mask knows to vary, or nothing."""
        masks = (mask for mask in self.at(part, place) if mask.data["mode"] != "whole")
        return next((known for mask in masks if (known := self._standing(mask, there).get(standing(url, mask.data)))), None)

    def _standing(self, mask: Mask, there: Collection[str]) -> Mapping[str, str]:
        """What a mask leaves of the other side's addresses, made once for all that ask."""
        key = id(mask), id(there)
        if key not in self._left:
            self._left[key] = there, {standing(url, mask.data): url for url in there}
        return self._left[key][1]


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
    known = set(data["beside"].split())
    return all(
        any(near in known or near[2:] in known for near in _neighbours(side, index))  # masks of old do not say where they stand
        for side, index in ((one, edit.at), (other, edit.to))
        if index is not None
    )


def within(line: str, prefix: str, suffix: str) -> bool:
    """Whether a line has the ends of a skeleton and something between them."""
    return len(line) >= len(prefix) + len(suffix) and line.startswith(prefix) and line.endswith(suffix)


def _count(side: Side, place: int) -> int:
    return sum(1 for known in side.places if known == place)


def _neighbours(side: Side, index: int) -> list[str]:
    """The marks of the lines above and below one, the nearest first, each with the side on which it stands and how far."""
    found: list[str] = []
    for far in range(1, _NEAR + 1):
        if index >= far:
            found.append(f"<{far}{side.marks[index - far]:016x}")
        if index + far < len(side.marks):
            found.append(f">{far}{side.marks[index + far]:016x}")
    return found


def _landmarks(sides: tuple[Side, Side], at: Sequence[int | None]) -> set[str]:
    """Neighbours that tell a line: the nearest above and below that stand once on both sides; else those next to it."""
    once = set.intersection(*({f"{mark:016x}" for mark, count in Counter(side.marks).items() if count == 1} for side in sides))
    found: set[str] = set()
    for side, index in zip(sides, at, strict=True):
        if index is None:
            continue
        nearby = _neighbours(side, index)
        alone = [near for near in nearby if near[2:] in once]
        for way in "<>":
            found.update([near for near in alone if near[0] == way][:1])
        if not alone:
            found.update(near for near in nearby if near[1] == "1")
    return found


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
            data.get("pattern", ""),
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
    gone = Counter(sides[0].places[edit.at] for edit in edits if edit.at is not None)
    for edit in edits:
        if edit.action == "moved":
            teacher.add("order", edit.place, edit.after or "", mode="order")
        elif not _is_protected(edit, *sides):
            _learn_line(teacher, edit, sides, gone)
    if elements:
        _learn_elements(teacher, "link", one.links, other.links)
        _learn_elements(teacher, "image", one.images, other.images)
    masks = list(teacher.found.values())
    return masks if len(masks) <= MOST_MASKS else []


def _learn_line(teacher: _Teacher, edit: Edit, sides: tuple[Side, Side], gone: Counter[int]) -> None:
    if edit.action == "changed" and edit.before is not None and edit.after is not None:
        prefix, suffix = _skeleton(edit.before, edit.after)
        if size(prefix + suffix) >= _SKELETON:
            teacher.add("text", edit.place, f"{prefix}{_GLUE}{suffix}", mode="span", prefix=prefix, suffix=suffix)
            return
    counts = [_count(side, edit.place) for side in sides]
    data = {"mode": "whole", "most": str(max(counts)), "fewest": str(min(counts))}
    if gone[edit.place] * 2 <= counts[0]:  # most at this path stand still: tell this one by its neighbours
        data["beside"] = " ".join(sorted(_landmarks(sides, (edit.at, edit.to))))
    teacher.add("text", edit.place, edit.after or edit.before or "", **data)


def _skeleton(before: str, after: str) -> tuple[str, str]:
    """What stands still around the varying span. Where most of a line is another one, only a label is more than chance."""
    prefix, suffix = ends(before, after)
    most = max(map(size, (before, after)))
    if size(prefix + suffix) * 2 >= most or _NUMBERS.sub("0", before) == _NUMBERS.sub("0", after):
        return prefix, suffix
    label, colon, _ = prefix.partition(":")
    return (label + colon, "") if colon else ("", "")


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
        names, patterns = varying_in(left, right)
        params = " ".join(sorted(names))
        for pattern in patterns:
            data = {"params": params, "pattern": pattern} if params else {"pattern": pattern}
            shown = next((bare for url in left if (bare := standing(url, data)) != url), left[0])
            teacher.add(part, place, shown, mode="span", **data)
        if params and not patterns:
            teacher.add(part, place, left[0], mode="params", params=params)
        if params or patterns:
            continue
        still = sum(1 for url, at in old.items() if at == place and url in new)
        if max(len(left), len(right)) >= still:
            teacher.add(part, place, (right or left)[0], mode="whole")
