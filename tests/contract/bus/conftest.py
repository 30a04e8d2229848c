"""Each bus, to be connected to as often as a test likes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from driftline.bus.memory import Broker, MemoryBus
from driftline.bus.ports import Bus
from driftline.bus.rabbit import RabbitBus

Connect = Callable[[], Awaitable[Bus]]


@pytest.fixture(params=["memory", "rabbit"])
async def connect(request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    """Connects to the same queues each time; all are closed at the end."""
    opened: list[Bus] = []
    broker = Broker()
    url = request.getfixturevalue("rabbit_url") if request.param == "rabbit" else ""

    async def one() -> Bus:
        bus: Bus = await RabbitBus.connect(url) if url else MemoryBus(broker)
        opened.append(bus)
        return bus

    yield one
    for bus in opened:
        await bus.close()
