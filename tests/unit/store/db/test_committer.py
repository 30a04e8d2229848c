"""The one writer: what it commits together, what it tries again on a new connection, and what it never does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest

from driftline.errors import StoreError, StoreUnavailable
from driftline.store.db.committer import Committer
from driftline.store.db.drivers import Driver


class Broken(Exception):
    """The connection is gone."""


class Wrong(Exception):
    """The statement is refused; the connection is fine."""


class Connection:
    def __init__(self, driver: Scripted) -> None:
        self.driver = driver

    def execute(self, sql: str) -> None:
        self.driver.said.append(sql)
        if faults := self.driver.faults.get(sql):
            raise faults.pop(0)

    def close(self) -> None:
        self.driver.said.append("close")


class Scripted:
    """A driver whose statements fail as they were told to, in turn."""

    errors = (Broken, Wrong)

    def __init__(self) -> None:
        self.said: list[str] = []
        self.faults: dict[str, list[Exception]] = {}
        self.connects = 0

    def connect(self) -> Connection:
        self.connects += 1
        return Connection(self)

    def begin(self, connection: Any, *, write: bool) -> None:
        connection.execute(f"BEGIN {write}")

    def lost(self, _connection: Any, error: Exception) -> bool:
        return isinstance(error, Broken)

    def classified(self, error: Exception) -> StoreError:
        return StoreUnavailable("gone") if isinstance(error, Broken) else StoreError("refused")


@pytest.fixture
def driver() -> Scripted:
    return Scripted()


@pytest.fixture
def committer(driver: Scripted) -> Iterator[Committer]:
    made = Committer(cast("Driver", driver), lambda _driver, connection: connection)
    yield made
    made.close()


def doubled(_tx: Any, work: Sequence[int]) -> Sequence[int]:
    return [2 * one for one in work]


def failing(error: Exception) -> Callable[[Any, Sequence[Any]], Sequence[Any]]:
    def do(_tx: Any, _work: Sequence[Any]) -> Sequence[Any]:
        raise error

    return do


def test_one_unit_is_one_transaction_on_a_connection_that_is_kept(driver: Scripted, committer: Committer) -> None:
    assert [committer.submit_now(doubled, number) for number in (3, 4)] == [6, 8]
    assert driver.said == ["BEGIN True", "COMMIT"] * 2
    assert driver.connects == 1


def test_a_connection_that_was_lost_meanwhile_is_replaced_once(driver: Scripted, committer: Committer) -> None:
    committer.submit_now(doubled, 1)
    driver.faults = {"BEGIN True": [Broken()]}
    assert committer.submit_now(doubled, 3) == 6
    assert driver.connects == 2


def test_a_new_connection_that_is_lost_too_is_an_error(driver: Scripted, committer: Committer) -> None:
    committer.submit_now(doubled, 1)
    driver.faults = {"BEGIN True": [Broken(), Broken()]}
    with pytest.raises(StoreUnavailable, match="gone"):
        committer.submit_now(doubled, 3)
    assert driver.connects == 2
    assert committer.submit_now(doubled, 3) == 6  # and the next one begins anew


def test_the_first_connection_is_not_tried_twice(driver: Scripted, committer: Committer) -> None:
    driver.faults = {"BEGIN True": [Broken()]}
    with pytest.raises(StoreUnavailable, match="gone"):
        committer.submit_now(doubled, 3)
    assert driver.connects == 1


def test_a_connection_lost_while_committing_is_never_tried_again(driver: Scripted, committer: Committer) -> None:
    committer.submit_now(doubled, 1)
    driver.faults = {"COMMIT": [Broken()]}
    with pytest.raises(StoreUnavailable, match="while committing"):
        committer.submit_now(doubled, 3)
    assert driver.said.count("COMMIT") == 2


def test_a_commit_that_is_refused_is_rolled_back_and_the_connection_stays(driver: Scripted, committer: Committer) -> None:
    driver.faults = {"COMMIT": [Wrong()]}
    with pytest.raises(StoreError, match="refused"):
        committer.submit_now(doubled, 3)
    assert driver.said == ["BEGIN True", "COMMIT", "ROLLBACK"]
    assert committer.submit_now(doubled, 3) == 6
    assert driver.connects == 1


def test_what_the_work_itself_raises_is_its_callers_and_rolled_back(driver: Scripted, committer: Committer) -> None:
    with pytest.raises(ZeroDivisionError):
        committer.submit_now(failing(ZeroDivisionError()), 1)
    assert driver.said == ["BEGIN True", "ROLLBACK"]


def test_a_rollback_that_fails_costs_the_connection(driver: Scripted, committer: Committer) -> None:
    driver.faults = {"ROLLBACK": [Wrong()]}
    with pytest.raises(ZeroDivisionError):
        committer.submit_now(failing(ZeroDivisionError()), 1)
    assert driver.said[-1] == "close"
    assert committer.submit_now(doubled, 3) == 6
    assert driver.connects == 2


def test_a_transaction_that_never_began_is_not_rolled_back(driver: Scripted, committer: Committer) -> None:
    driver.faults = {"BEGIN True": [Wrong()]}
    with pytest.raises(StoreError, match="refused"):
        committer.submit_now(doubled, 3)
    assert "ROLLBACK" not in driver.said


def test_after_the_end_nothing_is_taken(driver: Scripted, committer: Committer) -> None:
    committer.submit_now(doubled, 1)
    committer.close()
    assert driver.said[-1] == "close"
    with pytest.raises(StoreUnavailable, match="closed"):
        committer.submit_now(doubled, 1)
