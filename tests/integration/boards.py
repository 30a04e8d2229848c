"""A booking board that a test offers slots on, and driftline watching it at hours that the test sets."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Schedule, Watch
from driftline.settings import Settings
from driftline.store.views.results.slots import OpenSlot, SlotFilter
from driftline.wiring import App

NOON = datetime(2026, 2, 27, 12, 0, tzinfo=UTC)
A1, A2 = ("a", "2026-02-28T20:30"), ("a", "2026-02-28T21:00")
B1 = ("b", "2026-02-28T20:30")
DAY = {"dates": ["2026-02-28"], "time_slots": ["20:30"]}


class Hands:
    """A clock that this test moves; waiting is real."""

    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic() + (self.at - NOON).total_seconds()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.05))


class Board:
    """A booking board on the scripted site: what it offers, and how it fails."""

    def __init__(self, site: ScriptedSite) -> None:
        self.offers: set[tuple[str, str]] = set()
        self.broken: dict[str, Page] = {}  # by party size
        self.bodies: list[str] = []
        self.site = site
        self.url = site.show("/find", self.answer)

    def answer(self, request: web.Request) -> Page:
        size = request.query.get("n", "")
        if size in self.broken:
            return self.broken[size]
        slots = [
            {
                "provider": "p",
                "venue_id": venue,
                "venue_name": f"Café {venue.upper()}",
                "time": at,
                "booking_url": f"https://b.example/{venue}",
            }
            for venue, at in sorted(self.offers)
        ]
        return Page(body=json.dumps({"slots": slots}).encode(), headers={"content-type": "application/json"})


class Booking:
    """Driftline with a board to watch."""

    def __init__(self, url: str, board: Board, **settings: Any) -> None:
        self.hands = Hands()
        self.board = board
        self.site = board.site
        self.app = App(Settings(db=url, allow_hosts=("127.0.0.1",), timeout_for=5.0, **settings), clock=self.hands)

    def watch(
        self, query: str = "?d={date}&t={time}&n={party_size}", rules: dict[str, Any] | None = None, **watch_input: Any
    ) -> Watch:
        usual: dict[str, Any] = {"name": "board", "schedule": Schedule(every_for=60.0, jitter=0.0), "rules": rules or DAY}
        return self.app.add(
            [self.app.draft(WatchInput(url=self.board.url + query, kind="availability", **(usual | watch_input)))]
        )[0]

    def poll(self, watch: Watch, *offers: tuple[str, str], after: float = 60.0) -> Checked:
        """The board offers this; what the poll of the watch's only bucket came to."""
        self.board.offers = set(offers)
        self.hands.at += timedelta(seconds=after)
        return self.check(watch)[0]

    def check(self, watch: Watch) -> list[Checked]:
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        self.app.check([watch.id], listen)
        return sorted(ended, key=lambda checked: checked.watch.bucket_key or "")

    def work(self) -> list[Checked]:
        """What a worker does that looks once at what is due."""
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        async def once() -> None:
            async with self.app.worker(listen) as worker:
                await worker.run(once=True)

        asyncio.run(once())
        return ended

    def buckets(self, watch: Watch, *, retired: bool = False) -> list[str]:
        children = self.app.read(lambda data: data.watches.children(watch.id))
        return [str(child.bucket_key) for child in children if (child.retired_at is not None) == retired]

    def just_opened(self, within: float = 3600.0, **wanted: Any) -> list[tuple[str, str]]:
        since = self.hands.at - timedelta(seconds=within)
        return _pairs(self.app.read(lambda data: data.slots.just_opened(since_at=since, slot_filter=SlotFilter(**wanted))).rows)

    def available(self, **wanted: Any) -> list[tuple[str, str]]:
        return _pairs(self.app.read(lambda data: data.slots.available(SlotFilter(**wanted))).rows)

    def rows(self, *tables: str) -> dict[str, list[str]]:
        def dump(session: Any) -> dict[str, list[str]]:
            return {table: sorted(map(repr, session.tx.rows(f"SELECT * FROM {table}"))) for table in tables}

        return self.app.store.read_now(dump)


def _pairs(found: tuple[OpenSlot, ...]) -> list[tuple[str, str]]:
    return [(one.slot.venue_id, one.slot.time) for one in found]


def drops(checked: Checked) -> list[tuple[str, str]]:
    return [
        (change.after["venue_id"], change.after["time"]) for change in checked.changes if change.type == "drop" and change.after
    ]
