"""What an element's attributes and classes say about a slot."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import word_set
from driftline.kinds.availability.html.tree import CHOICES, Element
from driftline.kinds.availability.slot_openness import is_yes
from driftline.kinds.availability.slot_text import has_clock, state_in, states_in

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
_TURNED_OFF: Final = frozenset("not no un non show hide if when has can toggle filter with contains never".split())
_PIECES: Final = re.compile(r"[-_]+")
_MAX_STATEMENT: Final = 60  # characters
_STRUCK: Final = re.compile(r"line-through", re.IGNORECASE)
STRIKES: Final = frozenset({"s", "del", "strike"})


def gone() -> frozenset[str]:
    """Class names of slots that are not available."""
    return word_set("slot.name.gone")


def gone_itself() -> frozenset[str]:
    """The same, and names that may mean a whole page's part, too."""
    return word_set("slot.name.gone", "slot.name.gone_itself")


def _free() -> frozenset[str]:
    return word_set("slot.name.free")


def is_gone(part: Element, words: frozenset[str]) -> bool:
    """Whether an element's own attributes say that it is not available."""
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
    """Whether an element for one slot says so: also `slot--booked`, `is-full`, and crossed-out text."""
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
    return (last in gone() and _TURNED_OFF.isdisjoint(before)) or (last in gone_itself() and _STATED.issuperset(before))


def is_struck(part: Element) -> bool:
    """Whether the time of a slot is crossed out."""
    return any(
        has_clock(inner.text)
        for inner in part.walk(30)
        if inner.tag in STRIKES or _STRUCK.search(inner.attributes.get("style") or "")
    )


def is_offer(cell: Element) -> bool:
    """Whether a table cell is a slot, free or taken."""
    text = cell.text
    if (is_yes(text) is not None or state_in(text) is not None or bool(states_in(text))) if text else False:
        return True
    words = {word.replace("-", "").replace("_", "") for word in cell.words}
    return (
        not words.isdisjoint(_free() | gone_itself())
        or cell.inner_choices > 0
        or says_gone(cell)
        or _pictured(cell) is not None
    )


def _pictured(cell: Element) -> bool | None:
    return next(
        (state for inner in cell.walk(10) if inner.labels_text and (state := state_in(inner.labels_text)) is not None), None
    )


def verdicts_in_text(item: Element) -> list[bool]:
    """What the texts and titles of an item say about its slot."""
    parts = [part.text for part in item.walk() if part.children and part is not item and part.chars <= _MAX_STATEMENT]
    verdicts = [one for text in (item.text, *item.pieces, *parts) for one in states_in(text)]  # no <span>spots left</span>
    return verdicts + [one for part in item.walk() if part.labels_text for one in states_in(part.labels_text)]


def is_blocked(item: Element) -> bool:
    """Whether nothing in an item can be clicked, although it has links or buttons."""
    clicks = [part for part in item.walk() if part.tag in CHOICES and part.attributes.get("type") != "hidden"]
    gone = {part.tag for part in clicks if says_gone(part)}
    return any(all(says_gone(part) for part in clicks if part.tag == tag) for tag in gone)


def is_marked_gone(item: Element) -> bool:
    """Whether a part of an item is marked as taken by its class: a cell, a badge."""
    return any(is_gone(part, gone()) or _is_named_gone(part) for part in item.walk() if part.tag not in CHOICES)


def is_offered(item: Element) -> bool:
    """Whether an item has something to click, or says whether it is available."""
    return item.choices > 0 or bool(verdicts_in_text(item)) or not {*item.words}.isdisjoint(_free() | gone())
