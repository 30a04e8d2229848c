"""Random polls of one stored bucket against the algorithm said in sets, on both databases."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.integration.boards import Hands

from driftline.engine.check.checker import Checker
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.pool import Pool
from driftline.engine.ports import Claim
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Failed, Fetched, Request
from driftline.settings import Settings
from driftline.wiring import App

Slot = tuple[str, str]
SLOTS = [(venue, at) for venue in "abc" for at in ("2026-02-28T20:30", "2026-02-28T21:00")]
OFFERS = st.sets(st.sampled_from(SLOTS), max_size=5)
TTL = timedelta(minutes=30)


class Board:
    """A way out that leads to one board: `offers` is what it shows, `fails` the party sizes that it does not answer."""

    def __init__(self, hands: Hands) -> None:
        self.hands = hands
        self.offers: set[Slot] = set()
        self.fails: set[str] = set()

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        await asyncio.sleep(0)
        if request.label.rpartition("|")[2] in self.fails:
            return Failed(request=request, reason="http 500", status=500)
        slots = [{"provider": "p", "venue_id": venue, "time": at} for venue, at in sorted(self.offers)]
        body = json.dumps({"slots": slots}).encode()
        return Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=self.hands.at)


class Machine(RuleBasedStateMachine):
    """The store is real; the model is two sets and a dict."""

    app: App  # set by the test
    hands: Hands

    def __init__(self) -> None:
        super().__init__()
        self.board = Board(self.hands)
        self.pool = Pool()
        self.checker = Checker(
            store=self.app.store,
            fetcher=self.board,
            pool=self.pool,
            clock=self.hands,
            ids=self.app.ids,
            kinds=KINDS,
            calibrate_after=0,
        )
        rules = {"dates": ["2026-02-28"], "time_slots": ["20:30"]}
        self.hands.at = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
        watch_input = WatchInput(url="https://b.example/?d={date}&n={party_size}", kind="availability", rules=rules)
        (parent,) = self.app.add([self.app.draft(watch_input)])
        (self.bucket_id,) = self.app.leaves([parent.id])
        self.parent_id: UUID = parent.id
        self.previous: set[Slot] | None = None
        self.dropped_at: dict[Slot, datetime] = {}
        self.owners = 0

    def teardown(self) -> None:
        self.pool.close()

    async def claim(self) -> Claim:
        """Taken over from whoever had it: its lease has run out by then."""
        self.owners += 1
        late = self.hands.at + timedelta(days=self.owners)
        (claim,) = await self.app.store.claim(
            [self.bucket_id], owner=f"worker {self.owners}", at=late, until_at=late + timedelta(hours=1)
        )
        return claim

    def poll(self) -> Checked:
        async def once() -> Checked:
            return await self.checker.check(await self.claim())

        self.hands.at += timedelta(seconds=1)
        return asyncio.run(once())

    def expected(self) -> set[Slot]:
        """The drops that the source's algorithm emits for a complete poll; moves the model on."""
        current, reported = set(self.board.offers), set()
        if self.previous is not None:
            had = {venue for venue, _ in self.previous}
            opened_at = self.hands.at + timedelta(seconds=1)
            for slot in current - self.previous:
                if slot[0] not in had and not (slot in self.dropped_at and self.dropped_at[slot] >= opened_at - TTL):
                    reported.add(slot)
            self.dropped_at |= dict.fromkeys(reported, opened_at)
        self.previous = current
        return reported

    @staticmethod
    def emitted(checked: Checked) -> set[Slot]:
        return {
            (change.after["venue_id"], change.after["time"])
            for change in checked.changes
            if change.type == "drop" and change.after
        }

    @initialize(offers=OFFERS)
    def baseline(self, offers: set[Slot]) -> None:
        self.complete_poll(offers)

    @rule(offers=OFFERS)
    def complete_poll(self, offers: set[Slot]) -> None:
        self.board.offers, self.board.fails = offers, set()
        expected = self.expected()
        assert self.emitted(self.poll()) == expected

    @rule(offers=OFFERS, fails=st.sets(st.sampled_from(["2", "4"]), min_size=1))
    def poll_that_fails(self, offers: set[Slot], fails: set[str]) -> None:
        self.board.offers, self.board.fails = offers, fails
        checked = self.poll()
        assert checked.run.status == ("failed" if len(fails) == 2 else "partial")
        assert self.emitted(checked) == set()

    @rule(offers=OFFERS)
    def two_workers_at_once(self, offers: set[Slot]) -> None:
        self.board.offers, self.board.fails = offers, set()
        expected = self.expected()
        self.hands.at += timedelta(seconds=1)

        async def both() -> list[Checked]:
            claims = [await self.claim(), await self.claim()]
            return list(await asyncio.gather(*map(self.checker.check, claims)))

        loser, winner = asyncio.run(both())
        assert (loser.stale, winner.stale) == (True, False)
        assert (self.emitted(loser), self.emitted(winner)) == (set(), expected)

    @rule(offers=OFFERS)
    def rebaseline(self, offers: set[Slot]) -> None:
        self.app.write(lambda data: data.watches.rebaseline(self.parent_id))
        self.board.offers, self.board.fails = offers, set()
        self.previous = None
        self.complete_poll(offers)

    @rule(minutes=st.sampled_from([1, 29, 30, 31, 90]))
    def time_passes(self, minutes: int) -> None:
        self.hands.at += timedelta(minutes=minutes)

    @invariant()
    def what_is_open_is_the_last_complete_poll(self) -> None:
        def look(data: Any) -> set[Slot]:
            from driftline.store.views.results.slots import SlotFilter

            rows = data.slots.available(SlotFilter(watch_id=self.parent_id)).rows
            return {(found.slot.venue_id, found.slot.time) for found in rows}

        assert self.app.read(look) == (self.previous or set())


@pytest.fixture
def app(database_url: str) -> Iterator[App]:
    with closing(App(Settings(db=database_url), clock=Hands())) as opened:
        yield opened


def test_a_stored_bucket_agrees_with_its_model(app: App, request: pytest.FixtureRequest) -> None:
    machine = type("BucketMachine", (Machine,), {"app": app, "hands": app.clock})
    examples = 40 if "sqlite" in request.node.name else 15
    limits = settings(
        max_examples=examples,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
    run_state_machine_as_test(machine, settings=limits)
