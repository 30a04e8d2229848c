"""Events of every kind reach the bus: a channel of the kind `bus`, over a real RabbitMQ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.contract.store.world import World
from tests.subscribers import Subscribers

from driftline.bus.rabbit import RabbitBus
from driftline.settings import Settings
from driftline.wiring import App


@pytest.fixture
def app(tmp_path: Path, rabbit_url: str) -> Iterator[App]:
    opened = App(Settings(db=f"sqlite:///{tmp_path / 'driftline.db'}", rabbit_url=rabbit_url))
    try:
        yield opened
    finally:
        opened.close()


async def test_a_report_reaches_its_topic_confirmed_and_under_the_deliverys_id(app: App, rabbit_url: str) -> None:
    subscribers = Subscribers(World(app.store))
    watch, user = subscribers.watch(), subscribers.user()
    subscribers.channel(user, kind="bus", target="driftline.events")
    subscribers.subscribe(user, watch)
    await subscribers.report(watch)
    async with app.dispatcher() as dispatcher:
        await dispatcher.run(once=True)
    (delivery,) = subscribers.deliveries()
    assert delivery.state == "sent"
    bus = await RabbitBus.connect(rabbit_url)
    (event,) = await bus.take("driftline.events", 10)
    await bus.close()
    assert event.message_id == str(delivery.id)
    assert str(watch.id) in str(msgspec.json.decode(event.body))


async def test_without_a_broker_the_delivery_waits_for_another_attempt(app: App) -> None:
    away = App(msgspec.structs.replace(app.settings, rabbit_url="amqp://guest:guest@127.0.0.1:1/"))
    subscribers = Subscribers(World(away.store))
    watch, user = subscribers.watch(), subscribers.user()
    subscribers.channel(user, kind="bus", target="driftline.events")
    subscribers.subscribe(user, watch)
    await subscribers.report(watch)
    async with away.dispatcher() as dispatcher:
        await dispatcher.run(once=True)
    (delivery,) = subscribers.deliveries()
    away.close()
    assert (delivery.state, delivery.attempts) == ("retrying", 1)
    assert delivery.reason == "bus: RabbitMQ cannot be reached"
