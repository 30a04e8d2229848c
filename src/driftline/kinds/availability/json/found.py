"""What a search for slots finds, and the context in which it finds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from driftline.kinds.availability.json.field_names import (
    ENTITIES,
    PEOPLE,
    PLACES,
    THINGS,
    has_kinds,
    holds_slots,
    is_part_of_day,
    is_slots,
    link_in,
    named_by,
    own_name,
)
from driftline.kinds.availability.json.object_times import ObjectTimes
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_openness import plain


class FoundSlot(NamedTuple):
    """A slot as it was found."""

    local: str
    provider: str
    venue_id: str | None  # None: no venue is named
    venue_name: str
    booking_url: str | None
    raw: Any  # the original value
    timezone: str  # of `local`


class Around(NamedTuple):
    """The context of a slot."""

    day: str | None = None
    provider: str = ""
    venue_id: str | None = None
    venue_name: str = ""
    booking_url: str | None = None
    thing: tuple[str, str] | None = None  # id and name of what is booked: the venue where no place and no person is named


def surroundings(
    value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, times: ObjectTimes, *, top: bool
) -> Around:
    """The context that this object adds: the day, the person, the place, the time zone."""
    day = times.day(value, members)
    if day is None and times.has_unread_day(value, members):  # not the day that was asked for
        around = around._replace(day=None)
    link = link_in(value, members)
    around = around._replace(
        day=around.day or day if top else day or around.day,  # at the top level it may be today
        provider=name_of(value.get("provider")) or around.provider,
        booking_url=link or around.booking_url,
    )
    outer = around
    for words in (PLACES, PEOPLE):
        if not any(low.startswith(words) for low in members):
            continue
        named = [found for word in words if (found := named_by(value, members, word))]
        found = (named[0][0], next((name for _, name in named if name), "")) if named else None
        if found and not found[1] and name.removesuffix("s").endswith(words):  # {"centers": [{"center_id": 7, "name": ...
            found = (found[0], (own_name(value, members) or ("", ""))[1])
        around = within(around, *found) if found else around
    thing = next((found for word in THINGS if (found := named_by(value, members, word))), None)
    if around is not outer or top:
        return around._replace(thing=thing or around.thing)
    around = around._replace(thing=thing or around.thing)
    if name[-1:].isdigit() and _is_called(name, value, members) and not times.time(value, members, around.day):
        return within(around, name, "")  # {"166": {"division_id": "166", ...
    holds = not day and (
        any(holds_slots(low, value[key]) for low, key in members.items())
        or (has_kinds(value, members) and not times.time(value, members, around.day))
    )
    if not holds and (not name.removesuffix("s").endswith(ENTITIES) or times.time(value, members, around.day)):
        return around  # a slot's own id is no venue
    own = own_name(value, members)
    return within(around, *own) if own and not is_part_of_day(own[1]) else around


def _is_called(name: str, value: dict[str, Any], members: Mapping[str, str]) -> bool:
    """Whether an object in a map is called by its own id, other than that of a slot."""
    return any(
        low.endswith("id") and len(low) > 2 and not is_slots(low) and plain(str(value[key])) == name
        for low, key in members.items()
    )


def is_map_of_places(name: str, child: dict[str, Any]) -> bool:
    """Whether the keys of an object are places or people: `{"courts": {"1": {"08:00": "free"}}}`."""
    named = name.endswith("s") and name.removesuffix("s").endswith(ENTITIES)
    return named and not any(plain(key).endswith(("id", "name", "code", "slug")) for key in child)


def within(around: Around, own_id: str, own_name: str) -> Around:
    """The context with a place, or with a person or court at a place."""
    if around.venue_id in (None, own_id):
        return around._replace(venue_id=own_id, venue_name=own_name or around.venue_name)
    names = ", ".join(filter(None, (around.venue_name, own_name)))
    return around._replace(venue_id=f"{around.venue_id}/{own_id}", venue_name=names)
