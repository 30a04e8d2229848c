"""One queue per endpoint with its own concurrency limit: an endpoint that hangs blocks nobody else.

If the total limit is reached, endpoints take turns. The messages of one endpoint are started in order.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from driftline.model.delivery import OutboundBatch

log = logging.getLogger(__name__)

MAX_CONCURRENT: Final = 512  # messages being sent to all endpoints together
QUEUE_LIMIT: Final = 1024  # waiting messages per endpoint: no more are claimed for it


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

    def __init__(self, send: Callable[[str, OutboundBatch], Awaitable[None]], *, at_once_at_most: int = MAX_CONCURRENT) -> None:
        self._send = send
        self._at_once_at_most = at_once_at_most
        self._queues: dict[str, _Queue] = {}  # those with something waiting or under way
        self._ready: deque[_Queue] = deque()  # those with something waiting and room for it, in turn
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self.low = asyncio.Event()  # few messages are left for an endpoint, or none at all

    @property
    def held(self) -> int:
        """The number of messages that wait or are being sent."""
        return self._waiting + len(self._tasks)

    def full(self) -> frozenset[str]:
        """Endpoints with full queues."""
        return frozenset(name for name, queue in self._queues.items() if len(queue.waiting) >= QUEUE_LIMIT)

    def put(self, endpoint: str, batch: OutboundBatch, *, at_once: int) -> None:
        """Append to the queue of an endpoint with this concurrency limit."""
        queue = self._queues.get(endpoint)
        if queue is None:
            queue = self._queues[endpoint] = _Queue(endpoint, at_once)
        queue.waiting.append(batch)
        self._waiting += 1
        self._mark_ready(queue)
        self._start()

    def drop_waiting(self) -> None:
        """Drop everything that is not being sent yet."""
        for queue in self._queues.values():
            queue.waiting.clear()
            queue.ready = False
        self._ready.clear()
        self._waiting = 0

    async def ended(self, *, within: float) -> None:
        """Wait for messages being sent; those that take longer are cancelled."""
        tasks = list(self._tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=within)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _mark_ready(self, queue: _Queue) -> None:
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
            self._mark_ready(queue)

    async def _work(self, queue: _Queue, batch: OutboundBatch) -> None:
        """Send one message after another, until none is left or another endpoint's turn comes."""
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
        if len(queue.waiting) == QUEUE_LIMIT // 2:
            self.low.set()
        return queue.waiting.popleft()

    def _ended(self, task: asyncio.Task[None], queue: _Queue) -> None:
        self._tasks.discard(task)
        queue.active -= 1
        self._mark_ready(queue)
        self._start()
        if not queue.active and not queue.waiting:
            self._queues.pop(queue.endpoint, None)
        if not self.held:
            self.low.set()
