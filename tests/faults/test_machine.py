"""A state machine of everything that may happen to watches, in any order, with a model of what must be told."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from tests.faults.story import edition, edition_in, page_of

from driftline.core.identity.ids import make_ids
from driftline.engine import fault_points
from driftline.engine.check.checker import Checker
from driftline.engine.jobs.clock_skew import ClockGuard
from driftline.engine.pool import Pool
from driftline.engine.ports import Claim
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Failed, Fetched, Request
from driftline.policy.retention import RetentionLimits
from driftline.store.blobs import blobs_for
from driftline.store.rows import NewWatch
from driftline.store.runs.pruning import Pruning
from driftline.store.store import Store

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LEASE = timedelta(minutes=5)


class Killed(BaseException):
    """Where a real process would be gone: nothing that follows happens."""


class Site:
    """A source without a network: pages by version, and a time when nothing answers."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self.down = False
        self.at = START

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        path = "/" + request.url.rsplit("/", 1)[1]
        if self.down:
            return Failed(request=request, reason="timeout")
        body = page_of(path, self.versions[path]).body
        return Fetched(
            request=request, url=request.url, status=200, headers={"content-type": "text/html"}, body=body, at=self.at
        )


class Machine(RuleBasedStateMachine):
    """One store, one source, and workers that die."""

    url = ""  # set for each database
    watches: Bundle[str] = Bundle("watches")
    claims: Bundle[Claim] = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.site = Site()
        self.at = START
        self.elapsed = 0.0
        self.pool = Pool()
        self.ids = make_ids(lambda: int(self.at.timestamp() * 1000), secrets.randbits)
        self.model: dict[str, list[str]] = {}  # by page: the versions that were recorded, in order
        self.watch_ids: dict[str, UUID] = {}
        self.example = secrets.token_hex(4)

    @initialize()
    def open(self) -> None:
        """What a new process does; those of earlier examples stay away from this one."""
        self.store = Store.open(self.url)
        self.org = self.store.write_now(lambda session: session.default_org(at=self.at))
        self.checker = Checker(
            store=self.store, fetcher=self.site, pool=self.pool, clock=self, ids=self.ids, kinds=KINDS, calibrate_after=0.0
        )
        self.clock_guard = ClockGuard(self.store, self, lease_for=LEASE.total_seconds())

    def teardown(self) -> None:
        self.pool.close()
        self.store.write_now(lambda session: session.tx.run("UPDATE watches SET retired_at = ?", (self.at,)))
        self.store.close()
        self.loop.close()

    # The clock of all that is checked here.

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.elapsed

    async def sleep(self, seconds: float) -> None:
        self.elapsed += seconds

    # What may happen.

    @rule(target=watches)
    def add_a_watch(self) -> str:
        path = f"/{self.example}-{len(self.model)}"
        watch_id = self.ids()
        draft = NewWatch(
            id=watch_id, kind="page", scope=str(watch_id), url=f"http://example.org{path}", name=path,
            rules={"calibrate": False, "alert_after": 99}, next_due_at=self.at,
        )  # fmt: skip
        self.store.write_now(lambda session: session.org(self.org.id).watches.add([draft], at=self.at))
        self.site.versions[path], self.model[path], self.watch_ids[path] = 1, [], watch_id
        return path

    @rule(path=watches)
    def publish(self, path: str) -> None:
        self.site.versions[path] += 1

    @rule(down=st.booleans())
    def the_site_goes_or_comes(self, down: bool) -> None:
        self.site.down = down

    @rule(hours=st.sampled_from([1, 2, 30]))
    def time_passes(self, hours: int) -> None:
        self.at += timedelta(hours=hours)
        self.elapsed += hours * 3600

    @rule(hours=st.sampled_from([-48, -23, -1, 23, 48]))
    def the_clock_is_set(self, hours: int) -> None:
        self.at += timedelta(hours=hours)
        self.loop.run_until_complete(self.clock_guard.check_clock())

    @rule()
    def poll(self) -> None:
        for claim in self._claim_due():
            self._check(claim)

    @rule(target=claims, path=watches)
    def claim_and_fall_asleep(self, path: str) -> MultipleResults[Claim]:
        return multiple(*self._claim(path))

    @rule(claim=consumes(claims))
    def wake_up_and_commit(self, claim: Claim) -> None:
        """In time or too late: the fence decides, and the model asks it first."""
        self._check(claim)

    @rule(point=st.sampled_from(["fetched", "recording", "recorded"]), path=watches)
    def die_at(self, point: str, path: str) -> None:
        """A worker dies; the rows say whether its commit was there before that."""
        self.at += 2 * LEASE
        self.elapsed += 2 * LEASE.total_seconds()
        for claim in self._claim(path):
            with dying_at(point):
                self._check(claim, dies=True)
            self.store.close()
            self.open()

    @rule(path=watches)
    def judge_the_same_run_again(self, path: str) -> None:
        """The latest run, recorded once more: its answer is the first one's."""
        before = self._told(path)
        for claim in self._claim(path):
            self._check(claim)
            self._check(claim)
        assert self._told(path)[: len(before)] == before

    @rule(versions=st.integers(1, 3))
    def prune(self, versions: int) -> None:
        pruning = Pruning(self.store.database, blobs_for(""))
        self.loop.run_until_complete(pruning.beyond(RetentionLimits(versions=versions), at=self.at))

    # What must hold.

    @invariant()
    def every_recorded_version_is_told_once_and_in_order(self) -> None:
        for path, recorded in self.model.items():
            reported = self._told(path)
            assert len(reported) == max(len(recorded) - 1, 0), (path, recorded, reported)
            for (before, after), known in zip(reported, pairwise(recorded), strict=True):
                assert before in (known[0], "?")  # pruned snapshots do not say any more
                assert after in (known[1], "?")

    def _told(self, path: str) -> list[tuple[str, str]]:
        rows = self.store.read_now(lambda session: session.tx.rows(_TOLD, (path,)))
        return [(edition_in(before), edition_in(after)) for before, after in rows]

    def _claim(self, path: str) -> list[Claim]:
        """One watch, due or not; nothing while somebody else holds it."""
        until_at = self.at + LEASE
        claimed = self.store.claim([self.watch_ids[path]], owner=secrets.token_hex(4), at=self.at, until_at=until_at)
        return list(self.loop.run_until_complete(claimed))

    def _claim_due(self) -> list[Claim]:
        until_at = self.at + LEASE
        return list(self.loop.run_until_complete(self.store.claim_due(50, owner="poll", at=self.at, until_at=until_at)))

    def _check(self, claim: Claim, *, dies: bool = False) -> None:
        """A check, and what the model makes of it."""
        path = claim.watch.name
        held = self._holds(claim)
        shown = edition(self.site.versions[path])
        runs = self._runs(path)
        try:
            self.loop.run_until_complete(self.checker.check(claim))
        except Killed:
            assert dies
        done = self._runs(path) > runs
        assert done == held or dies, "a run is recorded exactly when the lease is held"
        if done and not self.site.down and self.model[path][-1:] != [shown]:
            self.model[path].append(shown)

    def _holds(self, claim: Claim) -> bool:
        lease = claim.lease
        rows = self.store.read_now(lambda session: session.tx.rows(_HOLDS, (lease.watch_id, lease.owner, lease.fence)))
        return bool(rows)

    def _runs(self, path: str) -> int:
        return int(self.store.read_now(lambda session: session.tx.row(_RUNS, (path,)))[0])


