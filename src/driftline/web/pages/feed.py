"""Changes as a feed: cards under the days on which they were found."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Final, cast

import msgspec
from markupsafe import Markup

from driftline.model.change import Change
from driftline.policy.zones import zone
from driftline.store.codec import Codec
from driftline.store.rows import Page, Row
from driftline.store.views.changes import NAME_AT, change_of
from driftline.web.pages import times
from driftline.web.pages.cards import Card, card
from driftline.web.pages.lines import filled, lines
from driftline.web.pages.rendering import Line

_DAY: Final = Markup('<h2 class="day">{}</h2>\n<ul class="feed card">{}</ul>\n')


class Day(msgspec.Struct, frozen=True):
    """The changes of one day, under its name."""

    name: str
    cards: Markup


def _card(codec: Codec, row: Row) -> Card:
    return card(change_of(codec, row), row[NAME_AT] if len(row) > NAME_AT else "")


CARDS: Final = lines("card", _card)


def feed(page: Page[Change], timezone: str, *, now: datetime, named: bool = False) -> list[Day]:
    """In the order in which they come; `named` says the watch of each, which the page must have brought."""
    return by_day(CARDS.of(page.codec, page.raw, timezone, named), timezone, now=now)


def by_day(cards: Iterable[Line], timezone: str, *, now: datetime) -> list[Day]:
    """Each day's cards in one."""
    where = zone(timezone)
    days = groupby(cards, key=lambda line: cast("datetime", line[1]).astimezone(where).date())  # a card's only instant
    return [Day(times.day_name(day, now.astimezone(where).date()), filled(group, now=now)) for day, group in days]


def under_days(days: Iterable[Day]) -> Markup:
    """One day after the other."""
    return Markup().join(_DAY.format(day.name, day.cards) for day in days)
