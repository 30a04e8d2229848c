"""Changes as they are recorded, streamed to listeners: one query for all listeners of an org.

Workers of any process record changes, so the store is the only place that sees all of them. It is polled once a second
while somebody listens, and at once when a check of this process ended. Transactions become visible out of order, so each
poll overlaps the previous one, and changes that were sent already are skipped.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from driftline.engine.check.context import Checked
from driftline.engine.ports import Clock
from driftline.errors import NotFound, Refused, StoreUnavailable
from driftline.model.change import Change
from driftline.store.session import OrgData
from driftline.store.store import Store

POLL_EVERY_FOR: Final = 1.0
HEARTBEAT_EVERY: Final = 15.0  # seconds; keeps proxies and browsers from closing the stream
OVERLAP: Final = timedelta(seconds=30)
BATCH: Final = 200  # changes per poll
LISTENERS_AT_MOST: Final = 100  # per org
BACKLOG_AT_MOST: Final = 1_000  # unread changes of a slow listener; then it is disconnected, and returns with its last id


class Listener:
    """A subscriber of an org's stream; counts against the org's limit until it leaves."""

    def __init__(self, org_id: UUID, org: _Org) -> None:
        self.org_id = org_id
        self.org = org
        self.queue: asyncio.Queue[Change | None] = asyncio.Queue(BACKLOG_AT_MOST)


class _Org:
    """The listeners of one org, and the changes that were sent to them."""

    def __init__(self, since_at: datetime) -> None:
        self.listeners: set[Listener] = set()
        self.since_at = since_at
        self.sent: OrderedDict[UUID, None] = OrderedDict()
        self.ready = False  # earlier changes are loaded, so that they are not sent
        self.preparing = asyncio.Lock()  # of many simultaneous listeners, one loads them

    def fresh(self, changes: Sequence[Change]) -> list[Change]:
        """The changes that were not sent yet, oldest first."""
        new = [change for change in reversed(changes) if change.id not in self.sent]
        for change in new:
            self.sent[change.id] = None
            self.since_at = max(self.since_at, change.created_at)
        while len(self.sent) > 4 * BATCH:
            self.sent.popitem(last=False)
        return new


class Events:
    """Lives as long as the web application."""

    def __init__(self, store: Store, clock: Clock, *, poll_every_for: float = POLL_EVERY_FOR) -> None:
        self._store = store
        self._poll_every_for = poll_every_for
        self._clock = clock
        self._orgs: dict[UUID, _Org] = {}
        self._nudged = asyncio.Event()
        self._polling: asyncio.Task[None] | None = None
        self._closed = False

    async def checked(self, checked: Checked) -> None:
        """Poll at once if a check of this process found something."""
        if checked.changes:
            self._nudged.set()

    def join(self, org_id: UUID) -> Listener:
        """Add a listener within the org's limit; each must leave."""
        org = self._orgs.setdefault(org_id, _Org(self._clock.now()))
        if len(org.listeners) >= LISTENERS_AT_MOST:
            raise Refused("too many open streams", hint="close some pages, or poll for changes")
        listener = Listener(org_id, org)
        org.listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Remove the listener; safe to repeat."""
        org = listener.org
        if listener in org.listeners:
            org.listeners.remove(listener)
            if not org.listeners:
                del self._orgs[listener.org_id]

    async def follow(self, listener: Listener, after: UUID | None = None) -> AsyncIterator[Change | None]:
        """The org's changes from now on, or after the last seen one; None at first, and as a heartbeat."""
        missed = await self._missed(listener, after)
        yield None
        for change in missed:
            yield change
        sent = {change.id for change in missed}
        while not self._closed:
            try:
                got = await asyncio.wait_for(listener.queue.get(), HEARTBEAT_EVERY)
            except TimeoutError:
                yield None
                continue
            if got is None:
                return
            if got.id not in sent:
                yield got

    async def close(self) -> None:
        """End every stream."""
        self._closed = True
        for org in self._orgs.values():
            for listener in org.listeners:
                _disconnect(listener.queue)
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)

    async def _missed(self, listener: Listener, after: UUID | None) -> list[Change]:
        """The changes after the last seen one; from here on the listener's queue gets everything."""
        org_id, org = listener.org_id, listener.org
        if self._polling is None:
            self._polling = asyncio.create_task(self._poll_forever())
        async with org.preparing:
            if not org.ready:  # existing changes are not sent
                org.fresh(await self._recent(org_id, org.since_at - OVERLAP))
                org.ready = True
        if after is None:
            return []

        def missed(data: OrgData) -> list[Change]:
            try:
                seen = data.changes.get(after).change
            except NotFound:
                return []
            rows = data.changes.page(since_at=seen.created_at, limit=BACKLOG_AT_MOST).rows
            return [change for change in reversed(rows) if (change.created_at, change.id) > (seen.created_at, seen.id)]

        return await self._store.read(lambda session: missed(session.org(org_id)))

    async def _poll_forever(self) -> None:
        while True:
            with suppress(TimeoutError):  # `wait_for` may forget that it was cancelled, in Python 3.11
                async with asyncio.timeout(self._poll_every_for):
                    await self._nudged.wait()
            self._nudged.clear()
            for org_id, org in [(org_id, org) for org_id, org in self._orgs.items() if org.ready]:
                with suppress(StoreUnavailable):  # the next poll sees them
                    for change in org.fresh(await self._recent(org_id, org.since_at - OVERLAP)):
                        _queue(org, change)

    async def _recent(self, org_id: UUID, since_at: datetime) -> Sequence[Change]:
        page = await self._store.read(lambda session: session.org(org_id).changes.page(since_at=since_at, limit=BATCH))
        return page.rows


def _queue(org: _Org, change: Change) -> None:
    for listener in org.listeners:
        try:
            listener.queue.put_nowait(change)
        except asyncio.QueueFull:
            _disconnect(listener.queue)


def _disconnect(queue: asyncio.Queue[Change | None]) -> None:
    """Drop unread changes, and end the stream."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)
