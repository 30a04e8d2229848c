"""The words of a message, the same in every form that it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from driftline.core.severity import CHANGE_TYPES
from driftline.model.change import Change
from driftline.model.delivery import Letter
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


def about(letter: Letter) -> str:
    """The watch, or how many there are."""
    names = dict.fromkeys(one_line(section.report.watch_name) for section in letter.sections)
    return next(iter(names), "") if len(names) == 1 else f"{len(names)} watches"


def headline(letter: Letter) -> str:
    """What happened, in one line."""
    changes = letter.changes
    if letter.sample:
        return "Test message: this channel works"
    if len(changes) == 1:
        return one_line(changes[0].headline)
    if letter.digest:
        return f"{len(changes)} changes on {about(letter)}" if changes else "No changes"
    return counted(changes)


def subject(letter: Letter) -> str:
    """For a mail's subject, a chat's title, a feed's entry."""
    if letter.sample:
        return "driftline: test message"
    if letter.digest:
        day = letter.written_at.astimezone(zone(letter.user.timezone))
        return cut(f"{headline(letter)}, {day.day} {day:%B}", SUBJECT_AT_MOST)
    name = about(letter)
    told = headline(letter)
    if len(letter.changes) == 1:
        return cut(f"{told} · {name}" if name not in told else told, SUBJECT_AT_MOST)
    return cut(f"{name}: {told}", SUBJECT_AT_MOST)


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
