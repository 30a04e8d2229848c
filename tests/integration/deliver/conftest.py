"""Deliveries end to end: subscribers on both databases, a webhook sink, a mail server, and a clock that the test moves."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime

import pytest
from tests.contract.store.world import World
from tests.sinks import Sink, sink
from tests.subscribers import Subscribers

from driftline.deliver.channels.smtp import EmailTransport, MailRelay
from driftline.deliver.channels.webhook import WebhookTransport
from driftline.deliver.dispatch.breaker import Breakers
from driftline.deliver.dispatch.dispatcher import PATIENCE, Dispatcher, Hold
from driftline.fetch.egress import Egress
from driftline.fetch.post import HttpPoster
from driftline.policy.retry import Patience
from driftline.store.store import Store


class WorldClock:
    """The test's own time; only waiting is real, and short."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> datetime:
        return self._world.now

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.25))


class Notifier(Subscribers):
    """People whose messages go out."""

    relay: MailRelay | None = None
    trust: ssl.SSLContext | None = None
    patience: Patience = PATIENCE
    timeout_for = 2.0
    allow_hosts: tuple[str, ...] = ("127.0.0.1",)

    def __init__(self, world: World, **given: object) -> None:
        super().__init__(world, **given)  # type: ignore[arg-type] # features alone
        self.clock = WorldClock(world)
        self.breakers = Breakers()

    async def send(self) -> int:
        """Send what is due now; how many messages were taken."""
        async with self._dispatcher() as dispatcher:
            return await dispatcher.run(once=True)

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """A sender at work, as in `driftline run`; what is under way at the end is cut off."""
        async with self._dispatcher(drain_for=0.05) as dispatcher:
            running = asyncio.create_task(dispatcher.run())
            try:
                yield
            finally:
                dispatcher.stop()
                await running

    @asynccontextmanager
    async def _dispatcher(self, drain_for: float = 5.0) -> AsyncIterator[Dispatcher]:
        mail = EmailTransport(self.relay, trust=self.trust)
        async with HttpPoster(Egress(self.allow_hosts), self.clock, total_for=self.timeout_for) as poster:
            try:
                yield Dispatcher(
                    queue=self.queue,
                    transports={"email": mail, "webhook": WebhookTransport(poster, self.clock)},
                    clock=self.clock,
                    owner="sender",
                    breakers=self.breakers,
                    patience=self.patience,
                    hold=Hold(lease_for=30.0, drain_for=drain_for),
                )
            finally:
                await mail.close()


@pytest.fixture
def world(database_url: str) -> Iterator[World]:
    store = Store.open(database_url)
    yield World(store)
    store.close()


@pytest.fixture
def notifier(world: World) -> Notifier:
    return Notifier(world)


@pytest.fixture
def receiver() -> Iterator[Sink]:
    with sink() as found:
        yield found
