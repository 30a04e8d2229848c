"""Outcomes are saved together, and never too many are unsaved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

import pytest

from driftline.deliver.dispatch.outcome_writer import SAVE_BATCH, UNSAVED_AT_MOST, OutcomeWriter
from driftline.deliver.ports import DeliveryQueue
from driftline.engine.clock import SystemClock
from driftline.errors import StoreCorrupt, StoreError, StoreUnavailable
from driftline.model.delivery import DeliveryOutcome

AT = datetime(2026, 1, 1, tzinfo=UTC)


class Impatient(SystemClock):
    """Waits for nothing."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


class Store:
    """Saves while it is open, and fails first as it was told to."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.saved: list[list[DeliveryOutcome]] = []
        self.failures: list[StoreError] = []

    async def save_outcomes(self, outcomes: Sequence[DeliveryOutcome]) -> None:
        await self.open.wait()
        if self.failures:
            raise self.failures.pop(0)
        self.saved.append(list(outcomes))


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
async def writer(store: Store) -> AsyncIterator[OutcomeWriter]:
    made = OutcomeWriter(cast("DeliveryQueue", store), Impatient())
    yield made
    await made.close()


def outcome(number: int) -> DeliveryOutcome:
    return DeliveryOutcome(delivery_ids=(UUID(int=number),), owner="one", state="sent", at=AT)


async def test_what_came_while_others_were_saved_is_saved_together(store: Store, writer: OutcomeWriter) -> None:
    await writer.add(outcome(0))
    await asyncio.sleep(0)
    for number in range(1, 100):
        await writer.add(outcome(number))
    store.open.set()
    await writer.flush()
    assert store.saved == [[outcome(0)], [outcome(number) for number in range(1, 100)]]
    assert writer.unsaved == 0


async def test_whoever_adds_more_than_may_be_unsaved_waits_for_the_store(store: Store, writer: OutcomeWriter) -> None:
    adding = [asyncio.create_task(writer.add(outcome(number))) for number in range(2 * UNSAVED_AT_MOST)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert sum(task.done() for task in adding) <= UNSAVED_AT_MOST
    assert writer.unsaved <= UNSAVED_AT_MOST
    store.open.set()
    await asyncio.gather(*adding)
    await writer.flush()
    assert sum(map(len, store.saved)) == 2 * UNSAVED_AT_MOST
    assert max(map(len, store.saved)) <= SAVE_BATCH


async def test_a_store_that_is_away_is_waited_for(store: Store, writer: OutcomeWriter) -> None:
    store.failures = [StoreUnavailable("away"), StoreUnavailable("away")]
    store.open.set()
    await writer.add(outcome(1))
    await writer.flush()
    assert store.saved == [[outcome(1)]]


async def test_outcomes_that_are_refused_do_not_stop_those_after_them(store: Store, writer: OutcomeWriter) -> None:
    store.failures = [StoreCorrupt("refused")]
    store.open.set()
    await writer.add(outcome(1))
    await writer.flush()
    await writer.add(outcome(2))
    await writer.flush()
    assert store.saved == [[outcome(2)]]
