"""The dispatcher: claim due deliveries, decide what each tells, hand letters over, write how it ended.

    claim -> decide -> take a turn -> hand over -> settle -> leave
               └ skip     └ breaker open: put off, no attempt counted

A turn ends when the ending is committed, so a kill loses no more endings than there are turns.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.deliver.breaker import Breakers
from driftline.deliver.lanes import Lanes
from driftline.deliver.ledger import STORE_BACKOFF_FOR, Ledger
from driftline.deliver.ports import Courier, Mailroom
from driftline.engine.ports import Clock
from driftline.errors import StoreUnavailable
from driftline.model.delivery import ChannelKind, Letter, Outcome, Parcel, Section, Sent, Settled, State, Undelivered
from driftline.policy.fanout import Skip, decide
from driftline.policy.retry import Patience, Retry, after_failure

log = logging.getLogger(__name__)

CLAIMED_AT_ONCE: Final = 512
LOOK_EVERY_FOR: Final = 1.0  # seconds between looks at the due index: other processes add deliveries too
TURNS_GROW_FOR: Final = 0.1  # seconds between looks at the turns while letters wait for them
HELD_AT_MOST: Final = 4_096  # letters claimed and not yet settled
NOTED_AT_MOST: Final = 20_000  # changes that are known to have been told
# Eight attempts over about a day: 30 s, 2 min, 6 min, 21 min, 75 min, 4 h, 15 h after the one before.
PATIENCE: Final = Patience(attempts_at_most=8, first_after=30.0, factor=3.5, wait_at_most_for=54_000.0)
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


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """How long a sender owns what it claimed, and waits for it at its end."""

    lease_for: float = 30.0  # renewed while it is alive
    drain_for: float = 30.0


class Dispatcher:
    """Sends until told to stop. Several may share one database; each delivery has one sender at a time."""

    def __init__(
        self,
        *,
        mailroom: Mailroom,
        couriers: Mapping[ChannelKind, Courier],
        clock: Clock,
        owner: str,
        lanes: Lanes | None = None,
        breakers: Breakers | None = None,
        patience: Patience = PATIENCE,
        hold: Hold | None = None,
    ) -> None:
        self._mailroom = mailroom
        self._couriers = couriers
        self._clock = clock
        self._owner = owner
        self._lanes = lanes or Lanes(clock)
        self._breakers = breakers or Breakers()
        self._patience = patience
        self._hold = hold or Hold()
        self._ledger = Ledger(mailroom, clock, lambda: self._lanes.under_way)
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._nudged = asyncio.Event()
        self._freed = asyncio.Event()
        self._empty_without: frozenset[str] | None = None  # the latest claim left these endpoints out and brought nothing
        self._look_again = 0.0  # on the monotonic clock
        self._told_at: dict[tuple[UUID, UUID], datetime] = {}  # (channel, watch): sent by this process, perhaps not yet stored
        self._noted: set[UUID] = set()  # changes whose notified_at stands
        self.sent = 0

    def stop(self) -> None:
        """Claim nothing more; `run` returns when what is under way has ended."""
        self._stopping.set()

    def nudge(self) -> None:
        """Look now: something was just recorded."""
        self._nudged.set()

    async def run(self, *, once: bool = False) -> int:
        """Send what is due, as it becomes due; with `once`, what is due now. Gives the number of letters that were taken."""
        renewing = asyncio.create_task(self._renew_for_ever())
        try:
            await self._look_around()
            while not self._stopping.is_set():
                self._freed.clear()
                busy = self._lanes.crowded()
                if self._worth_looking(busy):
                    parcels = await self._claim(busy)
                    for parcel in parcels:
                        self._start(parcel)
                    if parcels:
                        await asyncio.sleep(0)
                        continue
                if once and not self._tasks:
                    break
                await self._wait()
            await self._drain()
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
        return self.sent

    async def _look_around(self) -> None:
        """Where another sender died, this one may too: until its leases have run out, letters go one by one."""
        try:
            if await self._mailroom.others_send(self._owner):
                self._lanes.be_careful(self._hold.lease_for)
        except StoreUnavailable as error:
            log.warning("store is away", extra={"problem": str(error)})

    def _worth_looking(self, busy: frozenset[str]) -> bool:
        """Not while enough wait for their turns, nor again and again while only crowded endpoints have something due."""
        if len(self._tasks) >= HELD_AT_MOST or self._lanes.full():
            return False
        nothing_new = self._empty_without is not None and busy >= self._empty_without
        return not nothing_new or self._nudged.is_set() or self._clock.monotonic() >= self._look_again

    async def _claim(self, busy: frozenset[str]) -> list[Parcel]:
        """As much as there is room for; nothing while the store is away."""
        self._nudged.clear()
        at = self._clock.now()
        until_at = at + timedelta(seconds=self._hold.lease_for)
        limit = min(max(16, 8 * self._lanes.window), CLAIMED_AT_ONCE)
        try:
            found = list(await self._mailroom.claim(limit, owner=self._owner, busy=busy, at=at, until_at=until_at))
        except StoreUnavailable as error:
            log.warning("store is away; trying again", extra={"problem": str(error)})
            await self._clock.sleep(STORE_BACKOFF_FOR)
            found = []
        self._empty_without = None if found else busy
        self._look_again = self._clock.monotonic() + LOOK_EVERY_FOR
        return found

    def _start(self, parcel: Parcel) -> None:
        task = asyncio.create_task(self._send(parcel))
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._freed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("letter ended without a result", exc_info=error)

    async def _send(self, parcel: Parcel) -> None:
        """One message from the decision to the stored ending."""
        endpoint = parcel.channel.endpoint
        turn = await self._lanes.enter(endpoint)
        try:
            if self._stopping.is_set():  # given back with the rest of what is held
                return
            letter = await self._decided(parcel)
            if letter is None:
                return
            at = self._clock.now()
            wait_until_at = self._breakers.wait_until(endpoint, at=at)
            if wait_until_at is not None:
                reason = f"endpoint rests after failures until {wait_until_at:%Y-%m-%d %H:%M:%S} UTC"
                await self._put_back(letter, reason=reason, until_at=wait_until_at)
                return
            if any(one.filter.cooldown_for for one in parcel.subscriptions):
                self._remember(letter, at)
            outcome = await self._hand_over(letter)
            self._lanes.answered(turn, worked=isinstance(outcome, Sent))
            await self._conclude(parcel, letter, outcome)
        finally:
            self._lanes.leave(turn)

    async def _decided(self, parcel: Parcel) -> Letter | None:
        """The letter; what subscriptions stop is settled here. None: nothing is left to send."""
        at = self._clock.now()
        channel, user = parcel.channel, parcel.user
        if channel.disabled_at is not None or user.disabled_at is not None:
            off = "channel" if channel.disabled_at is not None else "user"
            reason = f"the {off} is off{f': {channel.disabled_reason}' if channel.disabled_reason else ''}"
            await self._ledger.write(
                [self._ending(tuple(one.id for one in parcel.deliveries), "skipped", reason, attempted=False)]
            )
            return None
        if self._told_at:
            known = {report.watch_id: self._told_at.get((channel.id, report.watch_id)) for report in parcel.reports}
            fresh = {watch_id: told_at for watch_id, told_at in known.items() if told_at is not None}
            parcel = msgspec.structs.replace(parcel, told_at=parcel.told_at | fresh) if fresh else parcel
        sections: list[Section] = []
        skipped: list[Settled] = []
        for delivery, decision in zip(parcel.deliveries, decide(parcel, at=at), strict=True):
            if isinstance(decision, Skip):
                skipped.append(self._ending((delivery.id,), "skipped", decision.reason, attempted=False))
            else:
                sections.append(decision)
        if skipped:
            await self._ledger.write(skipped)
        if not sections:
            return None
        due_at = parcel.deliveries[0].digest_at
        return Letter(
            id=parcel.id,
            channel=channel,
            user=user,
            sections=tuple(sections),
            digest=parcel.digest,
            written_at=due_at if due_at is not None else at,
        )

    async def _hand_over(self, letter: Letter) -> Outcome:
        courier = self._couriers.get(letter.channel.kind)
        if courier is None:
            return Undelivered(reason=f"no {letter.channel.kind} is configured", final=True)
        try:
            return await courier.deliver(letter)
        except FAULTS as error:
            log.exception("letter could not be written", extra={"delivery": str(letter.id)})
            return Undelivered(reason=f"internal error: {type(error).__name__}")

    async def _conclude(self, parcel: Parcel, letter: Letter, outcome: Outcome) -> None:
        """Store the ending and tell the breaker."""
        endpoint, at = parcel.channel.endpoint, self._clock.now()
        ids = tuple(section.delivery_id for section in letter.sections)
        if isinstance(outcome, Sent):
            self._breakers.worked(endpoint)
            told = tuple(one.id for one in letter.changes if one.notified_at is None and one.id not in self._noted)
            await self._ledger.write([self._ending(ids, "sent", change_ids=told)])
            self._note(told)
            self.sent += 1
            return
        self._forget(letter)
        attempts = 1 + max(one.attempts for one in parcel.deliveries)
        next_step = after_failure(
            self._patience,
            attempts=attempts,
            at=at,
            seed=letter.id.int & 0xFFFF_FFFF,
            reason=outcome.reason,
            final=outcome.final,
            retry_after=outcome.retry_after,
        )
        if isinstance(next_step, Retry):
            ending = self._ending(ids, "retrying", outcome.reason, next_attempt_at=next_step.at)
        else:
            ending = self._ending(ids, "dead", next_step.reason)
            log.warning("delivery is dead", extra={"delivery": str(letter.id), "reason": next_step.reason})
        await self._ledger.write([ending])
        if not outcome.endpoint_down:
            self._breakers.worked(endpoint)
        elif (open_until_at := self._breakers.failed(endpoint, at=at)) is not None:
            log.warning("endpoint does not work; resting", extra={"endpoint": endpoint, "reason": outcome.reason})
            await self._mailroom.put_off(endpoint, until_at=open_until_at)

    async def _put_back(self, letter: Letter, *, reason: str, until_at: datetime) -> None:
        ids = tuple(section.delivery_id for section in letter.sections)
        await self._ledger.write([self._ending(ids, "pending", reason, attempted=False, next_attempt_at=until_at)])

    def _ending(
        self,
        ids: tuple[UUID, ...],
        state: State,
        reason: str | None = None,
        *,
        attempted: bool = True,
        next_attempt_at: datetime | None = None,
        change_ids: tuple[UUID, ...] = (),
    ) -> Settled:
        return Settled(
            delivery_ids=ids,
            owner=self._owner,
            state=state,
            reason=reason,
            attempted=attempted,
            next_attempt_at=next_attempt_at,
            change_ids=change_ids,
            at=self._clock.now(),
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

    async def _wait(self) -> None:
        """Until something may be due, a letter has ended, turns have grown, or it is time to stop."""
        wait_for = TURNS_GROW_FOR
        if not self._tasks:
            wait_for = LOOK_EVERY_FOR
            try:
                due_at = await self._mailroom.next_attempt_at()
            except StoreUnavailable:
                due_at = None
            if due_at is not None:
                wait_for = min(max((due_at - self._clock.now()).total_seconds(), 0.01), LOOK_EVERY_FOR)
                self._look_again = self._clock.monotonic() + wait_for
        await self._first_of(self._clock.sleep(wait_for), self._nudged.wait(), self._freed.wait(), self._stopping.wait())
        self._lanes.wake()

    async def _first_of(self, *waits: Awaitable[object]) -> None:
        tasks = [asyncio.ensure_future(wait) for wait in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    async def _drain(self) -> None:
        """Let letters under way end; what takes too long is given back to others."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._hold.drain_for)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self._mailroom.release(self._owner, at=self._clock.now())
        except StoreUnavailable as error:
            log.warning("deliveries could not be given back; their leases run out", extra={"problem": str(error)})

    async def _renew_for_ever(self) -> None:
        """Prolong the leases of what is claimed; a lost one costs a repeat under the same id."""
        while True:
            await self._clock.sleep(self._hold.lease_for / 3)
            if not self._tasks:
                continue
            try:
                await self._mailroom.renew(self._owner, until_at=self._clock.now() + timedelta(seconds=self._hold.lease_for))
            except StoreUnavailable as error:
                log.warning("leases could not be renewed", extra={"problem": str(error)})
