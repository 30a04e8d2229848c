"""Flips of a page: its differences as transitions of places, and messages about those that went back or keep switching.

Every transition is recorded; which are sent is decided per difference (`policy/flapping.py`). Where something else is news, the
flips that are held back stay out of its message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.text.folding import excerpt
from driftline.kinds.page.compare.fields import OfferChange, Pair
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import Line, ParsedPage, line_hash
from driftline.kinds.page.report.phrases import quoted
from driftline.model.change import Finding, Suppressed
from driftline.model.noise.flapping import ABSENT, FLAPPING, ChangedBack, Decision, HoldBack, Send, Settled, Transition, Value

_SHOWN: Final = 80  # characters of a value
_SINGLE: Final = 40  # differences of one check that are places of their own; more are one: the page
_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
_LABELS: Final = {"content": "", "price": "Price ", "availability": "Stock "}


class Sides(NamedTuple):
    """A difference that was judged to count, as a transition."""

    part: str  # of JudgedPage: lines, title, metadata, links, images, hero
    number: int | str  # its place there
    moved: Transition


def content_sides(judged: JudgedPage, before: ParsedPage, after: ParsedPage) -> list[Sides]:
    """All that a content change tells; very much of it is one difference."""
    lines = [(number, one) for number, one in enumerate(judged.lines) if one.action != "moved"]
    others = [*_order_side(judged.lines, before, after), *_other_sides(judged, before, after)]
    if len(lines) + len(others) <= _SINGLE:
        return [*(_line_side(number, one, before, after) for number, one in lines), *others]
    olds = [*(_line_value(one.before).id for _, one in lines), *(side.moved.before.id for side in others)]
    news = [*(_line_value(one.after).id for _, one in lines), *(side.moved.after.id for side in others)]
    old, new = (Value(_hash("".join(sorted(ids)))) for ids in (olds, news))
    return [Sides("page", 0, Transition(level="content", place="page", before=old, after=new))]


def _line_side(number: int, one: LineDifference, before: ParsedPage, after: ParsedPage) -> Sides:
    paths = {_path(line.place, page) for line, page in ((one.before, before), (one.after, after)) if line is not None}
    return Sides("lines", number, _content(_hash(" ".join(sorted(paths))), _line_value(one.before), _line_value(one.after)))


def _line_value(line: Line | None) -> Value:
    return Value(f"{line.hash:016x}", _cut(line.text)) if line is not None else ABSENT


def _order_side(lines: Sequence[LineDifference], before: ParsedPage, after: ParsedPage) -> Iterator[Sides]:
    """The order of the lines that moved."""
    moved = {one.line.hash for one in lines if one.action == "moved"}
    if moved:
        orders = ("".join(f"{line.hash:016x}" for line in page.line_details if line.hash in moved) for page in (before, after))
        old, new = (Value(_hash(order)) for order in orders)
        yield Sides("moved", 0, _content("order", old, new))


def _other_sides(judged: JudgedPage, before: ParsedPage, after: ParsedPage) -> Iterator[Sides]:
    if judged.title is not None:
        yield Sides("title", 0, _pair("title", judged.title))
    for key, pair in judged.metadata.items():
        yield Sides("metadata", key, _pair(f"field {key}", pair))
    for number, link in enumerate(judged.links):
        urls = Pair(*(side.url if side is not None else None for side in link))
        yield Sides(
            "links",
            number,
            _pair(f"link {_hash(_path(link.link.place, after if link.after else before) + link.link.text)}", urls),
        )
    for number, image in enumerate(judged.images):
        shown = Pair(*(f"{side.url} {side.alt}".rstrip() if side is not None else None for side in image))
        yield Sides(
            "images", number, _pair(f"image {_hash(_path(image.image.place, after if image.after else before))}", shown)
        )
    if judged.hero is not None:
        yield Sides("hero", 0, _pair("main picture", judged.hero))


def offer_side(change: OfferChange) -> Transition:
    """Price or stock as a place with two values."""
    return Transition(
        level=change.level, place=change.level, before=_offer_value(change.before), after=_offer_value(change.after)
    )


def _offer_value(side: dict[str, object]) -> Value:
    if "in_stock" in side:
        return Value("in", "in stock") if side["in_stock"] else Value("out", "sold out")
    shown = f"{side['price']} {side['currency'] or ''}".strip()
    return Value(shown, shown)


def file_side(before: ParsedPage, after: ParsedPage) -> Transition:
    """An answer that is no text, as a place with two values."""
    old, new = (Value(_hash(page.file.sha256 if page.file else page.signature.hex())) for page in (before, after))
    return _content("file", old, new)


def without_held(judged: JudgedPage, sides: Sequence[Sides], decisions: Sequence[Decision]) -> JudgedPage:
    """What is left to tell."""
    held = {(side.part, side.number) for side, decision in zip(sides, decisions, strict=True) if isinstance(decision, HoldBack)}
    if not held:
        return judged
    moved = ("moved", 0) in held
    return judged._replace(
        lines=[
            one
            for number, one in enumerate(judged.lines)
            if not (moved if one.action == "moved" else ("lines", number) in held)
        ],
        title=None if ("title", 0) in held else judged.title,
        metadata={key: pair for key, pair in judged.metadata.items() if ("metadata", key) not in held},
        links=[one for number, one in enumerate(judged.links) if ("links", number) not in held],
        images=[one for number, one in enumerate(judged.images) if ("images", number) not in held],
        hero=None if ("hero", 0) in held else judged.hero,
    )


def suppressed(sides: Sequence[Transition], decisions: Sequence[Decision]) -> list[Suppressed]:
    """What is held back, for `explain`."""
    return [
        Suppressed(rule=FLAPPING, place=moved.level, before=moved.before.shown, after=moved.after.shown)
        for moved, decision in zip(sides, decisions, strict=True)
        if isinstance(decision, HoldBack)
    ]


def as_sent(finding: Finding, sides: Sequence[Transition], decisions: Sequence[Decision]) -> Finding:
    """The finding in the words of what was decided on its differences, or kept without a message."""
    sent = [(moved, one) for moved, one in zip(sides, decisions, strict=True) if not isinstance(one, HoldBack)]
    if not sent and sides:
        return msgspec.structs.replace(finding, flags={**finding.flags, "muted": FLAPPING})
    if len(sent) < len(sides):
        held = [
            {"before": moved.before.shown, "after": moved.after.shown}
            for moved, one in zip(sides, decisions, strict=True)
            if isinstance(one, HoldBack)
        ]
        finding = msgspec.structs.replace(finding, diff={**(finding.diff or {}), "held": held})
    if any(isinstance(one, Send) for _, one in sent):
        return finding
    if all(isinstance(one, ChangedBack) for _, one in sent):
        lowered = "low" if finding.type == "content" else finding.severity
        return msgspec.structs.replace(finding, severity=lowered, headline=_back(finding, sent))
    return msgspec.structs.replace(finding, headline=_switching(finding, [moved for moved, _ in sent]))


def _back(finding: Finding, sent: Sequence[tuple[Transition, Decision]]) -> str:
    moved, decision = sent[0]
    lasted = _lasted(decision.after_for) if isinstance(decision, ChangedBack) else ""
    if len(sent) == 1 and moved.after.shown:
        return _capital(f"{_LABELS[moved.level]}changed back to {_named(moved, moved.after)} after {lasted}")
    if len(sent) == 1 and ABSENT in (moved.before, moved.after) and moved.before.shown:
        return f"Changed back after {lasted}: {quoted(moved.before.shown)} is gone again"
    return f"Changed back after {lasted}: {finding.headline}"


def _switching(finding: Finding, sent: Sequence[Transition]) -> str:
    moved = sent[0]
    if len(sent) == 1 and moved.before.shown and moved.after.shown:
        values = f"{_named(moved, moved.before)} and {_named(moved, moved.after)}"
        return _capital(f"{_LABELS[moved.level]}keeps switching between {values}")
    if len(sent) == 1 and (shown := moved.before.shown or moved.after.shown) and ABSENT in (moved.before, moved.after):
        return f"Keeps switching: {quoted(shown)} comes and goes"
    return f"Keeps switching: {finding.headline}"


def settled_finding(place: Settled) -> Finding:
    """What is sent when a place came to rest on another value than was said."""
    moved = Transition(level=place.level, place="", before=place.before, after=place.after)
    if place.after.shown:
        words = f"{_LABELS[place.level]}settled on {_named(moved, place.after)}"
    elif place.after == ABSENT and place.before.shown:
        words = f"settled: {quoted(place.before.shown)} is gone"
    else:
        words = "settled after switching between two versions"
    type_, before, after = _settled_state(place)
    changed = {"before": before, "after": after, "changed": True}
    return Finding(
        type=type_,
        severity=CHANGE_TYPES[type_].severity,
        headline=_capital(words),
        before=before,
        after=after,
        diff={"changes": {"text" if type_ == "content" else place.level: changed}},
        flags={"settled": True},
    )


def _settled_state(place: Settled) -> tuple[str, dict[str, object], dict[str, object]]:
    """Type, before and after of the change, as the kind's other changes have them."""
    if place.level == "availability":
        now = place.after.id == "in"
        return "back_in_stock" if now else "sold_out", {"in_stock": not now}, {"in_stock": now}
    if place.level == "price":
        old, new = (_price(value) for value in (place.before, place.after))
        rose = Decimal(str(new["price"])) > Decimal(str(old["price"]))
        return "price_increase" if rose else "price_decrease", old, new
    return "content", {"text": place.before.shown}, {"text": place.after.shown}


def _price(value: Value) -> dict[str, object]:
    amount, _, currency = value.id.partition(" ")
    return {"price": amount, "currency": currency or None}


def _named(moved: Transition, value: Value) -> str:
    return value.shown if moved.level != "content" else quoted(value.shown)


def _content(place: str, before: Value, after: Value) -> Transition:
    return Transition(level="content", place=place, before=before, after=after)


def _pair(place: str, pair: Pair) -> Transition:
    old, new = (ABSENT if side is None else Value(_hash(side), _cut(side)) for side in pair)
    return _content(place, old, new)


def _path(place: int, page: ParsedPage) -> str:
    return page.paths[place] if place < len(page.paths) else ""


def _cut(text: str | None) -> str:
    return excerpt(text or "", _SHOWN)


def _hash(text: str) -> str:
    return f"{line_hash(text):016x}"


def _capital(line: str) -> str:
    return line[0].upper() + line[1:]


def _lasted(seconds: float) -> str:
    """For people: 35 minutes, 2 hours, 3 days."""
    for size, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= (2 * size if size == _DAY else size):
            number = round(seconds / size)
            return f"{number} {unit}{'s' if number != 1 else ''}"
    return "a moment"
