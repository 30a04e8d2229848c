"""What delivering asks of the parts around it. `wiring` puts the concrete ones in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from driftline.model.delivery import Draft, Letter, NotPosted, Outcome, Parcel, Posted, Settled


class Courier(Protocol):
    """One kind of channel."""

    def prepare(self, letter: Letter) -> None:
        """The letter goes next, most likely: do what can be done before its turn."""

    async def deliver(self, letter: Letter) -> Outcome:
        """Hand the letter over once; never raises for what a network or a receiver may do."""

    async def close(self) -> None:
        """Let go of connections."""


class Mailroom(Protocol):
    """The store's side of delivering."""

    async def claim(self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> Sequence[UUID]:
        """Due deliveries that nobody holds (or whose lease ran out), leased to `owner`; endpoints in `busy` are left out."""

    async def parcels(self, delivery_ids: Sequence[UUID], *, at: datetime) -> Sequence[Parcel]:
        """The messages that deliveries go into, with all they need on their way, the oldest first."""

    async def others_send(self, owner: str) -> bool:
        """Whether somebody else holds leases: another sender at work, or one that died."""

    async def settle(self, settled: Sequence[Settled]) -> None:
        """Write how attempts ended, all of them in one commit."""

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        """Prolong every lease of this owner."""

    async def release(self, owner: str, *, at: datetime) -> None:
        """Give back what this owner holds and did not send."""

    async def put_off(self, endpoint: str, *, until_at: datetime) -> None:
        """Let everything that waits for an endpoint wait until then; no attempt is counted."""

    async def next_attempt_at(self) -> datetime | None:
        """When the next claim can bring something; None if nothing waits."""


class Poster(Protocol):
    """The guarded way out for what is sent, and never fetched."""

    def drafted(self, url: str, body: bytes, headers: Mapping[str, str]) -> Draft | NotPosted:
        """A POST as it goes over the wire."""

    async def post(self, draft: Draft) -> Posted | NotPosted:
        """Once, without redirects; the answer's body is not read."""


class Publisher(Protocol):
    """The bus, as far as a channel needs it."""

    async def publish(self, topic: str, body: bytes, *, message_id: str) -> None:
        """Hand over, confirmed; raises DriftlineError where the broker did not take it."""
