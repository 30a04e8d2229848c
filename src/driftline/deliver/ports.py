"""What delivering asks of the parts around it. `wiring` puts the concrete ones in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from driftline.model.delivery import DeliveryOutcome, Message, NotPosted, OutboundBatch, Outcome, Posted


class Transport(Protocol):
    """One kind of channel."""

    @property
    def at_once(self) -> int:
        """How many messages may be under way to one endpoint."""

    async def deliver(self, message: Message) -> Outcome:
        """Hand the message over once; never raises for what a network or a receiver may do."""

    async def close(self) -> None:
        """Let go of connections."""


class DeliveryQueue(Protocol):
    """The store's side of delivering."""

    async def claim(self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> Sequence[UUID]:
        """Due deliveries that nobody holds (or whose lease ran out), leased to `owner`; endpoints in `busy` are left out."""

    async def outbound_batches(self, delivery_ids: Sequence[UUID], *, at: datetime) -> Sequence[OutboundBatch]:
        """The messages that deliveries go into, with all they need on their way, the oldest first."""

    async def save_outcomes(self, outcomes: Sequence[DeliveryOutcome]) -> None:
        """Write how attempts ended, all of them in one commit."""

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        """Prolong every lease of this owner."""

    async def release(self, owner: str, *, at: datetime) -> None:
        """Give back what this owner holds and did not send."""

    async def postpone(self, endpoint: str, *, until_at: datetime) -> None:
        """Let everything that waits for an endpoint wait until then; no attempt is counted."""

    async def next_attempt_at(self) -> datetime | None:
        """When the next claim can bring something; None if nothing waits."""


class Poster(Protocol):
    """The guarded way out for what is sent, and never fetched."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted | NotPosted:
        """Once, without redirects; the answer's body is thrown away."""


class Publisher(Protocol):
    """The bus, as far as a channel needs it."""

    async def publish(self, topic: str, body: bytes, *, message_id: str) -> None:
        """Hand over, confirmed; raises DriftlineError where the broker did not take it."""
