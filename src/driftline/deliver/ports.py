"""The protocols through which delivery uses other packages; `wiring` connects them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from driftline.core.pictures.crops import ChangedPart
from driftline.model.change import Change
from driftline.model.delivery import DeliveryOutcome, Message, NotPosted, OutboundBatch, Outcome, Posted, Reported


class Transport(Protocol):
    """Sends messages of one kind of channel."""

    @property
    def at_once(self) -> int:
        """How many messages may be sent to one endpoint concurrently."""

    async def deliver(self, message: Message) -> Outcome:
        """Send the message once; failures of networks and receivers are values, never exceptions."""

    async def close(self) -> None:
        """Close connections."""


class ChangePictures(Protocol):
    """How pages looked before and after their changes."""

    async def of(self, change: Change) -> ChangedPart | None:
        """The part of the page that changed; None where there are no pictures of it."""


class DeliveryQueue(Protocol):
    """The store as delivery uses it."""

    async def claim(self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> Sequence[UUID]:
        """Lease due deliveries that nobody holds (or whose lease expired); endpoints in `busy` are left out."""

    async def outbound_batches(self, delivery_ids: Sequence[UUID], *, at: datetime) -> Sequence[OutboundBatch]:
        """The messages of leased deliveries with everything needed to send them, oldest first."""

    async def save_outcomes(self, outcomes: Sequence[DeliveryOutcome]) -> None:
        """Store the outcomes of attempts in one commit."""

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        """Extend every lease of this owner."""

    async def release(self, owner: str, *, at: datetime) -> None:
        """Give back what this owner holds and did not send."""

    async def postpone(self, endpoint: str, *, until_at: datetime) -> None:
        """Postpone everything that waits for an endpoint; no attempt is counted."""

    async def next_attempt_at(self) -> datetime | None:
        """When the next delivery can be claimed; None if nothing waits."""


class Advisor(Protocol):
    """Completes a report with what deciding who gets it needs."""

    def needs_advice(self, report: Reported) -> bool:
        """Whether deciding needs anything that is not in the database."""

    async def advise(self, report: Reported) -> Reported:
        """The report with everything that was available in time; after a failure it is returned as it is, and sent."""


class Poster(Protocol):
    """Posts to URLs through the egress guard."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted | NotPosted:
        """Post once, without following redirects; the answer's body is discarded."""


class Publisher(Protocol):
    """The bus, as a channel uses it."""

    async def publish(self, topic: str, body: bytes, *, message_id: str) -> None:
        """Publish and wait for the confirmation; raises DriftlineError if the broker refused it."""
