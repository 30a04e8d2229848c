"""What a bus is: named queues that keep messages until somebody says that they are done with.

publish -> waiting -> received -> ack: gone
              ^           └ retry: waits again, at most three times, then it lies in `dead_letter`

Delivery is at least once; the sender's message id stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

DEAD_LETTER: Final = "dead_letter"
RETRIES: Final = 3  # deliveries after the first one; then a message is dead


class Received(Protocol):
    """A message in our hands; whoever lets go of the bus without a word gives it back."""

    @property
    def body(self) -> bytes:
        """What was sent."""

    @property
    def headers(self) -> Mapping[str, Any]:
        """What was sent with it, and what the bus added."""

    @property
    def message_id(self) -> str | None:
        """The sender's name for it: the same when it sends again."""

    @property
    def attempts(self) -> int:
        """Deliveries before this one that ended without an ack."""

    async def ack(self) -> None:
        """Done with."""

    async def retry(self) -> None:
        """Let it come again, to us or to somebody else; after RETRIES of these it lies in DEAD_LETTER."""


class QueueSubscription(Protocol):
    """A queue that we listen on."""

    async def next(self, limit: int) -> Sequence[Received]:
        """What has arrived, up to `limit`, waiting for the first; nothing once it was cancelled and all is handed out."""

    async def cancel(self) -> None:
        """Take no more; what has arrived already is still handed out."""


class Bus(Protocol):
    """Raises BusUnavailable where the broker is gone; after that, only `close` makes sense."""

    async def prepare(self, *queues: str) -> None:
        """Make sure that these queues, and DEAD_LETTER, are there."""

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: Mapping[str, Any] | None = None) -> None:
        """Hand over to a queue, which is made if it is missing; returns when the bus has it safely."""

    async def subscribe(self, queue: str, *, prefetch: int) -> QueueSubscription:
        """Listen; at most `prefetch` messages are in our hands at once."""

    async def take(self, queue: str, limit: int) -> Sequence[Received]:
        """Up to so many of those that wait now."""

    async def close(self) -> None:
        """Let go; what was received and not acked goes back."""
