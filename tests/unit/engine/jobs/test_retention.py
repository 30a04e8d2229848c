"""The janitor's rounds: once a night, on time, and never in the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from driftline.engine.jobs.retention import JOB, Janitor, prune
from driftline.errors import StoreUnavailable
from driftline.policy.retention import Pruned, RetentionLimits

EVENING = datetime(2026, 3, 1, 22, 0, tzinfo=UTC)


class Clock:
    """Sleeping is what moves it."""

    def __init__(self, until_at: datetime) -> None:
        self.at = EVENING
        self.until_at = until_at
        self.stop: Callable[[], None] = lambda: None

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        if self.at >= self.until_at:
            self.stop()
        await asyncio.sleep(0)


class Shelf:
    """A pruner that keeps note of what it was asked, in order."""

    def __init__(self, *, away: int = 0) -> None:
        self.done_at: datetime | None = None
        self.asked: list[str] = []
        self.nights: list[datetime] = []
        self.away = away

    async def claim(self, chore: str, *, at: datetime, due_at: datetime) -> bool:
        assert chore == JOB
        if self.away:
            self.away -= 1
            raise StoreUnavailable("away")
        if self.done_at is not None and self.done_at >= due_at:
            return False
        self.done_at = at
        self.nights.append(at)
        return True

    async def expired(self, *, at: datetime) -> int:
        self.asked.append("expired")
        return 1

    async def beyond(self, limits: RetentionLimits, *, at: datetime) -> int:
        self.asked.append("beyond")
        return 2

    async def orphans(self, *, at: datetime) -> int:
        self.asked.append("orphans")
        return 3

    async def quiet_runs(self, *, before_at: datetime) -> int:
        self.asked.append("quiet_runs")
        return 4

    async def unreferred(self, *, before_at: datetime) -> tuple[int, int]:
        self.asked.append("unreferred")
        return 5, 600


async def rounds(shelf: Shelf, *, days: float, once: bool = False) -> list[datetime]:
    clock = Clock(EVENING + timedelta(days=days))
    janitor = Janitor(shelf, clock, RetentionLimits())
    clock.stop = janitor.stop
    await janitor.run(once=once)
    return shelf.nights


async def test_snapshots_go_first_then_what_only_they_held_on_to() -> None:
    shelf = Shelf()
    gone = await prune(shelf, RetentionLimits(), at=EVENING)
    assert shelf.asked == ["expired", "beyond", "orphans", "quiet_runs", "unreferred"]
    assert gone == Pruned(snapshots=3, changes=3, runs=4, blobs=5, blob_bytes=600)


async def test_a_worker_that_never_cleaned_cleans_at_once_and_then_every_night_at_three() -> None:
    nights = await rounds(Shelf(), days=3.5)
    assert nights[0] == EVENING
    assert [(at.day, at.hour, at.minute) for at in nights[1:]] == [(2, 3, 0), (3, 3, 0), (4, 3, 0), (5, 3, 0)]


async def test_once_looks_once() -> None:
    assert await rounds(Shelf(), days=3, once=True) == [EVENING]


async def test_a_store_that_is_away_is_asked_again_at_the_next_look() -> None:
    (first, *_) = await rounds(Shelf(away=2), days=1)
    assert first == EVENING + timedelta(hours=2)


async def test_a_stopped_janitor_begins_nothing() -> None:
    shelf = Shelf()
    janitor = Janitor(shelf, Clock(EVENING), RetentionLimits())
    janitor.stop()
    await janitor.run()
    assert shelf.nights == []
