"""Builds the worker and everything that runs next to it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final
from uuid import UUID

from driftline.wiring.loop import Service, limit_heaps, owner, run_loop, stopped_by_signals
from driftline.wiring.watches import rule_defaults

if TYPE_CHECKING:
    from driftline.engine.check.context import Checked
    from driftline.engine.ports import Fetcher
    from driftline.engine.worker import Listener, Worker
    from driftline.model.watch import Watch
    from driftline.store.session import Session
    from driftline.store.views.watching.summaries import CheckProgress
    from driftline.wiring.app import App

_POLL_AFTER: Final = 0.2  # seconds between two queries for another worker's result
_CHANGES_SHOWN: Final = 10_000
_CLAIM_TRIES: Final = 3  # to claim a watch that no worker has


@asynccontextmanager
async def worker(
    app: App,
    listener: Listener | None = None,
    *,
    fetcher: Fetcher | None = None,
    alone: bool = False,
    beside_people: bool = False,
) -> AsyncIterator[Worker]:
    """A worker with an HTTP fetcher, its own unless it is given one, and closed at the end.

    What is large is computed in threads, unless people wait for the same loop (`beside_people`); more of it for a command
    (`alone`), which would wait longer for children to start.
    """
    from driftline.engine.check.checker import Checker
    from driftline.engine.jobs.expansion import Expander
    from driftline.engine.threads import ALONE, WORKING, Threads
    from driftline.engine.worker import Pace, Worker
    from driftline.kinds.registry import KINDS

    if not alone:
        limit_heaps()
    settings, defaults = app.settings, rule_defaults(app.settings)
    async with AsyncExitStack() as stack:
        checker = Checker(
            store=app.store,
            fetcher=await stack.enter_async_context(app.fetcher()) if fetcher is None else fetcher,
            pool=app.pool,
            threads=None if beside_people else Threads(ALONE if alone else WORKING),
            clock=app.clock,
            ids=app.ids,
            kinds=KINDS,
            calibrate_after=settings.calibrate_after,
            defaults=defaults,
            pictures=settings.pictures,
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


def check(app: App, watch_ids: Sequence[UUID], listener: Listener, *, theirs: Listener | None = None) -> list[Watch]:
    """Check these now, parents by their buckets. What another worker finds, `theirs` hears; it is waited for.

    Gives the watches that another worker still had in the end, or raises KeyboardInterrupt.
    """

    async def all_of_them() -> tuple[list[Watch], bool]:
        async with app.worker(listener, alone=True) as worker, stopped_by_signals(worker):
            busy = await _check_all(app, worker, app.leaves(watch_ids), theirs)
            found = set(app.found_children(watch_ids)).difference(watch_ids)
            if found and not worker.stopped:
                busy += await _check_all(app, worker, sorted(found), theirs)
            return busy, worker.stopped

    busy, stopped = run_loop(all_of_them)
    if stopped:
        raise KeyboardInterrupt
    return busy


async def _check_all(app: App, worker: Worker, leaves: Sequence[UUID], theirs: Listener | None) -> list[Watch]:
    """Check these; gives those that another worker still had in the end."""
    before = {one.watch.id: one.run_id for one in await _progress(app, leaves)}
    busy = set(leaves) - set(await worker.check_now(leaves))
    tries: Counter[UUID] = Counter()
    until = app.clock.monotonic() + app.settings.lease_for
    while theirs and busy and not worker.stopped and app.clock.monotonic() < until:
        await app.clock.sleep(_POLL_AFTER)
        progress = await _progress(app, busy)
        for one in progress:
            if one.run_id is not None and one.run_id != before[one.watch.id]:
                busy.remove(one.watch.id)
                await theirs(await _result(app, one))
        free = [one.watch.id for one in progress if one.watch.id in busy and not one.held]
        busy -= set(await worker.check_now(free)) if free else set()
        tries.update(free)
        busy -= {one for one, count in tries.items() if count >= _CLAIM_TRIES}  # not leased, and still cannot be claimed
    return [one.watch for one in await _progress(app, busy)]


async def _progress(app: App, watch_ids: Iterable[UUID]) -> list[CheckProgress]:
    ids, at = list(watch_ids), app.clock.now()
    return await app.store.read(lambda session: session.org(app.org.id).watches.progress(ids, at=at)) if ids else []


async def _result(app: App, one: CheckProgress) -> Checked:
    """What another worker found, as a result of this one."""
    from driftline.engine.check.context import Checked

    def find(session: Session) -> Checked:
        data = session.org(app.org.id)
        run = data.runs.get(one.run_id or "")
        changes = data.changes.page(run_id=run.id, limit=_CHANGES_SHOWN).rows
        return Checked(watch=one.watch, run=run, changes=changes)

    return await app.store.read(find)


def run(app: App, listener: Listener, *, once: bool, beside: Sequence[Service] = ()) -> int:
    """Check and deliver until stopped; returns the number of checks. `beside` are further services."""
    return run_loop(lambda: app.work(listener, once=once, beside=beside))


async def work(app: App, listener: Listener, *, once: bool, beside: Sequence[Service] = ()) -> int:
    """The same, inside a running event loop."""
    async with app.dispatcher() as dispatcher:

        async def notify(checked: Checked) -> None:
            if checked.changes:
                dispatcher.poll_now()
            await listener(checked)

        janitor, recovery = app.janitor(), app.recovery()
        summarizing = app.settings.summaries_at_once > 0
        async with (
            app.fetcher() as fetcher,
            app.worker(notify, fetcher=fetcher, beside_people=bool(beside)) as worker,
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
