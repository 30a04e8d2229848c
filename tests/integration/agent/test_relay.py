"""The outbox's way to a broker that does not take everything."""

from __future__ import annotations

import asyncio
import logging
from uuid import UUID

import aio_pika
import pytest
from tests.integration.agent.conftest import until

from driftline.bus.rabbit import RabbitBus
from driftline.bus.relay import Relay
from driftline.engine.clock import SystemClock
from driftline.model.agent import Outgoing
from driftline.store.db.database import Database, Tx
from driftline.store.queues import outbox


async def test_a_message_that_the_broker_refuses_is_tried_once_a_lease_and_holds_up_no_other(
    database_url: str, rabbit_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with await aio_pika.connect(rabbit_url) as connection:
        full = await connection.channel()
        await full.declare_queue("full", durable=True, arguments={"x-max-length": 1, "x-overflow": "reject-publish"})
        await full.default_exchange.publish(aio_pika.Message(b"sits here"), "full")
    database, bus = Database.open(database_url), await RabbitBus.connect(rabbit_url)
    relay = Relay(outbox.Outbox(database), SystemClock(), "one")
    messages = [Outgoing(UUID(int=1), "full", b"refused"), Outgoing(UUID(int=2), "free", b"taken")]

    def left(tx: Tx) -> int:
        return int(tx.row("SELECT count(*) FROM outbox")[0])

    def committed(tx: Tx, _: object) -> list[None]:
        outbox.put(tx, messages, owner="one", until_at=relay.lease_until())
        return [None]

    database.write_now(committed, None)
    with caplog.at_level(logging.WARNING, logger="driftline"):
        running = asyncio.create_task(relay.run(bus))
        await until(lambda: relay.published == 1)
        relay.put([Outgoing(UUID(int=3), "free", b"comes later")])  # only reached when the first round has an end
        await until(lambda: relay.published == 2)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    refusals = [record.getMessage() for record in caplog.records if "was refused" in record.getMessage()]
    assert len(refusals) == 1
    assert "the broker refused a message" in refusals[0]
    assert database.read_now(left) == 1  # the refused one, for a later sweep
    await bus.close()
    database.close()
