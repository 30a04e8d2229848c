"""Builds the dispatcher and its channels."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from driftline.wiring.loop import owner, run_loop, stopped_by_signals
from driftline.wiring.summarizing import change_judge

if TYPE_CHECKING:
    from driftline.deliver.dispatch.dispatcher import Dispatcher
    from driftline.wiring.app import App


@asynccontextmanager
async def dispatcher(app: App) -> AsyncIterator[Dispatcher]:
    """A dispatcher with its transports; closed at the end."""
    from driftline.deliver.dispatch.dispatcher import Dispatcher, Hold
    from driftline.engine.advising import ReportAdvisor
    from driftline.store.queues.delivery_queue import DeliveryQueue

    async with app.transports() as transports, change_judge(app) as judge:
        yield Dispatcher(
            queue=DeliveryQueue(app.store.database),
            transports=transports,
            clock=app.clock,
            owner=owner(),
            advisor=ReportAdvisor(blob=app.store.blob, pool=app.pool, judge=judge),
            hold=Hold(lease_for=app.settings.delivery_lease_for, drain_for=app.settings.drain_for),
        )


def deliver(app: App, *, once: bool) -> int:
    """Send what is due, once or until stopped; returns the number of messages sent."""

    async def until_stopped() -> int:
        async with app.dispatcher() as dispatcher, stopped_by_signals(dispatcher):
            return await dispatcher.run(once=once)

    return run_loop(until_stopped)
