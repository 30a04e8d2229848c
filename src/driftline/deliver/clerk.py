"""The clerk: one letter from the decision what it tells to the ending that is noted."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from driftline.deliver.breaker import Breakers
from driftline.deliver.ledger import Ledger
from driftline.deliver.ports import Courier, Mailroom
from driftline.engine.ports import Clock
from driftline.model.delivery import ChannelKind, Letter, Outcome, Parcel, Section, Sent, Settled, State, Undelivered
from driftline.policy.fanout import Skip, decide
from driftline.policy.retry import Patience, Retry, after_failure

log = logging.getLogger(__name__)

AHEAD_AT_MOST: Final = timedelta(seconds=1)  # that a letter is decided before it goes
NOTED_AT_MOST: Final = 20_000  # changes that are known to have been told
# Faults of our own in writing one letter: they end that letter, and never the sender.
FAULTS: Final = (
    RecursionError,
    MemoryError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
)


class _Ahead(NamedTuple):
    """A letter that was prepared."""

    parcel: Parcel
    letter: Letter
    at: datetime


class Clerk:
    """Decides, hands over, and writes down how it ended."""

    def __init__(
        self,
        *,
        mailroom: Mailroom,
        couriers: Mapping[ChannelKind, Courier],
        ledger: Ledger,
        clock: Clock,
        owner: str,
        breakers: Breakers,
        patience: Patience,
    ) -> None:
        self._mailroom = mailroom
        self._couriers = couriers
        self._ledger = ledger
        self._clock = clock
        self._owner = owner
        self._breakers = breakers
        self._patience = patience
        self._told_at: dict[tuple[UUID, UUID], datetime] = {}  # (channel, watch): sent by this process, perhaps not yet stored
        self._noted: set[UUID] = set()  # changes whose notified_at stands, or is about to
        self._ahead: _Ahead | None = None
        self.sent = 0

    async def send(self, endpoint: str, parcel: Parcel) -> bool | None:
        """Whether the endpoint took it; None: it was not asked."""
        at = self._clock.now()
        letter = self._prepared(parcel, at)
        fresh = letter is None
        if letter is None:
            letter = self._decided(parcel, at)
        if letter is None:
            return None
        wait_until_at = self._breakers.wait_until(endpoint, at=at)
        if wait_until_at is not None:
            reason = f"endpoint rests after failures until {wait_until_at:%Y-%m-%d %H:%M:%S} UTC"
            self._end(_ids(letter), "pending", reason, attempted=False, next_attempt_at=wait_until_at, at=at)
            return None
        if fresh and _cools(parcel):
            self._remember(letter, at)
        courier = self._couriers.get(letter.channel.kind)
        outcome: Outcome
        if courier is None:
            outcome = Undelivered(reason=f"no {letter.channel.kind} is configured", final=True)
        else:
            try:
                outcome = await courier.deliver(letter)
            except FAULTS as error:
                log.exception("letter could not be written", extra={"delivery": str(letter.id)})
                outcome = Undelivered(reason=f"internal error: {type(error).__name__}")
        if isinstance(outcome, Sent):
            self._conclude(endpoint, letter)
            return True
        await self._fail(endpoint, parcel, letter, outcome)
        return False

    def prepare(self, parcel: Parcel) -> None:
        """Decide and write the letter that goes next, unless something may still stop it or a part of it."""
        courier = self._couriers.get(parcel.channel.kind)
        if courier is None or parcel.off is not None or _cools(parcel):
            return
        at = self._clock.now()
        try:
            sections = [one for one in decide(parcel, at=at) if isinstance(one, Section)]
            if len(sections) == len(parcel.deliveries):
                letter = _letter(parcel, sections, at)
                courier.prepare(letter)
                self._ahead = _Ahead(parcel, letter, at)
        except FAULTS:
            self._ahead = None  # told when the letter goes

    def _prepared(self, parcel: Parcel, at: datetime) -> Letter | None:
        """What was decided a moment ago holds still."""
        ahead, self._ahead = self._ahead, None
        fresh = ahead is not None and ahead.parcel is parcel and at - ahead.at < AHEAD_AT_MOST
        return ahead.letter if ahead is not None and fresh else None

    def _decided(self, parcel: Parcel, at: datetime) -> Letter | None:
        """The letter; what subscriptions stop is settled here. None: nothing is left to send."""
        if parcel.off is not None:
            self._end(tuple(one.id for one in parcel.deliveries), "skipped", parcel.off, attempted=False, at=at)
            return None
        if self._told_at:
            known = {report.watch_id: self._told_at.get((parcel.channel.id, report.watch_id)) for report in parcel.reports}
            fresh = {watch_id: told_at for watch_id, told_at in known.items() if told_at is not None}
            parcel = msgspec.structs.replace(parcel, told_at=parcel.told_at | fresh) if fresh else parcel
        sections: list[Section] = []
        for delivery, decision in zip(parcel.deliveries, decide(parcel, at=at), strict=True):
            if isinstance(decision, Skip):
                self._end((delivery.id,), "skipped", decision.reason, attempted=False, at=at)
            else:
                sections.append(decision)
        return _letter(parcel, sections, at) if sections else None

    def _conclude(self, endpoint: str, letter: Letter) -> None:
        self._breakers.worked(endpoint)
        changes = [one for section in letter.sections for one in section.changes]
        told = tuple([one.id for one in changes if one.notified_at is None and one.id not in self._noted])
        self._end(_ids(letter), "sent", change_ids=told, at=self._clock.now())
        if told:
            self._note(told)
        self.sent += 1

    async def _fail(self, endpoint: str, parcel: Parcel, letter: Letter, outcome: Undelivered) -> None:
        """Try again or give up, and tell the breaker."""
        at = self._clock.now()
        self._forget(letter)
        next_step = after_failure(
            self._patience,
            attempts=1 + max(one.attempts for one in parcel.deliveries),
            at=at,
            seed=letter.id.int & 0xFFFF_FFFF,
            reason=outcome.reason,
            final=outcome.final,
            retry_after=outcome.retry_after,
        )
        if isinstance(next_step, Retry):
            self._end(_ids(letter), "retrying", outcome.reason, next_attempt_at=next_step.at, at=at)
        else:
            self._end(_ids(letter), "dead", next_step.reason, at=at)
            log.warning("delivery is dead", extra={"delivery": str(letter.id), "reason": next_step.reason})
        if not outcome.endpoint_down:
            self._breakers.worked(endpoint)
        elif (open_until_at := self._breakers.failed(endpoint, at=at)) is not None:
            log.warning("endpoint does not work; resting", extra={"endpoint": endpoint, "reason": outcome.reason})
            await self._mailroom.put_off(endpoint, until_at=open_until_at)

    def _end(
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
        self._ledger.write(
            Settled(
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

    def _remember(self, letter: Letter, at: datetime) -> None:
        """For cooldowns: letters of the same minute see each other before any is stored."""
        for section in letter.sections:
            self._told_at[letter.channel.id, section.report.watch_id] = at
        if len(self._told_at) > NOTED_AT_MOST:
            self._told_at = dict(list(self._told_at.items())[NOTED_AT_MOST // 2 :])

    def _forget(self, letter: Letter) -> None:
        for section in letter.sections:
            self._told_at.pop((letter.channel.id, section.report.watch_id), None)

    def _note(self, change_ids: tuple[UUID, ...]) -> None:
        if len(self._noted) + len(change_ids) > NOTED_AT_MOST:
            self._noted.clear()
        self._noted.update(change_ids)


def _cools(parcel: Parcel) -> bool:
    """Whether letters of the same minute stop each other."""
    for wish in parcel.wishes:  # noqa: SIM110 - a generator takes longer, and every letter comes by here
        if wish.filter.cooldown_for:
            return True
    return False


def _letter(parcel: Parcel, sections: Sequence[Section], at: datetime) -> Letter:
    due_at = parcel.deliveries[0].digest_at
    return Letter(
        id=parcel.id,
        channel=parcel.channel,
        user=parcel.user,
        sections=tuple(sections),
        digest=parcel.digest,
        written_at=due_at if due_at is not None else at,
    )


def _ids(letter: Letter) -> tuple[UUID, ...]:
    return tuple([section.delivery_id for section in letter.sections])
