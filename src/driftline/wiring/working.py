"""Checking what is due, with everything that runs beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from typing import TYPE_CHECKING
from uuid import UUID

from driftline.wiring.loop import Part, owner, run_loop, stopped_by_signals
from driftline.wiring.watches import rule_defaults

if TYPE_CHECKING:
    from driftline.engine.context import Checked
    from driftline.engine.ports import Fetcher
    from driftline.engine.worker import Listener, Worker
    from driftline.wiring.app import App


@asynccontextmanager
async def worker(app: App, listener: Listener | None = None, *, fetcher: Fetcher | None = None) -> AsyncIterator[Worker]:
    """A worker with a way out, its own unless it is given one; what is its own is closed at the end."""
    from driftline.engine.check import Checker
    from driftline.engine.expansion import Expander
    from driftline.engine.pool import Pool
    from driftline.engine.worker import Pace, Worker
    from driftline.kinds.registry import KINDS

    settings, defaults = app.settings, rule_defaults(app.settings)
    async with AsyncExitStack() as stack:
        pool = stack.enter_context(closing(Pool()))
        checker = Checker(
            store=app.store,
            fetcher=await stack.enter_async_context(app.fetcher()) if fetcher is None else fetcher,
            pool=pool,
            clock=app.clock,
            ids=app.ids,
            kinds=KINDS,
            calibrate_after=settings.calibrate_after,
            defaults=defaults,
        )
        pace = Pace(concurrency=settings.concurrency, lease_for=settings.lease_for, drain_for=settings.drain_for)
        yield Worker(
            store=app.store,
            checker=checker,
            expander=Expander(store=app.store, clock=app.clock, ids=app.ids, kinds=KINDS, defaults=defaults),
            clock=app.clock,
            owner=owner(),
            pace=pace,
            listener=listener,
        )


def check(app: App, watch_ids: Sequence[UUID], listener: Listener) -> int:
    """Check these now, parents by their buckets; gives how many could be claimed, or raises KeyboardInterrupt."""

    async def all_of_them() -> tuple[int, bool]:
        async with app.worker(listener) as worker, stopped_by_signals(worker):
            return await worker.check_now(app.leaves(watch_ids)), worker.stopped

    claimed, stopped = run_loop(all_of_them)
    if stopped:
        raise KeyboardInterrupt
    return claimed


def run(app: App, listener: Listener, *, once: bool, beside: Sequence[Part] = ()) -> int:
    """Check what is due and send what follows, until stopped; gives the number of checks. `beside` runs along."""
    return run_loop(lambda: app.work(listener, once=once, beside=beside))


async def work(app: App, listener: Listener, *, once: bool, beside: Sequence[Part] = ()) -> int:
    """The same, for a loop in which more is to happen."""
    async with app.dispatcher() as dispatcher:

        async def tell(checked: Checked) -> None:
            if checked.changes:
                dispatcher.nudge()
            await listener(checked)

        janitor, recovery = app.janitor(), app.recovery()
        summarizing = app.settings.summaries_at_once > 0
        async with (
            app.fetcher() as fetcher,
            app.worker(tell, fetcher=fetcher) as worker,
            app.summaries(fetcher=fetcher) as summaries,
            stopped_by_signals(worker, dispatcher, janitor, recovery, summaries, *beside),
        ):
            if once:
                checks = await worker.run(once=True)
                await recovery.run(once=True)
                if summarizing:
                    await summaries.fill()
                await dispatcher.run(once=True)
                await janitor.run(once=True)
                return checks
            async with asyncio.TaskGroup() as everybody:
                checking = everybody.create_task(worker.run())
                everybody.create_task(dispatcher.run())
                everybody.create_task(janitor.run())
                everybody.create_task(recovery.run())
                if summarizing:
                    everybody.create_task(summaries.run())
                for part in beside:
                    everybody.create_task(part.run())
            return checking.result()
