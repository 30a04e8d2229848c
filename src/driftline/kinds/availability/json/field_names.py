"""Field names of booking systems: lists, times, venues, and what to skip."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_openness import plain
from driftline.kinds.availability.slot_times import is_zone

# Names in plain form (slot_openness.plain). Lists of slots, and containers of such lists:
_SLOTS: Final = re.compile(
    r"slot|time|avail|appointment|spot|opening|vacanc|session|termin|horario|creneau|disponib|slices?$|hours?$|free$"
)
_LISTS: Final = re.compile(
    r"result|data$|items?$|collection|venue|date|day|calendar|event|resource|record|row|offer|schedule|value$|window|^d$"
)
# Inside of a slot or a venue: what a slot with a time of its own consists of, and wrappers around a list.
_PARTS: Final = re.compile(r"appointment|session|hours?$|segment")
WRAPPERS: Final = frozenset("edges nodes node items list entries results data values rows".split())
# Fields that may look like slots: taken slots, suggestions, and metadata.
_ASIDE: Final = re.compile(
    r"unavail|notavail|occupied|booked|busy|taken|reserved|blocked|closed|disabled|holiday|histor|waitlist|waiting|notif|suggest|"
    r"alternat|nearby|similar|related|recommend|filter|facet|config|setting|^meta|meta$|metadata|paginat|paging|links?$|user|customer|"
    r"polic|pric|review|image|photo|error|warning|message|query|param|exception|cancel|soldout|timezone|(?:opening|business|work|working|office|"
    r"operating|closing|kitchen|service)(?:hours|times|days|dates)|^(?:next|first|last|previous|prev|earliest|latest|past|end|finish|arriv|"
    r"until|created|updated|expires)(?!minute|days|weeks?|months?|\d)|(?:sales?|release)windows?$|^rules?$|restriction|"
    r"^(?:existing|current|all|my)?(?:bookings|reservations)$"
)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Start of a slot, best names first; the last ones only if the value is more than a date.
BEGINS: Final = _words("""
start starttime startat startsat startstime startdatetime startdateandtime starttimestamp startson startdate begin begintime
beginat beginsat begindatetime from fromtime timefrom dtstart slotstart slotstarttime appointmentstart appointmentstarttime
timestart datetime dateandtime datetimeiso timeiso isotime iso time slottime slotdatetime appointmenttime appointmentdatetime
appointment appointmentdate teetime timeslot slot hour at when starthour localtime startlocal uhrzeit zeit beginn von heure
debut hora inicio ora inizio termin t timestamp date day datum fecha key value
""")
_SURELY: Final = frozenset(BEGINS) - frozenset(_words("key value at t from von slot timestamp date day hour zeit hora ora"))
DAYS: Final = _words("""
date day startdate slotdate appointmentdate availabilitydate availabledate bookingdate visitdate calendardate localdate isodate
datestr datestring servicedate reservationdate shiftdate fulldate datum tag fecha dia jour giorno
""")
PLACES: Final = _words("""
rid venue restaurant location office branch clinic center centre facility store shop practice hospital club course property
hotel hut salon business station merchant organization organisation school museum park campground testcenter
""")
PEOPLE: Final = _words("""
staff staffmember doctor practitioner physician provider employee teammember therapist stylist barber agent consultant
instructor coach resource court pitch field lane room desk campsite site unit agenda calendar counter schedule
""")
THINGS: Final = _words("""
activity experience product tour permit theatre theater cinema screen movie film show ferry vessel boat ship train route
excursion attraction item service
""")  # what is booked, where neither a place nor a person is named
_NO_NAMES: Final = frozenset({"provider", "unit", "schedule"})  # as plain text these may be anything
ENTITIES: Final = (*PLACES, *PEOPLE)
_ZONED: Final = ("start", "begin", *PLACES)
LINKS: Final = _words("""
bookingurl bookurl schedulingurl reservationurl reserveurl bookinglink checkouturl deeplink url link href htmllink
""")
_BOOKS: Final = re.compile(r"(?:book|reserv|schedul|purchas|buy|ticket|checkout|order|event)\w*(?:url|link|href|uri)")
_MOMENTS: Final = re.compile(r"depart|time|date|moment|when|scheduled|instant")
_ENDS: Final = re.compile(
    r"^end|^open|end(?:s|time|at|date|datetime)?$|finish|arriv|until|expir|close|deadline|sale|release|cutoff|regist|modif|chang|publish"
)
_ZONES: Final = re.compile(r"\w*timezone(?:id|name|iana)?|tz(?:id|name)?")
_IDS: Final = _words("id uuid guid key slug code number reference")
_NAMES: Final = _words("name title displayname label fullname")
_OFFERS: Final = re.compile(r"price|rate|offer|option|duration|tariff|variant|product|ticket")
_KINDS: Final = re.compile(r"activit|service|treatment|categor|product|program|package|variant")  # types of what is booked
_PART: Final = lazy_regex(lambda: rf"(?:{any_of('board.part')})s?", re.IGNORECASE)
CLOCKS: Final = re.compile(r"\d{1,2}[:.h]\d{2}(?::\d{2})?\s?(?:[ap]\.?m\.?)?", re.IGNORECASE | re.ASCII)
DATES: Final = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?|\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|(?:19|20)\d{6}|\d{4}(?:19|20)\d\d", re.ASCII
)


def like_start(members: Iterable[str]) -> list[str]:
    """Fields whose names suggest a start in another way."""
    return sorted(low for low in members if ("start" in low or "begin" in low) and not is_aside(low))


@short_cache(4096)
def is_moment(low: str) -> bool:
    """Whether a field may be the moment of a slot, and not its end or a deadline."""
    return _MOMENTS.search(low) is not None and _ENDS.search(low) is None


@short_cache(4096)
def is_date(low: str) -> bool:
    """Whether a field may be the day of a slot, under a name that is not known: `tourDate`."""
    return low.endswith("date") and is_moment(low) and not is_aside(low)


def link_in(value: dict[str, Any], members: Mapping[str, str]) -> str | None:
    """The address where a slot is booked: its own, or that of its only offer."""
    named = (*LINKS, *(low for low in members if _BOOKS.fullmatch(low)))
    link = next((text for low in named if low in members and isinstance(text := value[members[low]], str)), None)
    offers = value.get(members.get("offers", "")) if link is None else None
    if isinstance(offers, list) and len(offers) == 1:
        offers = offers[0]
    return (
        link_in(offers, {low: key for key in offers if (low := plain(key)) != "offers"}) if isinstance(offers, dict) else link
    )


def zone_in(value: dict[str, Any], members: Mapping[str, str], depth: int = 2) -> str | None:
    """The time zone that an object names, itself or in the place or the start inside it."""
    for low, key in members.items():
        child = value[key]
        found = None
        if isinstance(child, str) and "/" in child:
            found = child if _is_zone_name(low) and is_zone(child) else None
        elif isinstance(child, dict) and depth and low.startswith(_ZONED):
            found = zone_in(child, {plain(name): name for name in child}, depth - 1)
        if found:
            return found
    return None


@short_cache(4096)
def _is_zone_name(low: str) -> bool:
    return _ZONES.fullmatch(low) is not None


@short_cache(4096)
def is_slots(low: str) -> bool:
    """Whether a field is named like a list of slots."""
    return _SLOTS.search(low) is not None and not is_aside(low)


def is_parts(low: str) -> bool:
    """Whether a list in a slot may be its parts, rather than the slots of a venue."""
    return _PARTS.search(low) is not None


@short_cache(4096)
def is_list(low: str) -> bool:
    """Whether a field is named like a container of slots."""
    return _LISTS.search(low) is not None and not is_aside(low)


def is_of_venues(low: str, depth: int) -> bool:
    """Whether a field near the top is a list of venues with slots."""
    return depth <= 2 and low.endswith("s") and low.removesuffix("s").endswith(PLACES) and not is_aside(low)


@short_cache(4096)
def is_aside(low: str) -> bool:
    """Whether a field never contains slots."""
    return _ASIDE.search(low) is not None


def holds_slots(low: str, child: Any) -> bool:
    """Whether a field is a list of slots, or a map from days, hours or ids to slots."""
    if not is_slots(low):
        return False
    if isinstance(child, list):
        return True
    return isinstance(child, dict) and any(
        DATES.fullmatch(key) or CLOCKS.fullmatch(key) or (isinstance(value, list) and is_number(key))
        for key, value in child.items()
    )


def is_number(key: str) -> bool:
    """Whether a key of a map is an id in digits."""
    return key.lstrip("-").isdecimal()


@short_cache(4096)
def is_offers(low: str) -> bool:
    """Whether a field lists what can be booked of a slot."""
    return _OFFERS.search(low) is not None


def has_kinds(value: dict[str, Any], members: Mapping[str, str]) -> bool:
    """Whether an object lists what can be booked there: a court with its activities."""
    return any(_is_kind(low) and isinstance(value[key], list) and value[key] for low, key in members.items())


@short_cache(4096)
def _is_kind(low: str) -> bool:
    return _KINDS.search(low) is not None


def is_part_of_day(name: str) -> bool:
    """Whether a name is no venue's: Dinner, Morning."""
    return _PART.fullmatch(name) is not None


