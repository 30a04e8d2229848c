"""Whether a listed slot is still available, by the field names and words that booking systems use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.availability.state_words import free, plain_words, taken

_SEPARATORS: Final = re.compile(r"[\W_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Fields by their plain names.
_GOOD: Final = _words("available avail bookable canbook free open enabled active vacant reservable selectable")
_BAD: Final = _words("""
booked reserved taken full fullybooked soldout blocked disabled unavailable cancelled canceled busy closed occupied expired past
outofcapacity outofstock sold notavailable notbookable unbookable bookedout waitlistonly away blackout
""")
_LEFT: Final = _words("""
spotsleft spotsremaining remainingspots remaining remainingcapacity slotsavailable availableslots slotsleft slotsremaining
remainingslots availablespots openspots freespots seatsleft seatsavailable availableseats freeseats seatsremaining spaces
spacesleft spacesavailable availablespaces freespaces placesleft placesavailable availableplaces freeplaces inviteesremaining
capacityleft capacityremaining availablecapacity availablecount countavailable freecount vacancies availability available free
openings numavailablespots
""")
_STATE: Final = _words("status state availability availabilitystatus slotstatus bookingstatus freebusytype statustext stock")
_OTHER_STATE: Final = re.compile(r"wait|pay|publi|user|member|check|order|custom|account|response|request|api")
_SAID_IN: Final = _words("code value name label state text")  # the word of a state that is an object
_HELD_IN: Final = _words("""
status state availability ticketavailability stock inventory capacity quota seats spots places spaces tickets occupancy
""")  # objects that say it
_CAPACITY: Final = _words("""
capacity maxcapacity totalcapacity maxattendees maxparticipants maxbookings maxappointments totalappointments totalspots
totalseats total inventorycount
""")
_USED: Final = _words("""
booked bookedcount occupied reserved taken attendees attending enrolled bookings bookingscount bookingcount currentbookings
totalbooked reservationcount bookedslots bookedspots bookedseats bookedappointments scheduledappointments participants
""")
_TYPES: Final = _words(
    "free busy available unavailable booked reserved blocked occupied break notworked book request"
)  # types of a slot
_TYPE: Final = re.compile(r"(?:(?:time)?slot|time|availability)?type")
_WHOLE: Final = _words("available bookable unavailable disabled soldout fullybooked status availability availabilitystatus")
_PRICES: Final = _words("price cost fee amount prices")
_NAMES: Final = _GOOD | _BAD | _LEFT | _STATE | _CAPACITY

# Names made of these words are counts of what is left: `availableTickets`, `spots_open`, `nb_places_restantes`. A name
# with any other word is something else: `available_from`, `waitlist_spots_available`.
_COUNTING: Final = "num|number|nums|count|counts|of|nb|nr|no|qty|quantity|anzahl|nombre|numero|total|current"
_COUNTED: Final = lazy_regex(lambda: rf"(?:{any_of('slot.member.place', 'slot.member.left')}|{_COUNTING}){{2,5}}")
# Whatever remains, but of time and money: `remainingUses`.
_REMAINS: Final = re.compile(
    r"remaining(?!\w*(?:time|second|minute|hour|day|week|amount|balance|cost|price|budget|bookings?))[a-z]{3,20}"
)
_SAYS_LEFT: Final = lazy_regex(lambda: f"{any_of('slot.member.left')}|vagas|vacancies")

_HAS: Final = lazy_regex(
    lambda: (
        rf"(?:has|in)(?:any|normal|standard|online)?(?:{any_of('slot.member.place', 'slot.member.left')}){{1,3}}|"
        r"can(?:be)?(?:book|booked|reserve|reserved)(?:online)?"
    )
)
_CLASSES: Final = _words("classname class cssclass cssclasses")
_ROOM: Final = lazy_regex(
    lambda: (
        rf"(?:max|maximum)(?:num|number)?(?:of)?(?:{any_of('slot.member.place')})|"
        r"(?:signup|booking|registration|attendee|participant|enrol?lment)s?limit"
    )
)
_USES: Final = re.compile(
    r"(?:signup|booking|registration|attendee|participant|enrol?lment)s?count|signups|registrations|registered"
)
_GUESTS: Final = _words("possibleguests possiblepartysizes availablepartysizes partysizes")  # a number of guests of 0

MARKS: Final = {**dict.fromkeys("×✗✕✖❌", False), **dict.fromkeys("○◯◎△✓✔✅", True)}
_YES: Final = _words("true yes y")
_NO: Final = _words("false no n none outofoffice")
_YES_OR_NO: Final = {  # of a flag: `"disponible": "N"`
    **dict.fromkeys("yes y true si s sim oui o ja j tak".split(), True),
    **dict.fromkeys("no n false non nao nein nee nej nie".split(), False),
}
_TAKEN_CLASSES: Final = _words("checkout checkedout")
_NONE_LEFT: Final = re.compile(r"\s*0(?![\d.,:/])")  # 0 spots left
_ENUMERATED: Final = re.compile(r"[A-Za-z0-9]+(?:[_.:][A-Za-z0-9]+)+")


@short_cache(4096)
def plain(name: str) -> str:
    """A field name without case and separators: `start_time` and `startTime` are equal."""
    return _SEPARATORS.sub("", name.lower())


@short_cache(4096)
def _is_flag(name: str) -> bool:
    """Whether a plain name is that of a flag of what is free: `hasAvailability`, `has_available_tickets`, `inStock`."""
    return name in _GOOD or name in free() or (len(name) <= 40 and _HAS.fullmatch(name) is not None)


@short_cache(4096)
def _is_state(name: str) -> bool:
    """Whether a plain name is that of a state in words: `ticketStatus`."""
    return name in _STATE or (name.endswith(("status", "state")) and _OTHER_STATE.search(name) is None)


@short_cache(4096)
def _is_left(name: str) -> bool:
    """Whether a plain name is a count of remaining places."""
    if name in _LEFT or _REMAINS.fullmatch(name):
        return True
    return len(name) <= 40 and bool(_COUNTED.fullmatch(name)) and bool(_SAYS_LEFT.search(name))


@short_cache(4096)
def _is_capacity(name: str) -> bool:
    """Whether a plain name is a count of all places: `capacity`, `maxPlaces`, `signupLimit`."""
    return name in _CAPACITY or (len(name) <= 40 and _ROOM.fullmatch(name) is not None)


@short_cache(4096)
def _is_used(name: str) -> bool:
    """Whether a plain name is a count of taken places: `booked`, `signupCount`."""
    return name in _USED or _USES.fullmatch(name) is not None


def field_names_of(slots: Iterable[Any]) -> set[str]:
    """The names of all fields of these slots."""
    return set().union(*[slot for slot in slots if type(slot) is dict])


def state_fields(members: Iterable[str]) -> tuple[str, ...]:
    """The fields that may say whether a slot is available, as written."""
    return tuple(sorted(name for name in members if _is_state_field(plain(name).removeprefix("is"))))


def types_are_states(slots: Iterable[Any]) -> bool:
    """Whether the types of these slots are states."""
    types = {slot.get("type") for slot in slots if type(slot) is dict and isinstance(slot.get("type"), str)}
    return any(_state_of("type", one, None) is not None for one in types)


def _is_state_field(name: str) -> bool:
    return (
        name in _NAMES
        or name in _HELD_IN
        or _is_capacity(name)
        or _is_used(name)
        or name in taken()
        or _is_state(name)
        or _is_flag(name)
        or name in plain_words("slot.member.bare")
        or name in _GUESTS
        or name in _CLASSES
        or _TYPE.fullmatch(name) is not None
        or _is_left(name)
    )


def is_open(slot: Mapping[str, Any], *, is_container: bool = False) -> bool | None:
    """What a slot says of itself; None where it says nothing. One word that it is gone weighs more than others.

    `is_container`: it is a day or a venue with slots, which may be closed at the moment and have slots for tomorrow.
    """
    verdict: bool | None = None
    room = used = flag = None
    priced = not _PRICES.isdisjoint(map(plain, slot))
    for written, value in slot.items():
        name = plain(written).removeprefix("is")
        if (is_container and name not in _WHOLE) or (priced and name == "free"):  # "free of charge"
            continue
        said = _said_in(value) if isinstance(value, dict) and name in _HELD_IN and not is_container else value
        count = _count(said) if type(said) is not dict else _sum_of(said) if _is_capacity(name) or _is_used(name) else None
        if count is not None and _is_used(name):
            used = count
            flag = count == 0 if name in _BAD else flag
        elif count is not None and _is_capacity(name):
            room = count
        one = _state_of(name, said, count)
        if one is False:
            return False
        verdict = verdict if one is None else one
    if room is not None and used is not None:
        return used < room
    return flag if flag is not None else verdict


def _said_in(value: dict[str, Any]) -> object:
    """The state that an object is: `{"code": "soldout"}`, `{"total": 50, "remaining": 0}`."""
    word = next((value[name] for name in sorted(_SAID_IN) if isinstance(value.get(name), str)), None)
    return is_open(value) if word is None else word


def is_full(slot: Mapping[str, Any]) -> bool:
    """Whether a day or session counts what is left, and nothing is."""
    return any(_count(value) == 0 and _is_left(plain(name)) for name, value in slot.items())


def is_yes(value: object) -> bool | None:
    """Whether a word, flag or number means available; None if it means neither."""
    if isinstance(value, bool):
        return value
    if (count := _count(value)) is not None:
        return count > 0
    if not isinstance(value, str):
        return None
    return _state_of_word(value)


@short_cache(4096)
def _state_of_word(value: str) -> bool | None:
    word = value.rpartition("/")[2]  # https://schema.org/SoldOut
    if _ENUMERATED.fullmatch(word) is None:
        return _says_yes(plain(word))
    parts = re.split("[_.:]", word)  # SLOT_STATUS_NOT_AVAILABLE: the longest known ending counts
    ends = (plain("".join(parts[start:])) for start in range(len(parts)))
    return next((is_free for end in ends if (is_free := _says_yes(end)) is not None), None)


def _says_yes(word: str) -> bool | None:
    if word in _YES or word in free():
        return True
    return False if word in _NO or word in taken() else None


def _state_of(name: str, value: object, count: float | None) -> bool | None:
    if count is not None:
        if count == 0 and name in plain_words("slot.member.bare"):  # no room; another number may count taken places
            return False
        if _is_left(name):
            return count > 0
        if name in _BAD and name not in _USED:
            return count == 0 if count in (0, 1) else None  # `closed: 2200` is a time
        return count > 0 if name in _GOOD else None
    if isinstance(value, bool):
        if _is_flag(name) or name in _HELD_IN:
            return value
        return not value if name in _BAD or name in taken() else None
    if name in _GOOD or (isinstance(value, str) and _is_state(name)):
        return MARKS[value] if isinstance(value, str) and value in MARKS else is_yes(value)
    if isinstance(value, str) and _is_flag(name) and plain(value) in _YES_OR_NO:
        return _YES_OR_NO[plain(value)]
    if isinstance(value, str) and (name in plain_words("slot.member.bare") or _is_left(name)):
        return False if _NONE_LEFT.match(value) else is_yes(value)
    if (name in _GUESTS and value == []) or (name in _CLASSES and isinstance(value, str) and _is_taken_class(value)):
        return False
    if (
        _TYPE.fullmatch(name)
        and isinstance(value, str)
        and (kind := plain(value).removesuffix("time").removesuffix("slot")) in _TYPES
    ):
        return kind in {"free", "available", "book"}
    gone = is_yes(value) if name in _BAD else None
    return None if gone is None else not gone


@short_cache(4096)
def _is_taken_class(names: str) -> bool:
    """Whether a class of a slot means taken: `slot--booked`, `s-lc-eq-checkout`."""
    return any(
        part in _TAKEN_CLASSES or part in taken() for name in names.lower().split()[:20] for part in re.split("[-_]+", name)
    )


def _sum_of(value: dict[str, Any]) -> float | None:
    """A count by types: `{"ANY": 160}`."""
    counts = [_count(one) for one in value.values()]
    return sum(one for one in counts if one is not None) if counts and None not in counts else None


def _count(value: object) -> float | None:
    if isinstance(value, str):
        return int(value) if value.isdecimal() and len(value) < 10 else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
