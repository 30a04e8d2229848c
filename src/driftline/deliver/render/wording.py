"""The texts of a message, the same in every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from driftline.core.commerce.amounts import money
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.text.time_text import day, exact
from driftline.model.change import Change
from driftline.model.delivery import Message, Section
from driftline.policy.prices import price_of
from driftline.policy.schedule.zones import zone

SUBJECT_AT_MOST: Final = 140  # characters; mail clients show less
_RANK: Final = {"high": 0, "medium": 1, "low": 2}


def one_line(text: str) -> str:
    """The text without line breaks and control characters, for a header."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def cut(text: str, length: int) -> str:
    """The text shortened to a length, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def summary(section: Section, change: Change) -> str:
    """What a model says of the change in a sentence; empty where none was asked."""
    judged = section.report.judgements.get(change.id)
    return one_line(judged.summary) if judged is not None else ""


def label(change: Change) -> str:
    """The name of the change's type for users."""
    known = CHANGE_TYPES.get(change.type)
    return known.label if known else change.type.replace("_", " ").capitalize()


def count_text(changes: Iterable[Change]) -> str:
    """`3 price decreases, 1 sold out`."""
    parts = []
    for name, count in Counter(change.type for change in changes).most_common():
        known = CHANGE_TYPES.get(name)
        if known is None:
            parts.append(f"{count} {name.replace('_', ' ')}")
        else:
            parts.append(f"1 {known.plural.removesuffix('s')}" if count == 1 else f"{count:,} {known.plural}")
    return ", ".join(parts)


def about(message: Message) -> str:
    """The watch's name, or the number of watches."""
    names = dict.fromkeys(one_line(section.report.watch_name) for section in message.sections)
    return next(iter(names), "") if len(names) == 1 else f"{len(names)} watches"


def headline(message: Message) -> str:
    """What happened, in one line."""
    changes = message.changes
    if message.sample:
        return "Test message: this channel works"
    first_run_lines = [section.first_run_line for section in message.sections if section.first_run_line]
    shown_changes = [change for section in message.sections for change in section.shown_changes] if first_run_lines else changes
    if message.digest and len(message.sections) > 1:
        return f"{len(shown_changes) + len(first_run_lines):,} changes on {about(message)}"
    if first_run_lines:
        return "; ".join([*first_run_lines, *([count_text(shown_changes)] if shown_changes else [])])
    if len(changes) == 1:
        return one_line(changes[0].headline)
    if message.digest:
        return f"{len(changes):,} changes on {about(message)}" if changes else "No changes"
    return count_text(changes)


def lines(section: Section) -> list[str]:
    """The headlines of a report."""
    return [
        *([section.first_run_line] if section.first_run_line else []),
        *(one_line(change.headline) for change in section.shown_changes),
    ]


def subject(message: Message) -> str:
    """The subject of a mail, or the title of a chat message or feed entry."""
    if message.sample:
        return "driftline: test message"
    if message.digest:
        local = message.written_at.astimezone(zone(message.user.timezone))
        return cut(f"{headline(message)}, {day(local, year=False)}", SUBJECT_AT_MOST)
    return cut(f"[{about(message)}] {headline(message)}", SUBJECT_AT_MOST)


def moment(at: datetime, timezone: str) -> str:
    """`15 November 2026, 20:28 CET`, in the user's time zone."""
    return exact(at, zone(timezone))


def by_severity(changes: Iterable[Change]) -> list[Change]:
    """High before medium before low; otherwise in the order of the report."""
    return sorted(changes, key=lambda change: _RANK[change.severity])


def prices(change: Change) -> tuple[str, str] | None:
    """The previous and the present price for users; None if the change is about something else."""
    if change.type not in {"price_increase", "price_decrease"}:
        return None
    before, now = price_of(change.before), price_of(change.after)
    if before is None or now is None:
        return None
    return _money(before, change.before), _money(now, change.after)


def _money(amount: Decimal, state: Mapping[str, Any] | None) -> str:
    shown = (state or {}).get("price")
    currency = (state or {}).get("currency") or (shown.get("currency") if isinstance(shown, Mapping) else None)
    return money(amount, currency)
