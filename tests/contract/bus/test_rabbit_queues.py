"""Queues as they are found on RabbitMQ."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aio_pika
import pytest
from aio_pika.exceptions import ChannelPreconditionFailed
from pamqp.common import FieldTable
from tests.contract.bus.test_bus import got, taken

from driftline.bus.ports import DEAD_LETTER, RETRIES
from driftline.bus.rabbit import RabbitBus
from driftline.errors import BusUnavailable


async def test_a_missing_queue_is_made_durable_and_quorum_with_a_delivery_limit(rabbit_url: str) -> None:
    bus = await RabbitBus.connect(rabbit_url)
    await bus.prepare("q")
    await bus.close()
    connection = await aio_pika.connect(rabbit_url)
    async with connection:
        less: tuple[FieldTable, ...] = ({}, {"x-queue-type": "quorum"}, {"x-queue-type": "quorum", "x-delivery-limit": 3})
        for arguments in less:
            channel = await connection.channel()
            with pytest.raises(ChannelPreconditionFailed):  # it has more than these
                await channel.declare_queue("q", durable=True, arguments=arguments)
        whole: FieldTable = {
            "x-queue-type": "quorum",
            "x-delivery-limit": 3,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": "dead_letter",
            "x-dead-letter-strategy": "at-least-once",
            "x-overflow": "reject-publish",
        }
        await (await connection.channel()).declare_queue("q", durable=True, arguments=whole)


async def test_a_classic_queue_is_used_as_it_is_with_a_warning_and_attempts_are_counted(
    rabbit_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    connection = await aio_pika.connect(rabbit_url)
    async with connection:
        await (await connection.channel()).declare_queue("old", durable=True)
    bus = await RabbitBus.connect(rabbit_url)
    with caplog.at_level(logging.WARNING, logger="driftline"):
        subscription = await bus.subscribe("old", prefetch=5)
    assert "the queue old is not as driftline makes queues" in caplog.text
    await bus.publish("old", b"poison", message_id="p", headers={"mine": "kept"})
    for attempt in range(RETRIES + 1):
        (one,) = await got(subscription)
        assert (one.attempts, one.message_id, one.headers["mine"]) == (attempt, "p", "kept")
        await one.retry()
    (dead,) = await taken(bus, DEAD_LETTER)
    assert dead.body == b"poison"
    reported = {name: value for name, value in dead.headers.items() if not name.startswith("x-")}
    assert reported == {"mine": "kept", "attempts": RETRIES + 1, "reason": "delivery_limit", "queue": "old"}
    await bus.close()


async def test_a_queue_that_was_deleted_is_made_again_at_the_next_attempt(rabbit_url: str) -> None:
    bus = await RabbitBus.connect(rabbit_url)
    await bus.publish("q", b"1", message_id="1")
    connection = await aio_pika.connect(rabbit_url)
    async with connection:
        await (await connection.channel()).queue_delete("q")
    with pytest.raises(BusUnavailable, match="refused a message"):
        await bus.publish("q", b"2", message_id="2")
    await bus.publish("q", b"2", message_id="2")
    (one,) = await taken(bus, "q")
    assert one.body == b"2"
    await bus.close()


async def test_a_listener_hears_that_its_queue_was_deleted(rabbit_url: str) -> None:
    bus = await RabbitBus.connect(rabbit_url)
    subscription = await bus.subscribe("q", prefetch=5)
    connection = await aio_pika.connect(rabbit_url)
    async with connection:
        await (await connection.channel()).queue_delete("q")
    with pytest.raises(BusUnavailable, match="lost"):
        await asyncio.wait_for(subscription.next(1), 60)
    await bus.close()


async def test_no_broker_is_one_clear_error() -> None:
    with pytest.raises(BusUnavailable, match="cannot be reached"):
        await RabbitBus.connect("amqp://guest:guest@127.0.0.1:1/")


@pytest.mark.parametrize("part", ["_connection", "_incoming", "_outgoing"])
async def test_a_broker_that_leaves_without_a_word_is_noticed(
    rabbit_url: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does that goes down between our connecting and our listening for that."""
    monkeypatch.setattr("driftline.bus.rabbit.CONNECTION_CHECK_EVERY", 0.01)
    bus = await RabbitBus.connect(rabbit_url)
    await bus.prepare("q")
    subscription = await bus.subscribe("q", prefetch=1)
    for one in (bus._connection, bus._incoming, bus._outgoing):
        one.close_callbacks.clear()
    await getattr(bus, part).close()
    async with asyncio.timeout(60):
        with pytest.raises(BusUnavailable):
            await subscription.next(1)
    with pytest.raises(BusUnavailable):
        await bus.publish("q", b"{}", message_id="1")
    await bus.close()