def named_by(value: dict[str, Any], members: Mapping[str, str], word: str) -> tuple[str, str] | None:
    """The id and name of a venue: `venue_id` and `venue_name`, an object `venue`, or its name alone."""
    named = value.get(members.get(word, ""))
    if isinstance(named, dict):
        inner = {plain(key): key for key in named}
        if not _SURELY.isdisjoint(inner) or (word == "schedule" and "reference" not in inner):
            return None  # FHIR calls a slot a resource; a schedule's id may be the slot's
        return own_name(named, inner)
    if word == "schedule":
        return None
    venue_id = next((found for end in ("id", "uuid", "slug", "code") if (found := _member(value, members, word + end))), None)
    plainly = name_of(named) if isinstance(named, str) and word not in _NO_NAMES else None
    if venue_id is None and type(named) is int and word not in _NO_NAMES:  # {"venue": 12}
        venue_id = name_of(named)
    venue_name = _member(value, members, word + "name") or plainly
    if not venue_id and not venue_name:
        return None
    return venue_id or venue_name or "", venue_name or ""


def own_name(value: dict[str, Any], members: Mapping[str, str]) -> tuple[str, str] | None:
    """An object's own id and name."""
    name = next((found for low in _NAMES if (found := _member(value, members, low))), None)
    own_id = next((found for low in _IDS if (found := _member(value, members, low))), None)
    if own_id and len(own_id) > 40 and name:  # a token that changes with every answer
        own_id = name
    return (own_id or name or "", name or "") if own_id or name else None


def _member(value: dict[str, Any], members: Mapping[str, str], low: str) -> str | None:
    found_value = value.get(members[low]) if low in members else None
    if isinstance(found_value, dict):  # {"id": {"resy": 834}}
        found_value = next(iter(found_value.values()), None)
    return name_of(found_value)
