"""Settings -> concrete parts. The only composer: nobody else knows which store, fetcher or clock is behind a protocol."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from copy import copy
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID

from driftline.core.ids import make_ids
from driftline.engine.clock import SystemClock
from driftline.engine.crash import arm
from driftline.engine.ports import Clock, Ids
from driftline.errors import BadSetting
from driftline.model.watch import Watch
from driftline.settings import Settings, load
from driftline.store.rows import NewWatch, Page
from driftline.store.store import Store

if TYPE_CHECKING:
    from driftline.deliver.dispatch import Dispatcher
    from driftline.deliver.ports import Courier
    from driftline.engine.context import Checked
    from driftline.engine.drafting import Draft, Wish
    from driftline.engine.explain import Explanation
    from driftline.engine.replay import Replayed
    from driftline.engine.retention import Janitor
    from driftline.engine.worker import Listener, Worker
    from driftline.model.account import Org
    from driftline.model.delivery import ChannelKind
    from driftline.model.run import Run
    from driftline.policy.retention import Limits, Pruned
    from driftline.store.pruning import Pruning
    from driftline.store.session import OrgData

T = TypeVar("T")


class App:
    """An opened store with everything that works on it, for the org of the embedded use."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        arm(settings.crash_at)
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.ids: Ids = _locked(make_ids(lambda: time.time_ns() // 1_000_000, secrets.randbits))
        _make_folder(settings.db)
        self.store = Store.open(settings.db, blobs=settings.blobs)
        self.org = self.store.write_now(lambda session: session.default_org(at=self.clock.now()))

    def close(self) -> None:
        """Commit what is queued, then let go."""
        self.store.close()

    def of(self, org: Org) -> App:
        """The same parts, working for another org; closed with this one."""
        other = copy(self)
        other.org = org
        return other

    def read(self, fn: Callable[[OrgData], T]) -> T:
        """`fn` over the org's data, in one reading transaction."""
        return self.store.read_now(lambda session: fn(session.org(self.org.id)))

    def write(self, fn: Callable[[OrgData], T]) -> T:
        """`fn` over the org's data, in one writing transaction."""
        return self.store.write_now(lambda session: fn(session.org(self.org.id)))

    def draft(self, wish: Wish) -> Draft:
        """The wish, checked; nothing is stored yet."""
        from driftline.engine.drafting import drafted
        from driftline.kinds.registry import KINDS

        return drafted(wish, KINDS, at=self.clock.now())

    def add(self, drafts: Sequence[Draft]) -> list[Watch]:
        """Store new watches, due at once."""
        return self.write(self.planting(drafts))

    def planting(self, drafts: Sequence[Draft]) -> Callable[[OrgData], list[Watch]]:
        """What stores new watches, for a transaction in which more is to happen."""
        at = self.clock.now()
        new = [self._new(draft) for draft in drafts]
        paused = [fresh.id for draft, fresh in zip(drafts, new, strict=True) if draft.paused]

        def store(data: OrgData) -> list[Watch]:
            data.watches.add(new, at=at)
            for watch_id in paused:
                data.watches.pause(watch_id, at=at)
            return data.watches.some([fresh.id for fresh in new])

        return store

    def _new(self, draft: Draft) -> NewWatch:
        from driftline.engine.drafting import read_rules
        from driftline.kinds.registry import KINDS

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
        from driftline.engine.pool import Pool
        from driftline.engine.worker import Pace, Worker
        from driftline.fetch.egress import Egress
        from driftline.fetch.http import HttpFetcher, Limits
        from driftline.fetch.politeness import Manners
        from driftline.kinds.registry import KINDS

        settings = self.settings
        limits = Limits(total_for=settings.timeout_for, max_bytes=settings.max_bytes, user_agent=settings.user_agent)
        manners = Manners(at_once=settings.per_host, apart_for=settings.host_interval_for)
        egress = Egress(settings.allow_hosts)
        fetching = HttpFetcher(egress, self.clock, limits=limits, manners=manners, proxies=settings.proxies)
        with closing(Pool()) as pool:
            async with fetching as fetcher:
                checker = Checker(
                    store=self.store,
                    fetcher=fetcher,
                    pool=pool,
                    clock=self.clock,
                    ids=self.ids,
                    kinds=KINDS,
                    calibrate_after=settings.calibrate_after,
                )
                pace = Pace(concurrency=settings.concurrency, lease_for=settings.lease_for, drain_for=settings.drain_for)
                yield Worker(store=self.store, checker=checker, clock=self.clock, owner=_owner(), pace=pace, listener=listener)

    @asynccontextmanager
    async def couriers(self) -> AsyncIterator[Mapping[ChannelKind, Courier]]:
        """Every way to hand a letter over; what they hold open is closed at the end."""
        from driftline.deliver.apprise import SCHEMES, AppriseCourier
        from driftline.deliver.email import EmailCourier, Relay
        from driftline.deliver.webhook import WebhookCourier
        from driftline.fetch.egress import Egress
        from driftline.fetch.post import HttpPoster
        from driftline.fetch.proxy import CheckingProxy

        settings = self.settings
        egress = Egress(settings.allow_hosts)
        relay = Relay(
            host=settings.smtp_host,
            port=settings.smtp_port,
            tls=settings.smtp_tls,
            user=settings.smtp_user,
            password=settings.smtp_password,
            sender=settings.mail_from,
            public_url=settings.public_url,
        )
        async with AsyncExitStack() as stack:
            poster = await stack.enter_async_context(HttpPoster(egress, self.clock, user_agent=settings.user_agent))
            mail = EmailCourier(relay if settings.smtp_host else None)
            stack.push_async_callback(mail.close)
            started: list[CheckingProxy] = []

            async def proxy_url() -> str:
                if not started:
                    started.append(CheckingProxy(egress))
                    await stack.enter_async_context(started[0])
                return started[0].url

            chat = AppriseCourier(proxy_url, schemes=frozenset(settings.chat_services) & SCHEMES or SCHEMES)
            yield {"email": mail, "webhook": WebhookCourier(poster, self.clock), "apprise": chat}

    @asynccontextmanager
    async def dispatcher(self) -> AsyncIterator[Dispatcher]:
        """A sender with its couriers; closed at the end."""
        from driftline.deliver.dispatch import Dispatcher, Hold
        from driftline.store.mailroom import Mailroom

        async with self.couriers() as couriers:
            yield Dispatcher(
                mailroom=Mailroom(self.store.database),
                couriers=couriers,
                clock=self.clock,
                owner=_owner(),
                hold=Hold(lease_for=self.settings.delivery_lease_for, drain_for=self.settings.drain_for),
            )

    def deliver(self, *, once: bool) -> int:
        """Send what is due, once or until stopped; gives how many letters were taken."""

        async def until_stopped() -> int:
            async with self.dispatcher() as dispatcher, _stopped_by_signals(dispatcher):
                return await dispatcher.run(once=once)

        return run_loop(until_stopped)

    def explain(self, run: Run) -> Explanation:
        """Each difference that a run saw, with the rule that dropped it or the level that kept it."""
        from driftline.engine.drafting import read_rules
        from driftline.engine.explain import explain
        from driftline.kinds.registry import KINDS

        watch, masks = self.read(lambda data: (data.watches.get(run.watch_id), data.masks.of(run.watch_id)))
        kind = KINDS[watch.kind]
        return run_loop(lambda: explain(self.store, kind, watch, read_rules(kind, watch.rules), run, masks))

    def replay(self, watch: Watch, rules: Mapping[str, Any]) -> list[Replayed]:
        """The watch's stored versions under other rules; nothing is written."""
        from driftline.engine.drafting import read_rules
        from driftline.engine.replay import replay
        from driftline.kinds.registry import KINDS

        kind = KINDS[watch.kind]
        other, masks = read_rules(kind, rules), self.read(lambda data: data.masks.of(watch.id))
        return run_loop(lambda: replay(self.store, kind, watch, other, masks))

    def janitor(self) -> Janitor:
        """What cleans once a night."""
        from driftline.engine.retention import Janitor

        return Janitor(self._pruning(), self.clock, self.limits)

    def prune(self, limits: Limits) -> Pruned:
        """Clean now."""
        from driftline.engine.retention import prune

        return run_loop(lambda: prune(self._pruning(), limits, at=self.clock.now()))

    @property
    def limits(self) -> Limits:
        """The operator's own bounds on what is kept."""
        from driftline.policy.retention import Limits

        settings = self.settings
        return Limits(
            older_than_for=settings.keep_snapshots_for or None,
            versions=settings.keep_versions or None,
            max_bytes=settings.keep_bytes or None,
        )

    def _pruning(self) -> Pruning:
        from driftline.store.blobs import blobs_for
        from driftline.store.pruning import Pruning

        return Pruning(self.store.database, blobs_for(self.settings.blobs))

    def check(self, watch_ids: Sequence[UUID], listener: Listener) -> int:
        """Check these now; gives how many could be claimed."""

        async def all_of_them() -> int:
            async with self.worker(listener) as worker, _stopped_by_signals(worker):
                return await worker.check_now(list(watch_ids))

        return run_loop(all_of_them)

    def run(self, listener: Listener, *, once: bool) -> int:
        """Check what is due and send what follows, until stopped; gives the number of checks."""

        async def until_stopped() -> int:
            async with self.dispatcher() as dispatcher:

                async def tell(checked: Checked) -> None:
                    if checked.changes:
                        dispatcher.nudge()
                    await listener(checked)

                janitor = self.janitor()
                async with self.worker(tell) as worker, _stopped_by_signals(worker, dispatcher, janitor):
                    if once:
                        checks = await worker.run(once=True)
                        await dispatcher.run(once=True)
                        await janitor.run(once=True)
                        return checks
                    async with asyncio.TaskGroup() as all_three:
                        checking = all_three.create_task(worker.run())
                        all_three.create_task(dispatcher.run())
                        all_three.create_task(janitor.run())
                    return checking.result()

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


class _Stoppable(Protocol):
    def stop(self) -> None: ...


@asynccontextmanager
async def _stopped_by_signals(*parts: _Stoppable) -> AsyncIterator[None]:
    """SIGINT and SIGTERM let every part drain."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for part in parts:
            part.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _owner() -> str:
    """A name for this process in leases; never the same twice."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


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
