"""Habit: a picture, an opaque target or a bare counter that differs again and again is volatile, and ignored from then on.

Never text, never a target with readable differences, never a number that fell or leapt, never inside `select`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from driftline.core.text.time_text import exact
from driftline.kinds.page.judge.counts import bare_number
from driftline.kinds.page.judge.masks import CREEPING, HERO, address_shape, path_at, to_mask
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import ParsedPage
from driftline.model.noise.habit import Habit
from driftline.model.noise.mask import Mask, MaskedArea

CHECKS: Final = 4  # in which something differed
WITHIN: Final = timedelta(days=7)
_MOST: Final = 60  # places of a watch
_STEP: Final = 0.01  # that a counter grows by between two checks, or by so little as:
_LITTLE: Final = 3
_FIGURES: Final = re.compile(r">(?:table|t[dhr]|d[ltd]|h[1-6])\b")  # what a table or a heading says is no counter of visits


class _Moved(NamedTuple):
    """A difference that may be a habit."""

    area: MaskedArea
    before: str = ""  # of a number
    after: str = ""


class Habits(NamedTuple):
    """What the checks up to now come to."""

    known: tuple[Habit, ...] = ()  # to be stored
    masks: tuple[Mask, ...] = ()  # learned by this check


def habits_of(
    judged: JudgedPage, before: ParsedPage, after: ParsedPage, known: Sequence[Habit], masks: Sequence[Mask], *, at: datetime
) -> Habits:
    """Notes what counts now and may be a habit, and learns a mask where it differed in four checks within seven days."""
    habits = {one.place: one for one in known if at - one.differed_at[0] < WITHIN}
    spared = {mask.place for mask in masks if mask.state == "lifted"}
    learned: list[Mask] = []
    for place, moved in {_place(one.area): one for one in _moved(judged, before, after)}.items() if not after.literal else ():
        times = _times(habits.pop(place, None), moved, at)
        mask = to_mask(moved.area, evidence=f"differed in {CHECKS} checks since {exact(min(times), UTC)}", at=at)
        if len(times) < CHECKS or mask.place in spared:
            habits = {place: Habit(place, times, moved.after), **habits}
        else:
            learned.append(mask)
    return Habits(tuple(habits.values())[:_MOST], tuple(learned))


def _times(habit: Habit | None, moved: _Moved, at: datetime) -> tuple[datetime, ...]:
    """When it differed, up to now; a number that did not go on from where it was begins anew."""
    if habit is None or habit.value != moved.before:
        return (at,)
    return (at, *(one for one in habit.differed_at if at - one < WITHIN))[:CHECKS]


def _place(area: MaskedArea) -> str:
    return f"{area.part} {area.path} {area.shape}"


def _moved(judged: JudgedPage, before: ParsedPage, after: ParsedPage) -> Iterator[_Moved]:
    for picture in judged.images:
        if picture.before is None or picture.after is None:
            page = after if picture.after is not None else before
            yield _Moved(MaskedArea(part="image", path=path_at(picture.image, page), types=("picture",)))
    if judged.hero is not None:
        yield _Moved(MaskedArea(part="image", path=HERO, types=("picture",)))
    for link in judged.links:
        if link.before is not None and link.after is not None:
            shape = address_shape(link.after.url)
            if shape == address_shape(link.before.url):
                yield _Moved(MaskedArea(part="link", path=path_at(link.after, after), shape=shape, types=("address",)))
    for one in judged.lines:
        if one.before is None or one.after is None or _FIGURES.search(path_at(one.after, after)):
            continue
        old, new = bare_number(one.before.text), bare_number(one.after.text)
        if old is not None and new is not None and 0 < new - old <= max(old * _STEP, _LITTLE):
            yield _Moved(MaskedArea(part="line", path=path_at(one.after, after), types=(CREEPING,)), str(old), str(new))
