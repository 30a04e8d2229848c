"""The bus as a protocol: named queues that keep each message until it is acknowledged.

publish -> waiting -> received -> ack: deleted
              ^           └ retry: waits again, at most three times, then moves to `dead_letter`

Delivery is at least once; a message that is sent again has the same id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

DEAD_LETTER: Final = "dead_letter"
RETRIES: Final = 3  # deliveries after the first one; then a message is dead


class Received(Protocol):
    """A received message; if the bus is closed before `ack` or `retry`, it returns to its queue."""

    @property
    def body(self) -> bytes:
        """The content."""

    @property
    def headers(self) -> Mapping[str, Any]:
        """The sender's headers, and those that the bus added."""

    @property
    def message_id(self) -> str | None:
        """The sender's id: the same if it sends the message again."""

    @property
    def attempts(self) -> int:
        """Earlier deliveries that were not acknowledged."""

    async def ack(self) -> None:
        """Remove the message from its queue: it is processed."""

    async def retry(self) -> None:
        """Put it back for any consumer; after RETRIES of these it moves to DEAD_LETTER."""


class QueueSubscription(Protocol):
    """A consumer of one queue."""

    async def next(self, limit: int) -> Sequence[Received]:
        """Wait for a message, then return up to `limit` that have arrived; empty once cancelled and drained."""

    async def cancel(self) -> None:
        """Receive no more; `next` still returns what has arrived."""


class Bus(Protocol):
    """A connection to the queues. Raises BusUnavailable once the broker is gone; then only `close` may be called."""

    async def prepare(self, *queues: str) -> None:
        """Create these queues and DEAD_LETTER if they are missing."""

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: Mapping[str, Any] | None = None) -> None:
        """Send to a queue, which is created if it is missing; returns once the bus has stored the message."""

    async def subscribe(self, queue: str, *, prefetch: int) -> QueueSubscription:
        """Consume a queue, with at most `prefetch` unacknowledged messages."""

    async def take(self, queue: str, limit: int) -> Sequence[Received]:
        """Receive up to `limit` messages that are waiting now."""

    async def close(self) -> None:
        """Close the connection; messages that were received and not acknowledged return to their queues."""
