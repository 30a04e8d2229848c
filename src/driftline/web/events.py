"""Changes as they are recorded, streamed to listeners: one query for all listeners of an org.

Workers of any process record changes, so the store is the only place that sees all of them. It is polled once a second
while somebody listens, and at once when a check of this process ended. Transactions become visible out of order, so each
poll reaches back a little, and what was sent already is left out.
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
BEAT_EVERY_FOR: Final = 15.0  # so that proxies and browsers see that the line is alive
REACH_BACK_FOR: Final = timedelta(seconds=30)
AT_MOST: Final = 200  # changes of one look; listeners are people
LISTENERS_AT_MOST: Final = 100  # of one org
BACKLOG_AT_MOST: Final = 1_000  # changes that a slow listener may owe; then it is let go, and comes back with its last id


class Listener:
    """Somebody who follows an org's changes, and holds one of its places until they leave."""

    def __init__(self, org_id: UUID, org: _Org) -> None:
        self.org_id = org_id
        self.org = org
        self.queue: asyncio.Queue[Change | None] = asyncio.Queue(BACKLOG_AT_MOST)


class _Org:
    """One org's listeners, and the changes that they got."""

    def __init__(self, since_at: datetime) -> None:
        self.listeners: set[Listener] = set()
        self.since_at = since_at
        self.sent: OrderedDict[UUID, None] = OrderedDict()
        self.ready = False  # what was there before anybody listened is known
        self.preparing = asyncio.Lock()  # of a hundred who come at once, one looks for it

    def fresh(self, changes: Sequence[Change]) -> list[Change]:
        """Oldest first, without those that were already sent."""
        new = [change for change in reversed(changes) if change.id not in self.sent]
        for change in new:
            self.sent[change.id] = None
            self.since_at = max(self.since_at, change.created_at)
        while len(self.sent) > 4 * AT_MOST:
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
        """A check of this process ended; if it found something, look at once."""
        if checked.changes:
            self._nudged.set()

    def join(self, org_id: UUID) -> Listener:
        """Take one of the org's places; whoever joins has to leave."""
        org = self._orgs.setdefault(org_id, _Org(self._clock.now()))
        if len(org.listeners) >= LISTENERS_AT_MOST:
            raise Refused("too many open streams", hint="close some pages, or poll for changes")
        listener = Listener(org_id, org)
        org.listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Give the place back; safe to repeat."""
        org = listener.org
        if listener in org.listeners:
            org.listeners.remove(listener)
            if not org.listeners:
                del self._orgs[listener.org_id]

    async def follow(self, listener: Listener, after: UUID | None = None) -> AsyncIterator[Change | None]:
        """The org's changes from now on, or after the one that was seen last; None at first, and when nothing happens."""
        missed = await self._missed(listener, after)
        yield None
        for change in missed:
            yield change
        sent = {change.id for change in missed}
        while not self._closed:
            try:
                got = await asyncio.wait_for(listener.queue.get(), BEAT_EVERY_FOR)
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
                _let_go(listener.queue)
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)

    async def _missed(self, listener: Listener, after: UUID | None) -> list[Change]:
        """What came after the change that was seen last; from here on the listener's queue gets everything."""
        org_id, org = listener.org_id, listener.org
        if self._polling is None:
            self._polling = asyncio.create_task(self._poll_forever())
        async with org.preparing:
            if not org.ready:  # what is there already is no news
                org.fresh(await self._recent(org_id, org.since_at - REACH_BACK_FOR))
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
                with suppress(StoreUnavailable):  # the next look sees what this one missed
                    for change in org.fresh(await self._recent(org_id, org.since_at - REACH_BACK_FOR)):
                        _queue(org, change)

    async def _recent(self, org_id: UUID, since_at: datetime) -> Sequence[Change]:
        page = await self._store.read(lambda session: session.org(org_id).changes.page(since_at=since_at, limit=AT_MOST))
        return page.rows


def _queue(org: _Org, change: Change) -> None:
    for listener in org.listeners:
        try:
            listener.queue.put_nowait(change)
        except asyncio.QueueFull:
            _let_go(listener.queue)


def _let_go(queue: asyncio.Queue[Change | None]) -> None:
    """Empty what is owed, and end."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)
