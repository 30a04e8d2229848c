"""Decides which transitions of a place are sent, which are held back, and when a settled place is reported (law 12).

    a value comes    ->  Send             the reader knows the value
    it goes back     ->  ChangedBack      the reader knows the value
    it comes again   ->  KeepsSwitching   the reader knows that it moves
    further flips    ->  HoldBack         until the window is past, or a value outside the pair comes (Send)
    three equal checks, and the reader believes something else  ->  Settled, as soon as the window leaves room

A window lasts 24 hours or eight checks, whichever is longer, and belongs to two values of one place. A whole window without a
transition has more than three equal checks, so these alone decide what is settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec

from driftline.model.noise.flapping import (
    ABSENT,
    ChangedBack,
    Decision,
    FlapStep,
    HoldBack,
    KeepsSwitching,
    Place,
    Send,
    Settled,
    Switch,
    Transition,
)

SENT_AT_MOST: Final = 3  # messages per window about one pair of values
WINDOW_CHECKS: Final = 8
SETTLED_AFTER: Final = 3  # equal checks
PLACES_AT_MOST: Final = 120  # of a watch; transitions of forgotten places are sent
SWITCHES_AT_MOST: Final = 12  # per place


def step(places: Sequence[Place], transitions: Sequence[Transition], *, at: datetime, window_for: float = 0.0) -> FlapStep:
    """One good check with these transitions; with a window of 0 nothing is limited."""
    if window_for <= 0 and transitions:
        return FlapStep(decisions=tuple(Send() for _ in transitions))
    resting = [msgspec.structs.replace(place, switches=tuple(map(_counted, place.switches))) for place in places]
    moved: list[Place] = []
    decisions: dict[int, Decision] = {}
    for numbers, as_known in _matched_to_places(resting, transitions):
        decided: list[Decision] = []
        for transition in as_known:
            place = _take_place(resting, transition) or _new(transition, at)
            decision, place = _move(place, transition, at=at, window_for=window_for)
            decided.append(decision)
            moved.append(place)
        decisions |= dict.fromkeys(numbers, min(decided, key=_priority))
    settled: list[Settled] = []
    for number, place in enumerate(resting):
        came_to_rest, resting[number] = _rested(place, at=at)
        settled += [came_to_rest] if came_to_rest else []
    kept = [place for one in (*moved, *resting) if (place := _without_past_windows(one, at)).switches]
    sent = tuple(decisions[number] for number in range(len(transitions)))
    return FlapStep(decisions=sent, settled=tuple(settled), places=_limit_places(kept))


def _priority(decision: Decision) -> int:
    return (Send, ChangedBack, KeepsSwitching, HoldBack).index(type(decision))


def _matched_to_places(
    places: Sequence[Place], transitions: Sequence[Transition]
) -> Iterator[tuple[list[int], list[Transition]]]:
    """The transitions by number as the places know them: A, B may have come as one line that changed or as one that went and
    one that came, by what else differed around them.
    """
    pairs = {(place.level, place.place, frozenset((switch.one, switch.other))) for place in places for switch in place.switches}
    waiting = dict(enumerate(transitions))
    came = [(number, one) for number, one in waiting.items() if one.before == ABSENT]
    for number, gone in enumerate(transitions):
        if gone.after != ABSENT or not pairs:
            continue
        where = (gone.level, gone.place)
        for other, come in came:
            pair = frozenset((gone.before.id, come.after.id))
            if other in waiting and (come.level, come.place) == where and (*where, pair) in pairs:
                del waiting[number], waiting[other]
                yield [number, other], [msgspec.structs.replace(gone, after=come.after)]
                break
    for number, one in waiting.items():
        where = (one.level, one.place)
        apart = [msgspec.structs.replace(one, after=ABSENT), msgspec.structs.replace(one, before=ABSENT)]
        whole = frozenset((one.before.id, one.after.id))
        known = all((*where, frozenset((half.before.id, half.after.id))) in pairs for half in apart)
        yield [number], apart if known and ABSENT.id not in whole and (*where, whole) not in pairs else [one]


def checked_often(places: Sequence[Place]) -> list[Place]:
    """The places as if there had been enough checks since: where only differing versions are stored, time decides."""
    return [
        msgspec.structs.replace(
            place,
            equal=SETTLED_AFTER,
            switches=tuple(msgspec.structs.replace(switch, checks=WINDOW_CHECKS) for switch in place.switches),
        )
        for place in places
    ]


def _counted(switch: Switch) -> Switch:
    return msgspec.structs.replace(switch, checks=switch.checks + 1) if switch.checks < WINDOW_CHECKS else switch


def _take_place(resting: list[Place], moved: Transition) -> Place | None:
    """The place of a transition, removed from the resting ones; of several, the one with the transition's old value."""
    pair = {moved.before.id, moved.after.id}
    found: int | None = None
    for number, place in enumerate(resting):
        if (place.level, place.place) != (moved.level, moved.place):
            continue
        knows = any({switch.one, switch.other} == pair for switch in place.switches)
        stood = place.now.id == moved.before.id
        if stood and (knows or moved.before != ABSENT):
            return resting.pop(number)
        if knows and found is None:
            found = number
    return resting.pop(found) if found is not None else None


