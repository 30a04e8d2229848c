"""What attributes and classes of an element say of a slot."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import word_set
from driftline.kinds.availability.html.tree import CHOICES, Element
from driftline.kinds.availability.slot_openness import is_yes
from driftline.kinds.availability.slot_text import has_clock, said_in, says

_STATES: Final = ("data-status", "data-state", "data-available", "data-availability")
_BUSY_STATES: Final = (
    "data-booked",
    "data-taken",
    "data-unavailable",
    "data-disabled",
    "data-full",
    "data-soldout",
    "data-reserved",
)
_STATED: Final = frozenset("is slot status state time timeslot cell day appointment termin item booking event".split())
_TURNED: Final = frozenset("not no un non show hide if when has can toggle filter with contains never".split())
_PIECES: Final = re.compile(r"[-_]+")
_SHORT: Final = 60  # characters of a statement
_STRUCK: Final = re.compile(r"line-through", re.IGNORECASE)
STRIKES: Final = frozenset({"s", "del", "strike"})


def gone() -> frozenset[str]:
    """Names of what is not to be had."""
    return word_set("slot.name.gone")


def gone_itself() -> frozenset[str]:
    """The same, and names that may mean a whole page's part, too."""
    return word_set("slot.name.gone", "slot.name.gone_itself")


def _free() -> frozenset[str]:
    return word_set("slot.name.free")


def is_gone(part: Element, words: frozenset[str]) -> bool:
    """Whether an element's own attributes say that what it stands for is not to be had."""
    attributes = part.attributes
    if "disabled" in attributes or (attributes.get("aria-disabled") or "").lower() == "true":
        return True
    if part.has_data and (
        any(is_yes(attributes.get(name)) is False for name in _STATES)
        or any(is_yes(attributes.get(name)) for name in _BUSY_STATES)
    ):
        return True
    return any(word.replace("-", "").replace("_", "") in words for word in part.words)


def says_gone(part: Element) -> bool:
    """Whether an element that stands for one slot says so: also `slot--booked`, `is-full`, and text that is crossed out."""
    return (
        is_gone(part, gone_itself()) or _STRUCK.search(part.attributes.get("style") or "") is not None or _is_named_gone(part)
    )


def _is_named_gone(part: Element) -> bool:
    return any(_is_gone_word(_PIECES.split(word)) for word in part.words if ":" not in word)


def _is_gone_word(pieces: list[str]) -> bool:
    if len(pieces) < 2:
        return False
    *before, last = pieces
    if "not" in before or "non" in before:
        return last in _free()
    return (last in gone() and _TURNED.isdisjoint(before)) or (last in gone_itself() and _STATED.issuperset(before))


def is_struck(part: Element) -> bool:
    """Whether the time of a slot is crossed out."""
    return any(
        has_clock(inner.text)
        for inner in part.walk(30)
        if inner.tag in STRIKES or _STRUCK.search(inner.attributes.get("style") or "")
    )


def is_offer(cell: Element) -> bool:
    """Whether a cell of a table stands for a slot, free or gone."""
    text = cell.text
    if (is_yes(text) is not None or says(text) is not None or bool(said_in(text))) if text else False:
        return True
    words = {word.replace("-", "").replace("_", "") for word in cell.words}
    return (
        not words.isdisjoint(_free() | gone_itself())
        or cell.inner_choices > 0
        or says_gone(cell)
        or _pictured(cell) is not None
    )


def _pictured(cell: Element) -> bool | None:
    return next((said for inner in cell.walk(10) if inner.said and (said := says(inner.said)) is not None), None)


def what_is_said(item: Element) -> list[bool]:
    """All that an item says of its slot in words: in its texts and in titles."""
    parts = [part.text for part in item.walk() if part.children and part is not item and part.chars <= _SHORT]
    verdicts = [one for text in (item.text, *item.pieces, *parts) for one in said_in(text)]  # no <span>spots left</span>
    return verdicts + [one for part in item.walk() if part.said for one in said_in(part.said)]


def is_blocked(item: Element) -> bool:
    """Whether what could be clicked in an item cannot be; of several links or buttons, none of them."""
    clicks = [part for part in item.walk() if part.tag in CHOICES and part.attributes.get("type") != "hidden"]
    gone = {part.tag for part in clicks if says_gone(part)}
    return any(all(says_gone(part) for part in clicks if part.tag == tag) for tag in gone)


def is_marked_gone(item: Element) -> bool:
    """Whether a part of an item is marked as taken by its class: the cell of a row, a badge."""
    return any(is_gone(part, gone()) or _is_named_gone(part) for part in item.walk() if part.tag not in CHOICES)


def is_offered(item: Element) -> bool:
    """Whether an item has something to click, or says whether it is to be had."""
    return item.choices > 0 or bool(what_is_said(item)) or not {*item.words}.isdisjoint(_free() | gone())
