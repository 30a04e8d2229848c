"""A change as the feed shows it: one line of words, and a thumbnail of the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.answers.failure_text import failure_text
from driftline.core.answers.not_sent_text import not_sent_text
from driftline.core.commerce.amounts import from_plain, money
from driftline.core.diff.rows import Row
from driftline.core.text.time_text import readable_date
from driftline.deliver.render import wording
from driftline.model.change import Change, Severity
from driftline.model.delivery import NEW_ITEM

LINES_AT_MOST: Final = 3
_ROWS_READ: Final = 60
_SHOWN_ACTIONS: Final = frozenset({"changed", "added", "removed"})
_NAMES: Final = {
    "in_stock": "In stock",
    "url": "Address",
    "booking_url": "Booking page",
    "low": "Lowest so far",
    "high": "Highest so far",
}
SAID: Final = "said"  # the flag that holds what a person said of a change


class ChangeCard(msgspec.Struct, frozen=True, kw_only=True):
    """What one entry of the feed shows."""

    id: UUID
    watch_id: UUID
    watch_name: str
    item_id: UUID | None
    severity: Severity
    label: str
    headline: str
    url: str
    at: datetime
    was: str = ""
    now: str = ""
    lines: tuple[Row, ...] = ()
    muted: str = ""  # why it was recorded and not delivered
    marked_as: str = ""  # noise | matters
    unread: bool = False
    run_id: UUID | None = None  # of a first run: it is shown instead of one of its items


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One value before and after."""

    name: str
    before: str
    after: str
    changed: bool = True


def card(change: Change, watch_name: str, *, unread: bool = False, first_run: str | None = None) -> ChangeCard:
    """The entry of one change, or of the first run that it stands for."""
    if first_run and change.type == NEW_ITEM:
        return ChangeCard(
            id=change.id,
            watch_id=change.watch_id,
            watch_name=watch_name,
            item_id=None,
            severity="low",
            label="First check",
            headline=first_run,
            url=change.url,
            at=change.created_at,
            run_id=change.run_id,
        )
    was, now = wording.prices(change) or ("", "")
    muted, opinion = change.flags.get("muted"), change.flags.get(SAID)
    return ChangeCard(
        id=change.id,
        watch_id=change.watch_id,
        watch_name=watch_name,
        item_id=change.item_id,
        severity=change.severity,
        label=wording.label(change),
        headline=change.headline or wording.label(change),
        url=change.url,
        at=change.created_at,
        was=was,
        now=now,
        lines=tuple(_lines(change)),
        muted=not_sent_text(muted),
        marked_as=str(opinion) if opinion else "",
        unread=unread,
    )


def sides_of(change: Change) -> list[Side]:
    """Every plain value of a change before and after; those that tell nothing are left out."""
    before, after = change.before or {}, change.after or {}
    names = dict.fromkeys([*before, *after])
    if names.keys() == {"reason"} and not before:
        return []  # of a failure: its headline says it
    if "price" in names:
        names.pop("currency", None)
    sides = [Side(name=field_name(name), before=field_value(name, before), after=field_value(name, after)) for name in names]
    both = change.before is not None and change.after is not None
    return [
        msgspec.structs.replace(side, changed=both and side.before != side.after)
        for side in sides
        if (side.before or side.after) and (side.before, side.after) != ("{}", "{}")
    ]


def price_text(price: object, currency: object) -> str:
    """`1,299.00 EUR`; empty where no price is known."""
    known = from_plain(price) if isinstance(price, str) else None
    return "" if known is None else money(known, currency if isinstance(currency, str) else None)


def _lines(change: Change) -> Iterable[Row]:
    raw: Sequence[Any] = (change.diff or {}).get("rows") or ()
    changed = [row for row in raw[:_ROWS_READ] if isinstance(row, Mapping) and row.get("action") in _SHOWN_ACTIONS]
    rows: list[Row] = msgspec.convert(changed[:LINES_AT_MOST], list[Row])
    return rows


def field_name(name: str) -> str:
    """A field of an item as people call it."""
    return _NAMES.get(name) or name.replace("_", " ").capitalize()


def field_value(name: str, values: Mapping[str, Any]) -> str:
    """A value as people write it; empty for what only programs need."""
    if name == "venue_id" and values.get("venue_name"):
        return ""
    if name == "price":
        return price_text(values.get(name), values.get("currency")) or value_text(values.get(name))
    text = value_text(values.get(name))
    if name == "reason":
        return failure_text(None, text).what if text else ""
    return readable_date(text) if name in ("time", "updated", "published") else text


def value_text(value: Any) -> str:
    """A plain value in words; empty for nothing."""
    match value:
        case None | "" | [] | {}:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case list():
            return ", ".join(map(value_text, value))
        case int() | float():
            return str(value)
        case _:
            return msgspec.json.encode(value).decode()
