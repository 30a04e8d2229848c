"""An agent in a user's words: send pages, see what the queues say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.services import Services

from driftline.bus.agent import Agent
from driftline.bus.memory import Broker, MemoryBus
from driftline.bus.ports import Bus
from driftline.bus.rabbit import RabbitBus
from driftline.bus.relay import Relay
from driftline.bus.verdict import Judge, Queues
from driftline.kinds.page.rules import PageRules
from driftline.settings import Settings
from driftline.store.queues.inbox import Inbox
from driftline.store.queues.outbox import Outbox
from driftline.wiring import App

PATIENCE = 60.0
QUEUES = Queues()
OUTPUTS = (QUEUES.price_update, QUEUES.notify, QUEUES.storage, "dead_letter")


UNCHANGED = {  # what storage hears when the example comes again as version 4, beside the page
    "jobId": "abc123",
    "url": "https://example.com/p/12",
    "hasChanges": False,
    "previousVersion": 3,
    "currentVersion": 4,
    "snapshotHash": "1be6fa09",
    "version": {"previous": 3, "current": 4},
}


def example(**other: Any) -> dict[str, Any]:
    """The message of the pipeline's documents."""
    return {
        "jobId": "abc123",
        "url": "https://example.com/p/12",
        "parsed": {
            "title": "iPhone 13",
            "text": "Latest model...",
            "images": ["https://example.com/i/1.png"],
            "metadata": {"og:title": "iPhone 13"},
            "priceCandidates": ["₹79999"],
        },
        "classification": {"type": "product", "confidence": 0.92},
        "snapshotHash": "1be6fa09",
        "version": 3,
    } | other


def with_page(said: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """What storage hears: the verdict, and the page as it came."""
    return said | {"parsed": message["parsed"], "classification": message["classification"]}


def parsed(**other: Any) -> dict[str, Any]:
    """The example's page, with differences."""
    page: dict[str, Any] = example()["parsed"]
    return page | other


async def until(ready: Callable[[], bool]) -> None:
    """It is so; an agent that does nothing is a failure and not a test that hangs."""
    async with asyncio.timeout(PATIENCE):
        while not ready():  # noqa: ASYNC110 - counters and queues tell nobody that they moved
            await asyncio.sleep(0.005)


class Post:
    """The pipeline around the agent."""

    def __init__(self, app: App, connect: Callable[[], Awaitable[Bus]]) -> None:
        self.app = app
        self.connect = connect

    def agent(self, *, owner: str = "agent", retry_after: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Agent:
        """An agent on the same queues and the same store."""
        app, rules = self.app, PageRules(sensitivity="threshold")
        said = {"sensitivity": "threshold"}
        inbox = Inbox.open(app.store.database, app.ids, org_id=app.org.id, queue=QUEUES.input, rules=said, at=app.clock.now())
        return Agent(
            connect=self.connect,
            inbox=inbox,
            relay=Relay(Outbox(app.store.database), app.clock, owner),
            judge=Judge(queues=QUEUES, rules=lambda: rules, features=inbox.features, ids=app.ids),
            share=app.pool.share(app.org.id),
            clock=app.clock,
            retry_after=retry_after,
        )

    @asynccontextmanager
    async def running(self, agent: Agent | None = None) -> AsyncIterator[Agent]:
        """An agent at work; drained at the end."""
        agent = agent or self.agent()
        task = asyncio.create_task(agent.run())
        try:
            yield agent
        finally:
            agent.stop()
            await asyncio.wait_for(task, PATIENCE)

    async def send(self, *messages: dict[str, Any] | bytes) -> None:
        """Put messages on the input queue."""
        bus = await self.connect()
        for number, message in enumerate(messages):
            body = message if isinstance(message, bytes) else msgspec.json.encode(message)
            await bus.publish(QUEUES.input, body, message_id=f"in-{number}")
        await bus.close()

    async def ask(self, *messages: dict[str, Any] | bytes, agent: Agent | None = None) -> dict[str, list[Any]]:
        """Send, let an agent deal with it, drain it; what the output queues say, by queue."""
        await self.send(*messages)
        async with self.running(agent) as working:
            await until(lambda: working.counts.total() - working.counts["retried"] >= len(messages))
        return await self.said()

    async def said(self) -> dict[str, list[Any]]:
        """What lies in the output queues, taken from them."""
        found: dict[str, list[Any]] = {}
        for queue, received in (await self.received()).items():
            found[queue] = [msgspec.json.decode(one.body) for one in received] if queue != "dead_letter" else received
        return {queue: messages for queue, messages in found.items() if messages}

    async def received(self) -> dict[str, list[Any]]:
        """The messages themselves."""
        bus = await self.connect()
        found = {queue: list(await bus.take(queue, 100_000)) for queue in OUTPUTS}
        for one in (message for messages in found.values() for message in messages):
            await one.ack()
        await bus.close()
        return found


@pytest.fixture
def app(database_url: str) -> Iterator[App]:
    opened = App(Settings(db=database_url))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def sqlite_app(services: Services, tmp_path: Path) -> Iterator[App]:
    opened = App(Settings(db=services.migrated_file(tmp_path / "driftline.db")))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def post(app: App) -> Post:
    """In-process queues, both databases."""
    broker = Broker()

    async def connect() -> Bus:
        return MemoryBus(broker)

    return Post(app, connect)


@pytest.fixture
def rabbit_post(sqlite_app: App, rabbit_url: str) -> Post:
    """A real RabbitMQ."""
    return Post(sqlite_app, lambda: RabbitBus.connect(rabbit_url))
