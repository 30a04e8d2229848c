"""One queue an endpoint, with a limit of its own: an endpoint that hangs holds its own places and nobody else's.

Where all places together are taken, endpoints take turns. The messages of one endpoint start in their order.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from driftline.model.delivery import OutboundBatch

log = logging.getLogger(__name__)

AT_ONCE_AT_MOST: Final = 512  # messages under way to all endpoints together: 32 that hang, with 16 each
ENOUGH_WAITING: Final = 1024  # messages that wait for one endpoint: no more are claimed for it


class _Queue:
    __slots__ = ("active", "at_once", "endpoint", "ready", "waiting")

    def __init__(self, endpoint: str, at_once: int) -> None:
        self.endpoint = endpoint
        self.at_once = at_once
        self.active = 0  # tasks that send
        self.ready = False  # for another one
        self.waiting: deque[OutboundBatch] = deque()


class EndpointQueues:
    """Messages that wait to be sent, and the tasks that send them."""

    def __init__(
        self, send: Callable[[str, OutboundBatch], Awaitable[None]], *, at_once_at_most: int = AT_ONCE_AT_MOST
    ) -> None:
        self._send = send
        self._at_once_at_most = at_once_at_most
        self._queues: dict[str, _Queue] = {}  # those with something waiting or under way
        self._ready: deque[_Queue] = deque()  # those with something waiting and room for it, in turn
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self.low = asyncio.Event()  # few messages are left for an endpoint, or none at all

    @property
    def held(self) -> int:
        """How many messages wait or are under way."""
        return self._waiting + len(self._tasks)

    def full(self) -> frozenset[str]:
        """Endpoints that have enough waiting for them."""
        return frozenset(name for name, queue in self._queues.items() if len(queue.waiting) >= ENOUGH_WAITING)

    def put(self, endpoint: str, batch: OutboundBatch, *, at_once: int) -> None:
        """Behind those for the same endpoint, of which so many may be under way."""
        queue = self._queues.get(endpoint)
        if queue is None:
            queue = self._queues[endpoint] = _Queue(endpoint, at_once)
        queue.waiting.append(batch)
        self._waiting += 1
        self._line_up(queue)
        self._start()

    def drop_waiting(self) -> None:
        """Nothing more is sent than what is under way."""
        for queue in self._queues.values():
            queue.waiting.clear()
            queue.ready = False
        self._ready.clear()
        self._waiting = 0

    async def ended(self, *, within: float) -> None:
        """Wait for what is under way; what takes longer is cut off."""
        tasks = list(self._tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=within)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _line_up(self, queue: _Queue) -> None:
        if queue.waiting and not queue.ready and queue.active < queue.at_once:
            queue.ready = True
            self._ready.append(queue)

    def _start(self) -> None:
        while self._ready and len(self._tasks) < self._at_once_at_most:
            queue = self._ready.popleft()
            queue.ready = False
            queue.active += 1
            task = asyncio.create_task(self._work(queue, self._next(queue)))
            self._tasks.add(task)
            task.add_done_callback(lambda task, queue=queue: self._ended(task, queue))  # type: ignore[misc] # mypy's lambda
            self._line_up(queue)

    async def _work(self, queue: _Queue, batch: OutboundBatch) -> None:
        """One message after the other, until none is left or another endpoint has to have the place."""
        while True:
            try:
                await self._send(queue.endpoint, batch)
            except Exception:
                log.exception("message ended without an outcome", extra={"delivery": str(batch.id)})
            if not queue.waiting or (self._ready and len(self._tasks) >= self._at_once_at_most):
                return
            batch = self._next(queue)

    def _next(self, queue: _Queue) -> OutboundBatch:
        self._waiting -= 1
        if len(queue.waiting) == ENOUGH_WAITING // 2:
            self.low.set()
        return queue.waiting.popleft()

    def _ended(self, task: asyncio.Task[None], queue: _Queue) -> None:
        self._tasks.discard(task)
        queue.active -= 1
        self._line_up(queue)
        self._start()
        if not queue.active and not queue.waiting:
            self._queues.pop(queue.endpoint, None)
        if not self.held:
            self.low.set()
