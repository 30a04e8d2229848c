"""Sends one message: decides what it contains, passes it to its channel, and saves the outcome."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import msgspec

from driftline.core.text.time_text import exact
from driftline.deliver.dispatch.breaker import Breakers
from driftline.deliver.dispatch.outcome_writer import OutcomeWriter
from driftline.deliver.ports import DeliveryQueue, Transport
from driftline.engine.ports import Clock
from driftline.model.delivery import (
    ChannelKind,
    DeliveryOutcome,
    Message,
    OutboundBatch,
    Outcome,
    Section,
    State,
    Undelivered,
)
from driftline.policy.fanout import Skip, decide
from driftline.policy.retry import Patience, Retry, after_failure

log = logging.getLogger(__name__)

MAX_REMEMBERED: Final = 20_000  # sent changes and used channels
# Our own bugs in writing one message: they end that message, never the sender.
INTERNAL_FAULTS: Final = (
    RecursionError,
    MemoryError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
)


class Sender:
    """Decides, sends, and records the outcome."""

    def __init__(
        self,
        *,
        queue: DeliveryQueue,
        transports: Mapping[ChannelKind, Transport],
        writer: OutcomeWriter,
        clock: Clock,
        owner: str,
        breakers: Breakers,
        patience: Patience,
    ) -> None:
        self._queue = queue
        self._transports = transports
        self._writer = writer
        self._clock = clock
        self._owner = owner
        self._breakers = breakers
        self._patience = patience
        self._last_sent_at: dict[
            tuple[UUID, UUID], datetime
        ] = {}  # by (channel, watch): messages of this process, perhaps not yet saved
        self._notified: set[UUID] = set()  # changes whose notified_at is or will be saved
        self.sent = 0

    async def send(self, endpoint: str, batch: OutboundBatch) -> None:
        """Send a batch once, unless nothing is left to send or the endpoint's breaker is open."""
        at = self._clock.now()
        message = await self._decide(batch, at)
        if message is None:
            return
        wait_until_at = self._breakers.wait_until(endpoint, at=at)
        if wait_until_at is not None:
            reason = f"paused after failures until {exact(wait_until_at, UTC, seconds=True)}"
            await self._end(_ids(message), "pending", reason, attempted=False, next_attempt_at=wait_until_at, at=at)
            return
        if any(terms.filter.cooldown_for for terms in batch.all_terms):
            self._remember_sent(message, at)
        outcome = await self._deliver(message)
        if isinstance(outcome, Undelivered):
            await self._fail(endpoint, batch, message, outcome)
            return
        self.sent += 1
        self._breakers.worked(endpoint)
        await self._end(_ids(message), "sent", change_ids=self._newly_notified(message), at=self._clock.now())

    async def _decide(self, batch: OutboundBatch, at: datetime) -> Message | None:
        """The message, without what subscriptions stop; None if nothing is left to send."""
        if batch.off_reason is not None:
            await self._end(tuple(one.id for one in batch.deliveries), "skipped", batch.off_reason, attempted=False, at=at)
            return None
        if self._last_sent_at:
            known = {report.watch_id: self._last_sent_at.get((batch.channel.id, report.watch_id)) for report in batch.reports}
            fresh = {watch_id: sent_at for watch_id, sent_at in known.items() if sent_at is not None}
            batch = msgspec.structs.replace(batch, last_sent_at=batch.last_sent_at | fresh) if fresh else batch
        sections: list[Section] = []
        for delivery, decision in zip(batch.deliveries, decide(batch, at=at), strict=True):
            if isinstance(decision, Skip):
                await self._end((delivery.id,), "skipped", decision.reason, attempted=False, at=at)
            else:
                sections.append(decision)
        return _message(batch, sections, at) if sections else None

    async def _deliver(self, message: Message) -> Outcome:
        transport = self._transports.get(message.channel.kind)
        if transport is None:
            return Undelivered(reason=f"no {message.channel.kind} is configured", final=True)
        try:
            return await transport.deliver(message)
        except INTERNAL_FAULTS as error:
            log.exception("message could not be rendered", extra={"delivery": str(message.id)})
            return Undelivered(reason=f"internal error: {type(error).__name__}")

    async def _fail(self, endpoint: str, batch: OutboundBatch, message: Message, outcome: Undelivered) -> None:
        """Retry or give up, and report it to the breaker."""
        at = self._clock.now()
        self._forget(message)
        next_step = after_failure(
            self._patience,
            attempts=1 + max(one.attempts for one in batch.deliveries),
            at=at,
            seed=message.id.int & 0xFFFF_FFFF,
            reason=outcome.reason,
            final=outcome.final,
            retry_after=outcome.retry_after,
        )
        if isinstance(next_step, Retry):
            await self._end(_ids(message), "retrying", outcome.reason, next_attempt_at=next_step.at, at=at)
        else:
            await self._end(_ids(message), "dead", next_step.reason, at=at)
            log.warning("delivery failed for good", extra={"delivery": str(message.id), "reason": next_step.reason})
        if not outcome.endpoint_down:
            self._breakers.worked(endpoint)
        elif (open_until_at := self._breakers.failed(endpoint, at=at)) is not None:
            log.warning("endpoint keeps failing; pausing", extra={"endpoint": endpoint, "reason": outcome.reason})
            await self._queue.postpone(endpoint, until_at=open_until_at)

    async def _end(
        self,
        ids: tuple[UUID, ...],
        state: State,
        reason: str | None = None,
        *,
        at: datetime,
        attempted: bool = True,
        next_attempt_at: datetime | None = None,
        change_ids: tuple[UUID, ...] = (),
    ) -> None:
        await self._writer.add(
            DeliveryOutcome(
                delivery_ids=ids,
                owner=self._owner,
                state=state,
                reason=reason,
                attempted=attempted,
                next_attempt_at=next_attempt_at,
                change_ids=change_ids,
                at=at,
            )
        )

    def _remember_sent(self, message: Message, at: datetime) -> None:
        """For cooldowns: messages of the same moment see each other before they are saved."""
        for section in message.sections:
            self._last_sent_at[message.channel.id, section.report.watch_id] = at
        if len(self._last_sent_at) > MAX_REMEMBERED:
            self._last_sent_at = dict(list(self._last_sent_at.items())[MAX_REMEMBERED // 2 :])

    def _forget(self, message: Message) -> None:
        for section in message.sections:
            self._last_sent_at.pop((message.channel.id, section.report.watch_id), None)

    def _newly_notified(self, message: Message) -> tuple[UUID, ...]:
        """Changes that were not sent to anybody before."""
        changes = [one for section in message.sections for one in section.changes]
        fresh = tuple([one.id for one in changes if one.notified_at is None and one.id not in self._notified])
        if len(self._notified) + len(fresh) > MAX_REMEMBERED:
            self._notified.clear()
        self._notified.update(fresh)
        return fresh


def _message(batch: OutboundBatch, sections: Sequence[Section], at: datetime) -> Message:
    due_at = batch.deliveries[0].digest_at
    return Message(
        id=batch.id,
        channel=batch.channel,
        user=batch.user,
        sections=tuple(sections),
        digest=batch.digest,
        written_at=due_at if due_at is not None else at,
    )


def _ids(message: Message) -> tuple[UUID, ...]:
    return tuple([section.delivery_id for section in message.sections])
