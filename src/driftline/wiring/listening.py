"""Builds the queue agent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from driftline.wiring.loop import owner, run_loop, stopped_by_signals

if TYPE_CHECKING:
    from driftline.bus.agent import Agent
    from driftline.kinds.page.rules import PageRules
    from driftline.wiring.app import App

RABBIT_URL = "amqp://guest:guest@rabbitmq:5672"  # the default


def agent(app: App) -> Agent:
    """The queue agent."""
    from driftline.bus.agent import Agent
    from driftline.bus.rabbit import RabbitBus
    from driftline.bus.relay import Relay
    from driftline.bus.verdict import Judge, Queues
    from driftline.store.queues.inbox import Inbox
    from driftline.store.queues.outbox import Outbox

    settings, database = app.settings, app.store.database
    queues = Queues(
        input=settings.input_queue,
        price_update=settings.price_update_queue,
        notify=settings.notify_queue,
        storage=settings.storage_queue,
    )
    agent_rules = {"sensitivity": "threshold", "text_threshold": settings.text_diff_threshold}
    inbox = Inbox.open(database, app.ids, org_id=app.org.id, queue=queues.input, rules=agent_rules, at=app.clock.now())
    return Agent(
        connect=partial(RabbitBus.connect, settings.rabbit_url or RABBIT_URL),
        inbox=inbox,
        relay=Relay(Outbox(database), app.clock, owner(), lease_for=settings.delivery_lease_for),
        judge=Judge(queues=queues, rules=partial(_rules, settings.text_diff_threshold), features=inbox.features, ids=app.ids),
        share=app.pool.share(app.org.id),
        clock=app.clock,
        drain_for=settings.drain_for,
    )


@cache
def _rules(text_threshold: float) -> PageRules:
    """The rules, parsed with the first page that has to be compared."""
    from driftline.kinds.page.rules import PageRules

    return PageRules(sensitivity="threshold", text_threshold=text_threshold)


def run_agent(app: App) -> Mapping[str, int]:
    """Run until stopped; returns how many messages ended in which way."""

    async def until_stopped() -> Mapping[str, int]:
        agent = app.agent()
        async with stopped_by_signals(agent):
            return await agent.run()

    return run_loop(until_stopped)
