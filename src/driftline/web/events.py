"""Changes as they are recorded, to whoever listens: one look at the store for all listeners of an org.

Workers of any process record changes, so the store is the only place that sees all of them. It is looked at once a second
while somebody listens, and at once when a check of this process ended. Transactions become visible out of order, so each
look reaches back a little; what was told already is told no more.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from driftline.engine.context import Checked
from driftline.engine.ports import Clock
from driftline.errors import NotFound, Refused, StoreUnavailable
from driftline.model.change import Change
from driftline.store.session import OrgData
from driftline.store.store import Store

LOOK_EVERY_FOR: Final = 1.0
BEAT_EVERY_FOR: Final = 15.0  # so that proxies and browsers see that the line is alive
REACH_BACK_FOR: Final = timedelta(seconds=30)
AT_MOST: Final = 200  # changes of one look; listeners are people
LISTENERS_AT_MOST: Final = 100  # of one org
BACKLOG_AT_MOST: Final = 1_000  # changes that a slow listener may owe; then it is let go, and comes back with its last id


class _Org:
    """One org's listeners, and what they were told."""

    def __init__(self, since_at: datetime) -> None:
        self.queues: set[asyncio.Queue[Change | None]] = set()
        self.since_at = since_at
        self.told: OrderedDict[UUID, None] = OrderedDict()
        self.ready = False  # what was there before anybody listened is known

    def fresh(self, changes: Sequence[Change]) -> list[Change]:
        """Oldest first, without those that were told."""
        new = [change for change in reversed(changes) if change.id not in self.told]
        for change in new:
            self.told[change.id] = None
            self.since_at = max(self.since_at, change.created_at)
        while len(self.told) > 4 * AT_MOST:
            self.told.popitem(last=False)
        return new


class Events:
    """Lives as long as the web application."""

    def __init__(self, store: Store, clock: Clock, *, look_every_for: float = LOOK_EVERY_FOR) -> None:
        self._store = store
        self._look_every_for = look_every_for
        self._clock = clock
        self._orgs: dict[UUID, _Org] = {}
        self._nudged = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    async def checked(self, checked: Checked) -> None:
        """A check of this process ended; if it found something, look at once."""
        if checked.changes:
            self._nudged.set()

    async def follow(self, org_id: UUID, after: UUID | None = None) -> AsyncIterator[Change | None]:
        """The org's changes from now on, or after the one that was seen last; None at first, and when nothing happens."""
        queue, missed = await self._join(org_id, after)
        try:
            yield None
            for change in missed:
                yield change
            told = {change.id for change in missed}
            while not self._closed:
                try:
                    got = await asyncio.wait_for(queue.get(), BEAT_EVERY_FOR)
                except TimeoutError:
                    yield None
                    continue
                if got is None:
                    return
                if got.id not in told:
                    yield got
        finally:
            self._leave(org_id, queue)

    async def close(self) -> None:
        """Let every listener go."""
        self._closed = True
        for org in self._orgs.values():
            for queue in org.queues:
                _let_go(queue)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _join(self, org_id: UUID, after: UUID | None) -> tuple[asyncio.Queue[Change | None], list[Change]]:
        now = self._clock.now()
        org = self._orgs.setdefault(org_id, _Org(now))
        if len(org.queues) >= LISTENERS_AT_MOST:
            raise Refused("too many listeners", hint="close some pages, or ask for changes now and then")
        queue: asyncio.Queue[Change | None] = asyncio.Queue(BACKLOG_AT_MOST)
        org.queues.add(queue)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_for_ever())
        if not org.ready:  # what is there already is no news
            org.fresh(await self._recent(org_id, now - REACH_BACK_FOR))
            org.ready = True
        if after is None:
            return queue, []

        def missed(data: OrgData) -> list[Change]:
            try:
                seen = data.changes.get(after).change
            except NotFound:
                return []
            rows = data.changes.page(since_at=seen.created_at, limit=BACKLOG_AT_MOST).rows
            return [change for change in reversed(rows) if (change.created_at, change.id) > (seen.created_at, seen.id)]

        return queue, await self._store.read(lambda session: missed(session.org(org_id)))

    def _leave(self, org_id: UUID, queue: asyncio.Queue[Change | None]) -> None:
        org = self._orgs.get(org_id)
        if org is None:
            return
        org.queues.discard(queue)
        if not org.queues:
            del self._orgs[org_id]

    async def _look_for_ever(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._nudged.wait(), self._look_every_for)
            self._nudged.clear()
            for org_id, org in [(org_id, org) for org_id, org in self._orgs.items() if org.ready]:
                with suppress(StoreUnavailable):  # the next look sees what this one missed
                    for change in org.fresh(await self._recent(org_id, org.since_at - REACH_BACK_FOR)):
                        _tell(org, change)

    async def _recent(self, org_id: UUID, since_at: datetime) -> Sequence[Change]:
        page = await self._store.read(lambda session: session.org(org_id).changes.page(since_at=since_at, limit=AT_MOST))
        return page.rows


def _tell(org: _Org, change: Change) -> None:
    for queue in org.queues:
        try:
            queue.put_nowait(change)
        except asyncio.QueueFull:
            _let_go(queue)


def _let_go(queue: asyncio.Queue[Change | None]) -> None:
    """Empty what is owed, and end."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)
