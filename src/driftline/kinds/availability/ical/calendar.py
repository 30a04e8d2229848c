"""Reads slots from an iCalendar file: events and free periods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from driftline.core.identity.timestamps import EARLIEST, LATEST
from driftline.core.text.charset import decode
from driftline.errors import BadFile
from driftline.kinds.availability.ical.recurrence import RecurrenceRule, occurrences, rule_of
from driftline.kinds.availability.json.discovery import MAX_SLOTS, NO_TIME, Discovery
from driftline.kinds.availability.json.found import Around
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_openness import is_yes, plain
from driftline.kinds.availability.slot_text import states_in
from driftline.kinds.availability.slot_times import day_of, is_zone, local_time

_Parts = dict[str, list[tuple[str, str]]]  # properties by name: parameters and value of each

_BUSY: Final = frozenset({"busy", "oof", "tentative"})
_FOLDED: Final = re.compile(r"\r?\n[ \t]")
_LINE: Final = re.compile(r"(?P<name>[\w-]+)(?P<parameters>(?:;[^:;\"]*(?:\"[^\"]*\"[^:;\"]*)*)*):(?P<value>.*)", re.ASCII)
_NAME: Final = re.compile(r"^X-WR-CALNAME[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_ZONE: Final = re.compile(r";TZID=\"?([^;:\"]+)", re.IGNORECASE)


def is_calendar(body: bytes) -> bool:
    """Whether a body is an iCalendar file."""
    return body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"BEGIN:VCALENDAR")


def read_calendar(body: bytes, timezone: str, at: datetime = EARLIEST) -> Discovery:
    """Every event that is not cancelled or busy, and every free period, as a slot; `at`: when the file was fetched."""
    found = Discovery(timezone)
    text = decode(body)
    if not text.rstrip().upper().endswith("END:VCALENDAR"):
        raise BadFile("the calendar ends too early")
    found.listed = True
    events = list(_components(text))
    somewhere = _NAME.search(text)
    named = any("LOCATION" in parts for parts in events)  # then events without one belong to the calendar itself
    whose = name_of(somewhere[1]) if somewhere else "calendar" if named else None
    moved = {(_text(parts.get("UID")), _first_local(parts, "RECURRENCE-ID", timezone)) for parts in events}
    for parts in events:
        place = _text(parts.get("LOCATION")) or whose
        around = Around(venue_id=place, venue_name=place or "")
        for parameters, value in parts.get("FREEBUSY", ()):
            if "FBTYPE=FREE" in parameters.upper():
                for period in value.split(","):
                    _add(found, _local(parameters, period.partition("/")[0], timezone), around)
        if "DTSTART" in parts and "FREEBUSY" not in parts and not _is_busy(parts):
            link = parts.get("URL")
            around = around._replace(booking_url=link[0][1] if link else None)
            for local in _times(
                parts, timezone, at.date() - timedelta(days=1), moved
            ):  # it may still be yesterday in that zone
                _add(found, local, around, _own_zone(parts) if timezone == "UTC" else None)
                if len(found.slots) >= MAX_SLOTS:
                    break
    return found


def _own_zone(parts: _Parts) -> str | None:
    """The time zone of an event's start, where it names one."""
    found = _ZONE.search(parts["DTSTART"][0][0]) if "DTSTART" in parts else None
    return found[1] if found and "/" in found[1] and is_zone(found[1]) else None


def _is_busy(parts: _Parts) -> bool:
    value = [_text(parts.get(name)) for name in ("STATUS", "SUMMARY")]
    mark = plain(_text(parts.get("X-MICROSOFT-CDO-BUSYSTATUS")) or "")
    if mark in _BUSY or any(is_yes(word) is False for word in value):
        return True
    return False in states_in(value[1] or "")  # Airbnb (Not available), CLOSED - Not available


def _times(parts: _Parts, timezone: str, since: date, moved: set[tuple[str | None, str | None]]) -> Iterator[str | None]:
    """When an event begins: once, or by its recurrence rule, without excluded or moved occurrences."""
    parameters, written = parts["DTSTART"][0]
    rule = rule_of(parts["RRULE"][0][1]) if "RRULE" in parts and "RECURRENCE-ID" not in parts else None
    start = _moment(written)
    if rule is None or start is None:
        yield _local(parameters, written, timezone)
        return
    rule = _on_clock_of(parameters, written, rule, parts["RRULE"][0][1])
    uid = _text(parts.get("UID"))
    out = [(marks, one.strip()) for marks, value in parts.get("EXDATE", ()) for one in value.split(",")[:MAX_SLOTS]]
    gone = {_local(marks, one, timezone) for marks, one in out}
    gone_days = {day_of(one, timezone) for _, one in out if len(one) == 8}
    for at in occurrences(start, rule, since):
        local = _local(parameters, f"{at:%Y%m%dT%H%M%S}{'Z' if written.upper().endswith('Z') else ''}", timezone)
        if local not in gone and at.date().isoformat() not in gone_days and (uid is None or (uid, local) not in moved):
            yield local


def _on_clock_of(parameters: str, written: str, rule: RecurrenceRule, value: str) -> RecurrenceRule:
    """The rule with its end in the event's own time zone: UNTIL is often in UTC while the start is not."""
    named = _ZONE.search(parameters)
    in_utc = re.search(r"UNTIL=\w{1,20}Z", value.upper()) is not None
    if rule.until is None or named is None or not in_utc or written.upper().endswith("Z"):
        return rule
    try:
        return rule._replace(until=rule.until.replace(tzinfo=UTC).astimezone(ZoneInfo(named[1])).replace(tzinfo=None))
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
        return rule


def _moment(written: str) -> datetime | None:
    """A start in its own time zone."""
    try:
        at = datetime.fromisoformat(written.upper().removesuffix("Z"))
    except ValueError:
        return None
    return at if EARLIEST.year <= at.year < LATEST.year and at.tzinfo is None else None


def _first_local(parts: _Parts, name: str, timezone: str) -> str | None:
    return _local(*parts[name][0], timezone) if name in parts else None


def _components(text: str) -> Iterator[_Parts]:
    """The properties of each event and free-busy component, by name."""
    inside: _Parts | None = None
    nested = 0  # alarms are nested in events
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


def _add(found: Discovery, local: str | None, around: Around, timezone: str | None = None) -> None:
    """Add a slot; `timezone`: its event's own, where the rules name none and `local` is in UTC."""
    moved = local_time(f"{local}Z", timezone) if local and timezone else local
    if moved is None or len(found.slots) >= MAX_SLOTS:
        found.bad[NO_TIME] += 1
    else:
        found.add(moved, around, timezone=timezone)


def _local(parameters: str, written: str, timezone: str) -> str | None:
    written = written.strip()
    named = _ZONE.search(parameters)
    local = local_time(written, timezone)
    if local is None:
        day = day_of(written, timezone)
        return f"{day}T00:00" if day else None
    if named is None or written.upper().endswith("Z"):
        return local
    try:
        there = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(named[1]))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone defined in the file: treated as the venue's
        return local
    return local_time(there.isoformat(), timezone)


def _text(values: list[tuple[str, str]] | None) -> str | None:
    return name_of(values[0][1].replace("\\,", ",").replace("\\;", ";").replace("\\n", " ")) if values else None