def _new(moved: Transition, at: datetime) -> Place:
    return Place(
        moved.level, moved.place, was=moved.before, now=moved.before, said=moved.before, since_at=at, equal=SETTLED_AFTER
    )


def _move(place: Place, moved: Transition, *, at: datetime, window_for: float) -> tuple[Decision, Place]:
    """The decision on one transition, and the place after it."""
    pair = {moved.before.id, moved.after.id}
    known = next((switch for switch in place.switches if {switch.one, switch.other} == pair), None)
    fresh = Switch(moved.before.id, moved.after.id, began_at=at, lasts_for=window_for)
    decision: Decision
    if known is None or _is_over(known, at):
        restless = known is not None and known.switching and place.equal < SETTLED_AFTER
        decision = KeepsSwitching() if restless else Send()
        switch = msgspec.structs.replace(fresh, switching=restless)
    elif known.switching or known.sent >= SENT_AT_MOST:
        decision, switch = HoldBack(), known
    elif known.sent == SENT_AT_MOST - 1:
        decision = KeepsSwitching()
        switch = msgspec.structs.replace(known, sent=SENT_AT_MOST, switching=True)
    else:
        back = place.was.id == moved.after.id
        decision = ChangedBack((at - place.since_at).total_seconds()) if back else Send()
        switch = msgspec.structs.replace(known, sent=known.sent + 1)
    match decision:
        case HoldBack():
            said = place.said
        case KeepsSwitching():
            said = None
        case _:
            said = moved.after
    others = tuple(one for one in place.switches if one is not known)
    return decision, msgspec.structs.replace(
        place,
        was=moved.before,
        now=moved.after,
        said=said,
        since_at=at,
        equal=0,
        switches=(switch, *others)[:SWITCHES_AT_MOST],
    )


def _rested(place: Place, *, at: datetime) -> tuple[Settled | None, Place]:
    """A check with the same value: the place, and a message if one is due."""
    equal = min(place.equal + 1, SETTLED_AFTER)
    place = msgspec.structs.replace(place, equal=equal) if equal != place.equal else place
    if equal < SETTLED_AFTER or _agrees(place):
        return None, place
    latest = place.switches[0]  # of the transition that was held back, or reported as "keeps switching"
    if _is_over(latest, at):
        window = msgspec.structs.replace(latest, began_at=at, checks=0, sent=1, switching=False)
    elif latest.sent < SENT_AT_MOST:
        window = msgspec.structs.replace(latest, sent=latest.sent + 1)
    else:
        return None, place
    settled = Settled(
        level=place.level,
        before=place.was if place.said is None else place.said,
        after=place.now,
        since_at=place.since_at,
    )
    return settled, msgspec.structs.replace(place, said=place.now, switches=(window, *place.switches[1:]))


def _agrees(place: Place) -> bool:
    return place.said is not None and place.said.id == place.now.id


def _is_over(switch: Switch, at: datetime) -> bool:
    return switch.checks >= WINDOW_CHECKS and (at - switch.began_at).total_seconds() >= switch.lasts_for


def _without_past_windows(place: Place, at: datetime) -> Place:
    """Without windows that are over, once the reader knows the present value."""
    if not _agrees(place) or not any(_is_over(switch, at) for switch in place.switches):
        return place
    return msgspec.structs.replace(place, switches=tuple(one for one in place.switches if not _is_over(one, at)))


def _limit_places(places: Sequence[Place]) -> tuple[Place, ...]:
    """The places that changed last, and all with something still to report."""
    if len(places) <= PLACES_AT_MOST:
        return tuple(places)
    latest = sorted(places, key=lambda place: (_agrees(place), -place.since_at.timestamp()))
    return tuple(latest[: max(PLACES_AT_MOST, sum(not _agrees(place) for place in places))])