@contextmanager
def dying_at(point: str) -> Iterator[None]:
    """The point throws instead of killing, so that this process can tell of it."""

    def die(_pid: int, _signal: int) -> None:
        raise Killed(point)

    kill, os.kill = os.kill, die
    fault_points.arm(point)
    try:
        yield
    finally:
        os.kill = kill
        fault_points.arm("")


_TOLD = """
SELECT b.text, a.text FROM watches AS w JOIN changes AS c ON c.watch_id = w.id
LEFT JOIN snapshots AS b ON b.id = c.prev_snapshot_id LEFT JOIN snapshots AS a ON a.id = c.next_snapshot_id
WHERE w.name = ? AND c.item_id IS NOT NULL ORDER BY c.created_at, c.id
"""
_HOLDS = (
    "SELECT 1 FROM watches AS w WHERE w.id = ? AND w.lease_owner = ? AND w.fence = ? "
    "AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.watch_id = w.id AND r.fence = w.fence)"
)
_RUNS = "SELECT count(*) FROM watches AS w JOIN runs AS r ON r.watch_id = w.id WHERE w.name = ?"


def test_whatever_happens_each_recorded_version_is_reported_once(database_url: str, times: Callable[[int, int], int]) -> None:
    machine = type("Machine", (Machine,), {"url": database_url})
    shape = settings(
        max_examples=times(5, 100),
        stateful_step_count=times(20, 50),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    run_state_machine_as_test(machine, settings=shape)
