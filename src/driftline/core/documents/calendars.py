"""Reads calendars (iCalendar): one entry an event, known by its UID."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.documents.text import DocumentText, TextLine
from driftline.core.text.folding import fold

_FIELDS: Final = {
    "SUMMARY": "title",
    "DTSTART": "starts",
    "DTEND": "ends",
    "DUE": "due",
    "RRULE": "repeats",
    "LOCATION": "place",
    "DESCRIPTION": "description",
    "STATUS": "status",
    "URL": "url",
}
_UNFOLD: Final = re.compile(r"\r?\n[ \t]")
_WHEN: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_ESCAPED: Final = re.compile(r"\\([nN,;\\])")


def read_calendar(source: str) -> DocumentText:
    """Events and tasks with what people read of them; stamps of the export are left out."""
    lines: list[TextLine] = []
    event: list[tuple[str, str]] = []
    uid, title, count, inside = "", "", 0, False
    for line in _UNFOLD.sub("", source).splitlines():
        head, _, value = line.partition(":")
        name = head.partition(";")[0].upper()
        if name == "BEGIN" and value.strip() in ("VEVENT", "VTODO"):
            event, uid, inside = [], "", True
        elif name == "END" and value.strip() in ("VEVENT", "VTODO") and inside:
            inside = False
            count += 1
            key = uid or next((text for label, text in event if label == "title"), f"event {count}")
            lines += (TextLine(f"{label}: {text}", label, key) for label, text in event if text)
        elif inside and name == "UID":
            uid = fold(value)[:200]
        elif inside and name in _FIELDS:
            event.append((_FIELDS[name], _plain(name, value)))
        elif name == "X-WR-CALNAME":
            title = fold(value)
    return DocumentText(lines, title, f"calendar, {count:,} {'event' if count == 1 else 'events'}")


def _plain(name: str, value: str) -> str:
    if name in ("DTSTART", "DTEND", "DUE") and (when := _WHEN.match(value)):
        day = f"{when[1]}-{when[2]}-{when[3]}"
        return f"{day} {when[4]}:{when[5]}{' UTC' if when[6] else ''}" if when[4] else day
    return fold(_ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], value))