@pytest.mark.parametrize("reported", [True, False])
async def test_nobody_waits_for_a_broker_that_is_gone(rabbit_url: str, reported: bool) -> None:
    """As for an ack that is never written: the library waits for it as long as we live."""
    bus = await RabbitBus.connect(rabbit_url)
    await bus.prepare("q")
    begun = asyncio.Event()

    async def wait() -> None:
        async with bus.guarded():
            begun.set()
            await asyncio.Event().wait()

    waiting = asyncio.create_task(wait())
    await begun.wait()
    if not reported:
        bus._connection.close_callbacks.clear()
        bus._incoming.close_callbacks.clear()
        bus._outgoing.close_callbacks.clear()
    await bus._connection.close()
    with pytest.raises(BusUnavailable):
        await bus.publish("q", b"{}", message_id="1")
    async with asyncio.timeout(60):
        with pytest.raises(BusUnavailable, match="lost"):
            await waiting
    await bus.close()


async def test_a_broker_that_never_answers_is_gone(rabbit_url: str) -> None:
    bus = await RabbitBus.connect(rabbit_url)
    subscription = await bus.subscribe("q", prefetch=1)
    with pytest.raises(BusUnavailable, match="no answer within"):
        async with bus.guarded(within=0.01):
            await asyncio.Event().wait()
    with pytest.raises(BusUnavailable, match="no answer within"):
        await subscription.next(1)
    await bus.close()


async def test_a_broker_that_falls_silent_is_left(rabbit_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with falling_silent(rabbit_url) as (url, silence):
        bus = await RabbitBus.connect(url)
        await bus.publish("q", b"{}", message_id="1")
        silence.set()
        monkeypatch.setattr("driftline.bus.rabbit.CONFIRM_TIMEOUT", 0.2)
        with pytest.raises(BusUnavailable, match="no answer within"):
            await bus.publish("q", b"{}", message_id="2")
        monkeypatch.setattr("driftline.bus.rabbit.ANSWER_TIMEOUT", 0.2)
        await bus.close()


async def test_a_broker_that_goes_without_a_word_is_unavailable_whatever_we_were_at(rabbit_url: str) -> None:
    for pieces in range(1, 40):
        async with ending_after(pieces, rabbit_url) as url:
            with pytest.raises(BusUnavailable):
                await publish_for_ever(url)


async def publish_for_ever(url: str) -> None:
    bus = await RabbitBus.connect(url)
    try:
        await bus.subscribe("q", prefetch=1)
        while True:
            await bus.publish("q", b"{}", message_id="1")
    finally:
        await bus.close()


@pytest.mark.parametrize("raised", [Exception(), RuntimeError("closed"), asyncio.CancelledError()], ids=repr)
async def test_whatever_the_library_raises_the_bus_is_lost(rabbit_url: str, raised: BaseException) -> None:
    bus = await RabbitBus.connect(rabbit_url)
    with pytest.raises(BusUnavailable, match="lost"):
        async with bus.guarded():
            raise raised
    with pytest.raises(BusUnavailable, match="lost"):
        bus.check()
    await bus.close()


@asynccontextmanager
async def ending_after(pieces: int, url: str) -> AsyncIterator[str]:
    """A broker whose connections end together with so many pieces of what it says."""
    broker = urlsplit(url)

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_broker = await asyncio.open_connection(broker.hostname, broker.port)

        async def forth() -> None:
            while data := await reader.read(65536):
                to_broker.write(data)

        forward = asyncio.create_task(forth())
        for _ in range(pieces):
            writer.write(await there.read(65536))
        forward.cancel()
        writer.close()
        to_broker.close()

    server = await asyncio.start_server(meet, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    try:
        yield broker._replace(netloc=f"{broker.username}:{broker.password}@127.0.0.1:{port}").geturl()
    finally:
        server.close()


@asynccontextmanager
async def falling_silent(url: str) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """A broker behind a wire that passes nothing on from some moment."""
    silence = asyncio.Event()
    broker = urlsplit(url)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if not silence.is_set():
                writer.write(data)
        writer.close()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(broker.hostname, broker.port)
        await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer), return_exceptions=True)

    server = await asyncio.start_server(meet, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    try:
        yield broker._replace(netloc=f"{broker.username}:{broker.password}@127.0.0.1:{port}").geturl(), silence
    finally:
        server.close()
