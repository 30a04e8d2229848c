"""Changes as a feed: cards under the days on which they were found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from itertools import groupby
from uuid import UUID

import msgspec

from driftline.core.text import time_text
from driftline.model.change import Change
from driftline.policy.schedule.zones import zone
from driftline.web.pages.parts.cards import ChangeCard, card


class DayOfChanges(msgspec.Struct, frozen=True):
    """The changes of one day, under its name."""

    name: str
    cards: tuple[ChangeCard, ...]


def feed(
    changes: Iterable[Change],
    timezone: str,
    *,
    now: datetime,
    names: Mapping[UUID, str] | None = None,
    unread: Collection[UUID] = (),
    first_runs: Mapping[UUID, str] | None = None,
) -> tuple[DayOfChanges, ...]:
    """In the order in which they come, under the reader's days; `names` are those of the watches, where they are to be said.

    `first_runs` are the lines for those of a watch's first run, by report.
    """
    where = zone(timezone)
    cards = [
        card(one, (names or {}).get(one.watch_id, ""), unread=one.id in unread, first_run=(first_runs or {}).get(one.report_id))
        for one in changes
    ]
    days = groupby(cards, key=lambda one: one.at.astimezone(where).date())
    return tuple(DayOfChanges(time_text.day_name(day, now.astimezone(where).date()), tuple(group)) for day, group in days)
