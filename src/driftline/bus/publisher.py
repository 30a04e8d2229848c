"""A publisher that connects at the first message, and again after the broker was gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from driftline.bus.ports import Bus
from driftline.errors import BusUnavailable


class LazyPublisher:
    """`deliver.ports.Publisher` over any bus."""

    def __init__(self, connect: Callable[[], Awaitable[Bus]]) -> None:
        self._connect = connect
        self._bus: Bus | None = None
        self._connecting = asyncio.Lock()

    async def publish(self, topic: str, body: bytes, *, message_id: str) -> None:
        """Send and wait for the confirmation; after an error the caller sends again with the same id."""
        async with self._connecting:
            bus = self._bus = self._bus or await self._connect()
        try:
            await bus.publish(topic, body, message_id=message_id)
        except BusUnavailable:
            if self._bus is bus:
                self._bus = None
                await bus.close()
            raise

    async def close(self) -> None:
        """Close the connection."""
        bus, self._bus = self._bus, None
        if bus is not None:
            await bus.close()
