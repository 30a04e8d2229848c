"""Slots in an iCalendar file: events and free periods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from driftline.core.charset import decode
from driftline.errors import BadFile
from driftline.kinds.availability.clock import day_of, local_time
from driftline.kinds.availability.discovery import MAX_SLOTS, NO_TIME, Around, Discovery
from driftline.kinds.availability.openness import is_yes
from driftline.kinds.availability.slot import name_of

_FOLDED: Final = re.compile(r"\r?\n[ \t]")
_LINE: Final = re.compile(r"(?P<name>[\w-]+)(?P<parameters>(?:;[^:;\"]*(?:\"[^\"]*\"[^:;\"]*)*)*):(?P<value>.*)", re.ASCII)
_NAME: Final = re.compile(r"^X-WR-CALNAME[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_ZONE: Final = re.compile(r";TZID=\"?([^;:\"]+)", re.IGNORECASE)


def is_calendar(body: bytes) -> bool:
    """Whether a body is an iCalendar file."""
    return body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"BEGIN:VCALENDAR")


def read_calendar(body: bytes, timezone: str) -> Discovery:
    """Every event that is not cancelled or called busy, and every free period, is a slot."""
    found = Discovery(timezone)
    text = decode(body)
    if not text.rstrip().upper().endswith("END:VCALENDAR"):
        raise BadFile("the calendar ends too early")
    found.listed = True
    events = list(_components(text))
    somewhere = _NAME.search(text)
    named = any("LOCATION" in parts for parts in events)  # then those without one are of the calendar itself
    whose = name_of(somewhere[1]) if somewhere else "calendar" if named else None
    for parts in events:
        place = _text(parts.get("LOCATION")) or whose
        around = Around(venue_id=place, venue_name=place or "")
        for parameters, value in parts.get("FREEBUSY", ()):
            if "FBTYPE=FREE" in parameters.upper():
                for period in value.split(","):
                    _add(found, parameters, period.partition("/")[0], timezone, around)
        starts = parts.get("DTSTART")
        said = (_text(parts.get("STATUS")), _text(parts.get("SUMMARY")))
        if starts and "FREEBUSY" not in parts and not any(is_yes(word) is False for word in said):
            link = parts.get("URL")
            _add(found, *starts[0], timezone, around._replace(booking_url=link[0][1] if link else None))
    return found


def _components(text: str) -> Iterator[dict[str, list[tuple[str, str]]]]:
    """The properties of each event and free-busy component, by name."""
    inside: dict[str, list[tuple[str, str]]] | None = None
    nested = 0  # alarms lie inside events
    for line in _FOLDED.sub("", text).splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue
        name, value = match["name"].upper(), match["value"].strip()
        if name == "BEGIN" and value.upper() in {"VEVENT", "VFREEBUSY", "VAVAILABILITY", "AVAILABLE"}:
            inside, nested = {}, 0
        elif name == "BEGIN" and inside is not None:
            nested += 1
        elif name == "END" and nested:
            nested -= 1
        elif name == "END" and inside is not None:
            yield inside
            inside = None
        elif inside is not None and not nested:
            inside.setdefault(name, []).append((match["parameters"], value))


def _add(found: Discovery, parameters: str, written: str, timezone: str, around: Around) -> None:
    local = _local(parameters, written.strip(), timezone)
    if local is None or len(found.slots) >= MAX_SLOTS:
        found.bad[NO_TIME] += 1
    else:
        found.add(local, around)


def _local(parameters: str, written: str, timezone: str) -> str | None:
    named = _ZONE.search(parameters)
    local = local_time(written, timezone)
    if local is None:
        day = day_of(written, timezone)
        return f"{day}T00:00" if day else None
    if named is None or written.upper().endswith("Z"):
        return local
    try:
        there = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(named[1]))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone that only the file knows: as good as the venue's
        return local
    return local_time(there.isoformat(), timezone)


def _text(values: list[tuple[str, str]] | None) -> str | None:
    return name_of(values[0][1].replace("\\,", ",").replace("\\;", ";").replace("\\n", " ")) if values else None
