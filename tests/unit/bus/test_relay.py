"""The relay beside a broker that falls silent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import cast
from uuid import UUID

import pytest

from driftline.bus.ports import Bus
from driftline.bus.relay import Relay
from driftline.engine.clock import SystemClock
from driftline.errors import BusUnavailable
from driftline.model.passing import Outgoing


class OneLeft:
    """An outbox with one message that nobody has confirmed."""

    async def claim(self, owner: str, limit: int, *, at: datetime, until_at: datetime, mine: bool) -> Sequence[Outgoing]:
        return [Outgoing(UUID(int=1), "notify", b"{}")]

    async def sent(self, ids: Sequence[UUID]) -> None:
        raise AssertionError("nothing was confirmed")


class Silent:
    """A broker that takes messages and never confirms one."""

    async def publish(self, topic: str, body: bytes, *, message_id: str) -> None:
        await asyncio.Event().wait()


async def test_a_broker_that_never_confirms_is_left() -> None:
    relay = Relay(OneLeft(), SystemClock(), "me", confirmed_within=0.01)
    async with asyncio.timeout(10):
        with pytest.raises(BusUnavailable):
            await relay.run(cast("Bus", Silent()))
