"""The one writer thread of a process: units that arrive together are committed together.

    waiting -> group (at most 300 units or 5 ms) -> BEGIN, do, COMMIT -> answers
                  └ on an error: roll back, and run each unit in its own transaction; only the faulty one fails

A single unit does not wait: the committer lingers only if the previous group had several units.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar

from driftline.engine.fault_points import fault_point
from driftline.errors import StoreUnavailable
from driftline.store.db.drivers import Driver

T = TypeVar("T")
U = TypeVar("U")

GROUP: Final = 300  # units
LINGER_FOR: Final = 0.005  # seconds, at most, while units keep coming
IDLE_FOR: Final = 0.002  # a gap this long ends the group
QUEUE_LIMIT: Final = 4096  # units; beyond that, writers wait


class Unit:
    """One caller's work, and the future that it waits for."""

    __slots__ = ("do", "future", "loop", "outcome", "work")

    def __init__(self, do: Callable[[Any, Sequence[Any]], Sequence[Any]], work: Any, loop: Any, future: Any) -> None:
        self.do = do
        self.work = work
        self.loop = loop  # None: a thread waits, no event loop
        self.future = future
        self.outcome: tuple[bool, Any] | None = None  # (succeeded, answer or error)


class MakeTx(Protocol):
    """Makes a transaction object for a connection."""

    def __call__(self, driver: Driver, connection: Any) -> Any:
        """The transaction object."""


class Committer:
    """Owns the writing connection, and reconnects when it is lost."""

    def __init__(self, driver: Driver, make_tx: MakeTx) -> None:
        self._driver = driver
        self._make_tx = make_tx
        self._waiting: queue.SimpleQueue[Unit | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._room = threading.Condition()
        self._closed = False
        self._connection: Any = None

    async def submit(self, do: Callable[[Any, Sequence[U]], Sequence[T]], work: U) -> T:
        """Queue a unit and wait for its answer without blocking the event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._waiting.qsize() >= QUEUE_LIMIT:
            await asyncio.to_thread(self._wait_for_room)
        self._put(Unit(do, work, loop, future))
        return await future

    def submit_now(self, do: Callable[[Any, Sequence[U]], Sequence[T]], work: U) -> T:
        """Queue a unit and block this thread until it is answered."""
        future: Future[T] = Future()
        self._wait_for_room()
        self._put(Unit(do, work, None, future))
        return future.result()

    def close(self) -> None:
        """Commit what is queued and end the thread."""
        with self._starting:
            self._closed = True
            thread = self._thread
            if thread is not None:
                self._waiting.put(None)
        if thread is not None:
            thread.join()

    def _wait_for_room(self) -> None:
        if self._waiting.qsize() >= QUEUE_LIMIT:
            with self._room:
                self._room.wait_for(lambda: self._waiting.qsize() < QUEUE_LIMIT)

    def _put(self, unit: Unit) -> None:
        with self._starting:  # nothing may be queued after the end
            if self._closed:
                raise StoreUnavailable("the database is closed")
            self._waiting.put(unit)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="driftline-commit", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        had_company = False
        while True:
            group, last = self._gather(had_company)
            had_company = len(group) > 1
            with self._room:
                self._room.notify_all()
            if group:
                self._commit(group)
                _answer(group)
            if last:
                break
        self._drop_connection()

    def _gather(self, had_company: bool) -> tuple[list[Unit], bool]:
        """The next group, and whether it is the last one."""
        first = self._waiting.get()
        if first is None:
            return [], True
        group = [first]
        until = time.monotonic() + LINGER_FOR
        while len(group) < GROUP:
            try:
                unit = self._waiting.get_nowait()
            except queue.Empty:
                left = until - time.monotonic()
                if not had_company or left <= 0:
                    break
                try:
                    unit = self._waiting.get(timeout=min(left, IDLE_FOR))
                except queue.Empty:
                    break
            if unit is None:
                return group, True
            group.append(unit)
        return group, False

    def _commit(self, group: list[Unit]) -> None:
        """Commit the group together; if that fails and the connection is fine, one by one."""
        error = self._attempt(group)
        if error is None:
            return
        if len(group) == 1 or isinstance(error, StoreUnavailable):
            for unit in group:
                unit.outcome = (False, error)
            return
        for unit in group:
            alone = self._attempt([unit])
            if alone is not None:
                unit.outcome = (False, alone)

    def _attempt(self, group: list[Unit]) -> Exception | None:
        """One transaction; if the connection was lost before COMMIT, it is tried once more on a new one."""
        for fresh in (False, True):
            begun = committing = False
            try:
                if self._connection is None:
                    self._connection, fresh = self._driver.connect(), True  # noqa: PLW2901 - nothing newer to try
                self._driver.begin(self._connection, write=True)
                begun = True
                fault_point("begun")
                self._do(group)
                fault_point("written")
                committing = True
                self._connection.execute("COMMIT")
                fault_point("committed")
            except self._driver.errors as error:
                lost = self._driver.lost(self._connection, error)
                failure = self._driver.classified(error)
                failure.__cause__ = error
                self._abandon(lost=lost, begun=begun)
                if committing and lost:
                    return StoreUnavailable("the connection was lost while committing", hint="try again: it may be there")
                if lost and not fresh:
                    continue
                return failure
            except Exception as error:  # noqa: BLE001 - it is its caller's, who gets it from the future
                self._abandon(lost=False, begun=begun)
                return error
            else:
                return None
        raise AssertionError("the second attempt always ends")

    def _do(self, group: list[Unit]) -> None:
        """Units with the same `do` become one call, so that they can be written in bulk."""
        alike: dict[Any, list[Unit]] = {}
        for unit in group:
            alike.setdefault(unit.do, []).append(unit)
        tx = self._make_tx(self._driver, self._connection)
        for do, units in alike.items():
            for unit, answer in zip(units, do(tx, [unit.work for unit in units]), strict=True):
                unit.outcome = (True, answer)

    def _abandon(self, *, lost: bool, begun: bool) -> None:
        if not lost and begun and self._connection is not None:
            try:
                self._connection.execute("ROLLBACK")
            except self._driver.errors:
                lost = True  # SQLite may have ended the transaction itself; a new connection is always clean
        if lost:
            self._drop_connection()

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(*self._driver.errors):
                self._connection.close()
            self._connection = None


def _answer(group: list[Unit]) -> None:
    """Resolve every future; an event loop is woken once per group, not once per unit."""
    by_loop: dict[Any, list[Unit]] = {}
    for unit in group:
        if unit.loop is None:
            _resolve([unit])
        else:
            by_loop.setdefault(unit.loop, []).append(unit)
    for loop, units in by_loop.items():
        with suppress(RuntimeError):  # the event loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_resolve, units)


def _resolve(units: list[Unit]) -> None:
    for unit in units:
        if unit.future.done() or unit.outcome is None:
            continue
        worked, answer = unit.outcome
        if worked:
            unit.future.set_result(answer)
        else:
            unit.future.set_exception(answer)
