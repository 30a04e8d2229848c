"""Settings -> concrete parts. The only composer: nobody else knows which store, fetcher or clock is behind a protocol."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from driftline.core.ids import make_ids
from driftline.engine.clock import SystemClock
from driftline.engine.drafting import Draft, Wish, drafted, read_rules
from driftline.engine.ports import Clock, Ids
from driftline.errors import BadSetting
from driftline.kinds import KINDS
from driftline.model.watch import Watch
from driftline.settings import Settings, load
from driftline.store.rows import NewWatch, Page
from driftline.store.store import Store

if TYPE_CHECKING:
    from driftline.engine.worker import Listener, Worker
    from driftline.store.session import OrgData

T = TypeVar("T")


class App:
    """An opened store with everything that works on it, for the org of the embedded use."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.ids: Ids = _locked(make_ids(lambda: time.time_ns() // 1_000_000, secrets.randbits))
        _make_folder(settings.db)
        singular = frozenset(name for name, kind in KINDS.items() if kind.singular)
        self.store = Store.open(settings.db, blobs=settings.blobs, singular=singular)
        self.org = self.store.write_now(lambda session: session.default_org(at=self.clock.now()))

    def close(self) -> None:
        """Commit what is queued, then let go."""
        self.store.close()

    def read(self, fn: Callable[[OrgData], T]) -> T:
        """`fn` over the org's data, in one reading transaction."""
        return self.store.read_now(lambda session: fn(session.org(self.org.id)))

    def write(self, fn: Callable[[OrgData], T]) -> T:
        """`fn` over the org's data, in one writing transaction."""
        return self.store.write_now(lambda session: fn(session.org(self.org.id)))

    def draft(self, wish: Wish) -> Draft:
        """The wish, checked; nothing is stored yet."""
        return drafted(wish, KINDS, at=self.clock.now())

    def add(self, drafts: Sequence[Draft]) -> list[Watch]:
        """Store new watches, due at once."""
        at = self.clock.now()
        new = [self._new(draft) for draft in drafts]
        paused = [fresh.id for draft, fresh in zip(drafts, new, strict=True) if draft.paused]

        def store(data: OrgData) -> list[Watch]:
            data.watches.add(new, at=at)
            for watch_id in paused:
                data.watches.pause(watch_id, at=at)
            return data.watches.some([fresh.id for fresh in new])

        return self.write(store)

    def _new(self, draft: Draft) -> NewWatch:
        kind, watch_id = KINDS[draft.kind], self.ids()
        return NewWatch(
            id=watch_id,
            kind=draft.kind,
            scope=kind.scope(watch_id, draft.url, read_rules(kind, draft.rules)),
            url=draft.url,
            name=draft.name,
            tags=draft.tags,
            rules=draft.rules,
            fetch=draft.fetch,
            schedule=draft.schedule,
            next_due_at=self.clock.now(),
        )

    def all_watches(self) -> Iterator[Watch]:
        """Every watch of the org, in pages."""
        cursor: str | None = None
        while True:
            page = self.read(partial(_page_of_watches, cursor))
            yield from page.rows
            cursor = page.cursor
            if cursor is None:
                return

    @asynccontextmanager
    async def worker(self, listener: Listener | None = None) -> AsyncIterator[Worker]:
        """A worker with its way out; both are closed at the end."""
        from driftline.engine.check import Checker
        from driftline.engine.worker import Pace, Worker
        from driftline.fetch.egress import Egress
        from driftline.fetch.http import HttpFetcher, Limits
        from driftline.fetch.politeness import Manners

        settings = self.settings
        limits = Limits(total_for=settings.timeout_for, max_bytes=settings.max_bytes, user_agent=settings.user_agent)
        manners = Manners(at_once=settings.per_host, apart_for=settings.host_interval_for)
        egress = Egress(settings.allow_hosts)
        async with HttpFetcher(egress, self.clock, limits=limits, manners=manners, proxies=settings.proxies) as fetcher:
            checker = Checker(
                store=self.store,
                fetcher=fetcher,
                clock=self.clock,
                ids=self.ids,
                kinds=KINDS,
                calibrate_after=settings.calibrate_after,
            )
            pace = Pace(concurrency=settings.concurrency, lease_for=settings.lease_for, drain_for=settings.drain_for)
            owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
            yield Worker(store=self.store, checker=checker, clock=self.clock, owner=owner, pace=pace, listener=listener)

    def check(self, watch_ids: Sequence[UUID], listener: Listener) -> int:
        """Check these now; gives how many could be claimed."""

        async def all_of_them() -> int:
            async with self.worker(listener) as worker, _stopped_by_signals(worker):
                return await worker.check_now(list(watch_ids))

        return run_loop(all_of_them)

    def run(self, listener: Listener, *, once: bool) -> int:
        """Check what is due until stopped; gives the number of checks."""

        async def until_stopped() -> int:
            async with self.worker(listener) as worker, _stopped_by_signals(worker):
                return await worker.run(once=once)

        return run_loop(until_stopped)


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[App]:
    """The app by the settings of the environment, closed at the end."""
    settings = settings or load()
    logging.basicConfig(level=settings.log.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    app = App(settings)
    try:
        yield app
    finally:
        app.close()


def run_loop(main: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run a coroutine function on the fastest loop there is."""
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    if find_spec("uvloop"):
        from uvloop import new_event_loop as factory
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main())


@asynccontextmanager
async def _stopped_by_signals(worker: Worker) -> AsyncIterator[None]:
    """SIGINT and SIGTERM let the worker drain."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, worker.stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _page_of_watches(cursor: str | None, data: OrgData) -> Page[Watch]:
    return data.watches.page(limit=1000, cursor=cursor)


def _locked(ids: Callable[[], UUID]) -> Ids:
    """The maker, usable from the loop and from the committer's thread."""
    lock = Lock()

    def next_id() -> UUID:
        with lock:
            return ids()

    return next_id


def _make_folder(db: str) -> None:
    """The folder of an SQLite file."""
    if not db.startswith("sqlite:///"):
        return
    folder = Path(db.removeprefix("sqlite:///")).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(
            "database folder cannot be made", folder=str(folder), problem=str(error), hint="set DRIFTLINE_DB"
        ) from None
