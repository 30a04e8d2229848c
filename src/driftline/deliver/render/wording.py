"""The words of a message, the same in every form that it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.model.change import Change
from driftline.model.delivery import Message, Section
from driftline.policy.fanout import price_of
from driftline.policy.zones import zone

SUBJECT_AT_MOST: Final = 140  # characters; mail clients show less
_RANK: Final = {"high": 0, "medium": 1, "low": 2}


def one_line(text: str) -> str:
    """Without line breaks and control characters: fit for a header."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def cut(text: str, length: int) -> str:
    """At most so many characters, with a sign that there was more."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def label(change: Change) -> str:
    """What people call the change's type."""
    known = CHANGE_TYPES.get(change.type)
    return known.label if known else change.type.replace("_", " ").capitalize()


def counted(changes: Iterable[Change]) -> str:
    """`3 price decreases, 1 sold out`."""
    parts = []
    for name, count in Counter(change.type for change in changes).most_common():
        known = CHANGE_TYPES.get(name)
        if known is None:
            parts.append(f"{count} {name.replace('_', ' ')}")
        else:
            parts.append(f"1 {known.plural.removesuffix('s')}" if count == 1 else f"{count} {known.plural}")
    return ", ".join(parts)


def about(message: Message) -> str:
    """The watch, or how many there are."""
    names = dict.fromkeys(one_line(section.report.watch_name) for section in message.sections)
    return next(iter(names), "") if len(names) == 1 else f"{len(names)} watches"


def headline(message: Message) -> str:
    """What happened, in one line."""
    changes = message.changes
    if message.sample:
        return "Test message: this channel works"
    openings = [section.first_run_line for section in message.sections if section.first_run_line]
    shown_changes = [change for section in message.sections for change in section.shown_changes] if openings else changes
    if message.digest and len(message.sections) > 1:
        return f"{len(shown_changes) + len(openings)} changes on {about(message)}"
    if openings:
        return "; ".join([*openings, *([counted(shown_changes)] if shown_changes else [])])
    if len(changes) == 1:
        return one_line(changes[0].headline)
    if message.digest:
        return f"{len(changes)} changes on {about(message)}" if changes else "No changes"
    return counted(changes)


def lines(section: Section) -> list[str]:
    """What a report says, a line each."""
    return [
        *([section.first_run_line] if section.first_run_line else []),
        *(one_line(change.headline) for change in section.shown_changes),
    ]


def subject(message: Message) -> str:
    """For a mail's subject, a chat's title, a feed's entry."""
    if message.sample:
        return "driftline: test message"
    if message.digest:
        day = message.written_at.astimezone(zone(message.user.timezone))
        return cut(f"{headline(message)}, {day.day} {day:%B}", SUBJECT_AT_MOST)
    name = about(message)
    text = headline(message)
    if len(message.changes) == 1:
        return cut(f"{text} · {name}" if name not in text else text, SUBJECT_AT_MOST)
    return cut(f"{name}: {text}", SUBJECT_AT_MOST)


def moment(at: datetime, timezone: str) -> str:
    """`15 November 2026, 20:28 CET`, on the user's clock."""
    local = at.astimezone(zone(timezone))
    return f"{local.day} {local:%B %Y, %H:%M %Z}"


def weightiest_first(changes: Iterable[Change]) -> list[Change]:
    """High before medium before low; inside one severity the order of the report."""
    return sorted(changes, key=lambda change: _RANK[change.severity])


def prices(change: Change) -> tuple[str, str] | None:
    """The price before and now, for people; None where the change is about something else."""
    if change.type not in {"price_increase", "price_decrease"}:
        return None
    before, now = price_of(change.before), price_of(change.after)
    if before is None or now is None:
        return None
    return _money(before, change.before), _money(now, change.after)


def _money(amount: Decimal, state: Mapping[str, Any] | None) -> str:
    held = (state or {}).get("price")
    currency = (state or {}).get("currency") or (held.get("currency") if isinstance(held, Mapping) else None)
    return f"{amount:,} {currency}" if currency else f"{amount:,}"
