"""The histories, visit by visit, through the engine: what a check costs by what happened, and what was said."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import aiohttp

from bench.floors import hash_text
from bench.real.explained import unexplained
from bench.real.figures import Cost, Tally, Versions
from bench.real.material import VISITS, History, Part, Player
from bench.real.truth import Seen, seen
from driftline import ParsedPage, compare_pages, read_page
from driftline.engine.check.context import Checked
from driftline.engine.clock import SystemClock
from driftline.engine.editing.watch_input import WatchInput
from driftline.settings import Settings
from driftline.wiring import App, run_loop

CLASSES: Final = ("first", "quiet", "noisy", "changed")
AIMS: Final = {"first": 15, "quiet": 3, "noisy": 5, "changed": 12}
WARM: Final = 6  # pages that are checked before anything is measured, the largest among them
TICK: Final = os.sysconf("SC_CLK_TCK")


class DailyClock(SystemClock):
    """A day passes from visit to visit, as it does for who looks once a day."""

    days = 0

    def now(self) -> datetime:
        return super().now() + timedelta(days=self.days)


def class_of(history: History, visit: int, sides: tuple[Seen, Seen]) -> str:
    """Changed by its label; noisy where the text differs all the same; of what nobody scored, by what the library says."""
    label = history.labels[visit - 1]
    if label == "change":
        return "changed"
    if sides[0].lines == sides[1].lines:
        return "quiet"
    if label == "open" and compare_pages(history.body(visit - 1), history.body(visit)).meaningful:
        return "changed"
    return "noisy"


class Run:
    """One part of the pages through all visits."""

    def __init__(self, app: App, clock: DailyClock, player: Player, some: Sequence[History], part: Part) -> None:
        self.app, self.clock, self.player, self.some = app, clock, player, some
        self.costs = {name: Cost() for name in CLASSES}
        self.tally = Tally("terms", part)
        self.said: dict[UUID, Checked] = {}
        self.read: dict[int, ParsedPage] = {}  # each page's latest version

    async def listen(self, checked: Checked) -> None:
        self.said[checked.watch.id] = checked

    async def all(self) -> None:
        largest = sorted(self.some, key=lambda one: -len(one.body(0)))
        warm = self.added(f"{self.player.url(one.number)}?warm" for one in largest[:WARM])
        numbers = [one.number for one in self.some]
        ids = dict(zip(numbers, self.added(map(self.player.url, numbers)), strict=True))
        async with self.app.worker(self.listen) as worker, aiohttp.ClientSession() as session:
            self.player.go_to(0)
            await worker.check_now(warm)
            views: dict[int, Seen] = {}
            for visit in range(VISITS):
                self.player.go_to(visit)
                self.clock.days = visit
                fresh = {one.number: seen(one.body(visit).decode("utf-8", "replace")) for one in self.some}
                sides = {number: (views[number], fresh[number]) for number in views}
                views = fresh
                for name, members in grouped(self.some, visit, sides).items():
                    floor = await floor_of(session, [self.player.url(one.number) for one in members])
                    began = cpu()
                    await worker.check_now([ids[one.number] for one in members])
                    self.costs[name].add(len(members), cpu() - began, floor)
                for one in self.some if visit else ():
                    self.judge(one, visit, self.said[ids[one.number]], sides[one.number])

    def added(self, urls: Iterable[str]) -> list[UUID]:
        return [watch.id for watch in self.app.add([self.app.draft(WatchInput(url=url)) for url in urls])]

    def judge(self, history: History, visit: int, checked: Checked, sides: tuple[Seen, Seen]) -> None:
        """What the engine said of one step."""
        name = f"{history.number} visit {visit}"
        sent = [change for change in checked.changes if "muted" not in change.flags]
        self.tally.muted += bool(checked.changes) and not sent
        headline = "; ".join(change.headline for change in checked.changes) or checked.run.reason or ""
        if checked.run.status != "completed":
            self.tally.note(name, "not read", f"{checked.run.outcome}: {checked.run.reason}", sides)
        self.tally.verdict(name, history.labels[visit - 1], reported=bool(sent), said=headline, sides=sides)
        bodies = history.body(visit - 1), history.body(visit)
        known = self.read.get(history.number)
        pages = known if known is not None else read_page(bodies[0]), read_page(bodies[1])
        self.read[history.number] = pages[1]
        self.tally.unexplained += unexplained(*pages)
        if sent:
            self.tally.report(name, headline, sides)
            sources = bodies[0].decode("utf-8", "replace"), bodies[1].decode("utf-8", "replace")
            self.tally.listed(name, compare_pages(*pages), Versions(sources, pages), sides)


def grouped(some: Sequence[History], visit: int, sides: Mapping[int, tuple[Seen, Seen]]) -> dict[str, list[History]]:
    found: dict[str, list[History]] = defaultdict(list)
    for one in some:
        found[class_of(one, visit, sides[one.number]) if visit else "first"].append(one)
    return found


async def floor_of(session: aiohttp.ClientSession, urls: Iterable[str]) -> float:
    """Fetched, parsed, its text hashed: by the client that driftline has."""
    began = time.process_time()
    for url in urls:
        async with session.get(url) as response:
            hash_text(await response.read())
    return time.process_time() - began


def cpu() -> float:
    """Of this process and the children that read large pages for it."""
    return time.process_time() + sum(map(_spent, _children()))


def _children() -> list[int]:
    if not Path("/proc/self/task").exists():
        return []
    found = [pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()]
    return [int(pid) for pid in found if b"engine.pool" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _spent(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICK


def play(player: Player, some: Sequence[History], part: Part, folder: Path) -> Run:
    """Every visit, on SQLite."""
    settings = Settings(
        db=f"sqlite:///{folder}/real-{part}.db",
        allow_hosts=("127.0.0.1",),
        per_own_host=200,
        calibrate_after=0.0,
        browser=False,
    )
    clock = DailyClock()
    with closing(App(settings, clock=clock)) as app:
        run = Run(app, clock, player, some, part)
        run_loop(run.all)
    return run
