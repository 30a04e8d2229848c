"""Settings -> concrete parts. The only composer: nobody else knows which store, fetcher or clock is behind a protocol."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from copy import copy
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from driftline.core.fingerprint import digest
from driftline.core.ids import make_ids
from driftline.engine.clock import SystemClock
from driftline.engine.crash import arm
from driftline.engine.ports import Clock, Ids
from driftline.errors import BadRule, BadSetting
from driftline.model.watch import Watch
from driftline.settings import Settings, load
from driftline.store.drivers import Sqlite
from driftline.store.rows import NewWatch, Page
from driftline.store.store import Store

if TYPE_CHECKING:
    from driftline.bus.agent import Agent
    from driftline.deliver.dispatch import Dispatcher
    from driftline.deliver.ports import Courier
    from driftline.engine.context import Checked
    from driftline.engine.drafting import Draft, Wish
    from driftline.engine.explain import Explanation
    from driftline.engine.ingest import Ingested, Ingestor
    from driftline.engine.ports import Expansion, Fetcher
    from driftline.engine.rejudge import Recovery, Rejudge
    from driftline.engine.replay import Replayed
    from driftline.engine.retention import Janitor
    from driftline.engine.summaries import Filled, Summaries
    from driftline.engine.worker import Listener, Worker
    from driftline.fetch.http import HttpFetcher
    from driftline.model.account import Org
    from driftline.model.delivery import ChannelKind
    from driftline.model.run import Run
    from driftline.policy.retention import Limits, Pruned
    from driftline.store.database import Database
    from driftline.store.pruning import Pruning
    from driftline.store.session import OrgData

T = TypeVar("T")

# Trees and memos of hundreds of pages in flight are no garbage: looking through them as often as Python does by itself costs an
# eighth of all CPU. What is in cycles waits a little longer, memory stays flat.
_COLLECTED_AT = (50_000, 20, 50)

RABBIT_URL = "amqp://guest:guest@rabbitmq:5672"  # of the agent, where nobody says another


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
            for fresh in new:
                if data.expand(fresh.id, self._buckets(at), ids=self.ids, at=at) and not data.watches.children(fresh.id):
                    raise BadRule("no bucket lies ahead", url=fresh.url, hint="name dates that are still to come")
            for watch_id in paused:
                data.watches.pause(watch_id, at=at)
            return data.watches.some([fresh.id for fresh in new])

        return store

    def leaves(self, watch_ids: Sequence[UUID]) -> list[UUID]:
        """What is checked when these are: parents stand for their buckets, which are brought up to date first."""
        at = self.clock.now()

        def find(data: OrgData) -> list[UUID]:
            found: dict[UUID, None] = {}
            parents = data.watches.parents_among(watch_ids)
            for watch_id in watch_ids:
                if watch_id in parents:
                    data.expand(watch_id, self._buckets(at), ids=self.ids, at=at)
                    children = data.watches.children(watch_id)
                    found |= dict.fromkeys(child.id for child in children if child.retired_at is None)
                else:
                    found[watch_id] = None
            return list(found)

        return self.write(find)

    def _buckets(self, at: datetime) -> Callable[[Watch], Expansion | None]:
        from driftline.engine.expansion import expansion_of
        from driftline.kinds.registry import KINDS

        return lambda watch: expansion_of(watch, KINDS, self.rule_defaults, at=at)

    @property
    def rule_defaults(self) -> Mapping[str, Mapping[str, Any]]:
        """By kind: rules that hold where a watch says nothing."""
        settings = self.settings
        return {
            "availability": {
                "party_sizes": settings.discovery_party_sizes,
                "dedupe_for": settings.notified_dedupe_minutes * 60,
            }
        }

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
    async def worker(self, listener: Listener | None = None, *, fetcher: Fetcher | None = None) -> AsyncIterator[Worker]:
        """A worker with a way out, its own unless it is given one; what is its own is closed at the end."""
        from driftline.engine.check import Checker
        from driftline.engine.expansion import Expander
        from driftline.engine.pool import Pool
        from driftline.engine.worker import Pace, Worker
        from driftline.kinds.registry import KINDS

        settings, defaults = self.settings, self.rule_defaults
        async with AsyncExitStack() as stack:
            pool = stack.enter_context(closing(Pool()))
            checker = Checker(
                store=self.store,
                fetcher=await stack.enter_async_context(self.fetcher()) if fetcher is None else fetcher,
                pool=pool,
                clock=self.clock,
                ids=self.ids,
                kinds=KINDS,
                calibrate_after=settings.calibrate_after,
                defaults=defaults,
            )
            pace = Pace(concurrency=settings.concurrency, lease_for=settings.lease_for, drain_for=settings.drain_for)
            yield Worker(
                store=self.store,
                checker=checker,
                expander=Expander(store=self.store, clock=self.clock, ids=self.ids, kinds=KINDS, defaults=defaults),
                clock=self.clock,
                owner=_owner(),
                pace=pace,
                listener=listener,
            )

    def fetcher(self, *, allow_hosts: Sequence[str] = ()) -> HttpFetcher:
        """A way out over HTTP, to be closed; `allow_hosts` are the operator's own endpoints."""
        from driftline.fetch.egress import Egress
        from driftline.fetch.http import HttpFetcher, Limits
        from driftline.fetch.politeness import Manners

        settings = self.settings
        limits = Limits(total_for=settings.timeout_for, max_bytes=settings.max_bytes, user_agent=settings.user_agent)
        manners = Manners(at_once=settings.per_host, apart_for=settings.host_interval_for)
        egress = Egress((*settings.allow_hosts, *allow_hosts))
        return HttpFetcher(egress, self.clock, limits=limits, manners=manners, proxies=settings.proxies)

    @asynccontextmanager
    async def summaries(self, *, fetcher: Fetcher | None = None) -> AsyncIterator[Summaries]:
        """Who fills empty summaries, locally or through the model that the settings name."""
        from driftline.engine.models import ChatModel
        from driftline.engine.summaries import LocalWriter, Summaries
        from driftline.store.summaries import SummaryDesk

        settings = self.settings
        local, model = LocalWriter(), None
        async with AsyncExitStack() as stack:
            if "openai" in (settings.summarizer, settings.classifier):
                place = urlsplit(settings.model_url)
                allowed = f"{place.hostname}:{place.port or (443 if place.scheme == 'https' else 80)}"
                model = ChatModel(
                    await stack.enter_async_context(self.fetcher(allow_hosts=(allowed,))),
                    base_url=settings.model_url,
                    model=settings.model_name,
                    key=settings.model_key,
                    timeout_for=settings.model_timeout_for,
                )
            yield Summaries(
                store=SummaryDesk(self.store.database),
                fetcher=await stack.enter_async_context(self.fetcher()) if fetcher is None else fetcher,
                clock=self.clock,
                writer=model if model and settings.summarizer == "openai" else local,
                classifier=model if model and settings.classifier == "openai" else local,
                at_once=max(settings.summaries_at_once, 1),
            )

    def summarize(self, *, watch_id: UUID | None = None, limit: int | None = None) -> Filled:
        """Fill the summaries that wait and are due."""

        async def fill() -> Filled:
            async with self.summaries() as summaries, _stopped_by_signals(summaries):
                return await summaries.fill(watch_id=watch_id, limit=limit)

        return run_loop(fill)

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
            couriers: dict[ChannelKind, Courier] = {
                "email": mail,
                "webhook": WebhookCourier(poster, self.clock),
                "apprise": chat,
            }
            if settings.rabbit_url:
                from driftline.bus.publisher import LazyPublisher
                from driftline.bus.rabbit import RabbitBus
                from driftline.deliver.bus import BusCourier

                publisher = LazyPublisher(partial(RabbitBus.connect, settings.rabbit_url))
                stack.push_async_callback(publisher.close)
                couriers["bus"] = BusCourier(publisher)
            yield couriers

    @asynccontextmanager
    async def dispatcher(self) -> AsyncIterator[Dispatcher]:
        """A sender with its couriers; closed at the end."""
        from driftline.deliver.dispatch import Dispatcher, Hold
        from driftline.deliver.journal import Journal
        from driftline.store.mailroom import Mailroom

        async with self.couriers() as couriers:
            yield Dispatcher(
                mailroom=Mailroom(self.store.database),
                couriers=couriers,
                clock=self.clock,
                owner=_owner(),
                journal=Journal(_journal_folder(self.settings, self.store.database)),
                hold=Hold(lease_for=self.settings.delivery_lease_for, drain_for=self.settings.drain_for),
            )

    def deliver(self, *, once: bool) -> int:
        """Send what is due, once or until stopped; gives how many letters were taken."""

        async def until_stopped() -> int:
            async with self.dispatcher() as dispatcher, _stopped_by_signals(dispatcher):
                return await dispatcher.run(once=once)

        return run_loop(until_stopped)

    def agent(self) -> Agent:
        """The queue agent, to be run."""
        from driftline.bus.agent import Agent
        from driftline.bus.rabbit import RabbitBus
        from driftline.bus.relay import Relay
        from driftline.bus.verdict import Judge, Queues
        from driftline.kinds.page.rules import PageRules
        from driftline.store.inbox import Inbox
        from driftline.store.outbox import Outbox

        settings, database = self.settings, self.store.database
        queues = Queues(
            input=settings.input_queue,
            price_update=settings.price_update_queue,
            notify=settings.notify_queue,
            storage=settings.storage_queue,
        )
        rules = PageRules(sensitivity="threshold", text_threshold=settings.text_diff_threshold)
        said = {"sensitivity": rules.sensitivity, "text_threshold": rules.text_threshold}
        inbox = Inbox.open(database, self.ids, org_id=self.org.id, queue=queues.input, rules=said, at=self.clock.now())
        return Agent(
            connect=partial(RabbitBus.connect, settings.rabbit_url or RABBIT_URL),
            inbox=inbox,
            relay=Relay(Outbox(database), self.clock, _owner(), lease_for=settings.delivery_lease_for),
            judge=Judge(queues=queues, rules=rules, features=inbox.features, ids=self.ids),
            clock=self.clock,
            drain_for=settings.drain_for,
        )

    def run_agent(self) -> Mapping[str, int]:
        """Until stopped; what became of how many messages."""

        async def until_stopped() -> Mapping[str, int]:
            agent = self.agent()
            async with _stopped_by_signals(agent):
                return await agent.run()

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

    def ingest(
        self, reference: str | UUID, rows: Iterable[bytes] | Iterable[Mapping[str, Any]], *, strict: bool = False, **said: Any
    ) -> Ingested:
        """Record a run that a crawler pushes: the pieces of a file (JSON or JSON lines), or its products as values.

        `said` is what the envelope would say: run_key, started_at, completed_at, status.
        """
        from driftline.engine.pushed import pushable

        watch = self.read(lambda data: data.watches.get(reference))
        with closing(pushable(watch)) as pushed, self.ingestor() as ingestor:
            pushed.take(rows, strict=strict, said=said)
            return run_loop(lambda: ingestor.ingest(watch, pushed))

    @contextmanager
    def ingestor(self) -> Iterator[Ingestor]:
        """What records pushed runs."""
        from driftline.engine.ingest import Ingestor
        from driftline.engine.pool import Pool
        from driftline.kinds.registry import KINDS
        from driftline.store.run_store import RunStore

        with closing(Pool()) as pool:
            yield Ingestor(
                store=self.store,
                runs=RunStore(self.store.database),
                pool=pool,
                clock=self.clock,
                ids=self.ids,
                kinds=KINDS,
                owner=_owner(),
                lease_for=self.settings.lease_for,
            )

    def rejudge(self) -> Rejudge:
        """What judges runs of catalogs from stored rows."""
        from driftline.engine.rejudge import Rejudge
        from driftline.kinds.registry import KINDS
        from driftline.store.run_store import RunStore

        runs = RunStore(self.store.database)
        return Rejudge(store=self.store, runs=runs, kind=KINDS["catalog"], clock=self.clock, ids=self.ids)

    def recovery(self) -> Recovery:
        """What looks for runs that nobody judged."""
        from driftline.engine.rejudge import Recovery

        return Recovery(self.rejudge(), self.clock)

    def check(self, watch_ids: Sequence[UUID], listener: Listener) -> int:
        """Check these now, parents by their buckets; gives how many could be claimed."""

        async def all_of_them() -> int:
            async with self.worker(listener) as worker, _stopped_by_signals(worker):
                return await worker.check_now(self.leaves(watch_ids))

        return run_loop(all_of_them)

    def run(self, listener: Listener, *, once: bool, beside: Sequence[Part] = ()) -> int:
        """Check what is due and send what follows, until stopped; gives the number of checks. `beside` runs along."""
        return run_loop(lambda: self.work(listener, once=once, beside=beside))

    async def work(self, listener: Listener, *, once: bool, beside: Sequence[Part] = ()) -> int:
        """The same, for a loop in which more is to happen."""
        async with self.dispatcher() as dispatcher:

            async def tell(checked: Checked) -> None:
                if checked.changes:
                    dispatcher.nudge()
                await listener(checked)

            janitor, recovery = self.janitor(), self.recovery()
            summarizing = self.settings.summaries_at_once > 0
            async with (
                self.fetcher() as fetcher,
                self.worker(tell, fetcher=fetcher) as worker,
                self.summaries(fetcher=fetcher) as summaries,
                _stopped_by_signals(worker, dispatcher, janitor, recovery, summaries, *beside),
            ):
                if once:
                    checks = await worker.run(once=True)
                    await recovery.run(once=True)
                    if summarizing:
                        await summaries.fill()
                    await dispatcher.run(once=True)
                    await janitor.run(once=True)
                    return checks
                async with asyncio.TaskGroup() as everybody:
                    checking = everybody.create_task(worker.run())
                    everybody.create_task(dispatcher.run())
                    everybody.create_task(janitor.run())
                    everybody.create_task(recovery.run())
                    if summarizing:
                        everybody.create_task(summaries.run())
                    for part in beside:
                        everybody.create_task(part.run())
                return checking.result()


def run_alone(part: Part) -> None:
    """Run one part until it is stopped."""

    async def until_stopped() -> None:
        async with _stopped_by_signals(part):
            await part.run()

    run_loop(until_stopped)


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
    gc.set_threshold(*_COLLECTED_AT)
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    if find_spec("uvloop"):
        from uvloop import new_event_loop as factory
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main())


class _Stoppable(Protocol):
    def stop(self) -> None: ...


class Part(_Stoppable, Protocol):
    """What runs beside the worker until it is stopped."""

    async def run(self) -> object:
        """Until `stop` is called."""


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


def _journal_folder(settings: Settings, database: Database) -> Path | None:
    """One a database: beside the file, else by the address."""
    if isinstance(database.driver, Sqlite):
        return database.driver.path.with_name(f"{database.driver.path.name}-sent")
    return Path(settings.journal) / digest(settings.db.encode()).hex() if settings.journal else None


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
