"""What the agent makes of the store's answers: what is acked, sent, judged again, tried again, and dead."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

import msgspec
from tests.unit.bus.test_relay import Rows, until

from driftline.bus.agent import REMEMBERED_FOR, Agent
from driftline.bus.memory import Broker, MemoryBus, QueuedMessage
from driftline.bus.relay import Relay
from driftline.bus.verdict import Judge, Queues
from driftline.engine.clock import SystemClock
from driftline.errors import StoreError, StoreUnavailable
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.agent import MessageKey, MessageOutcome, PagePosition, StoredPage

QUEUES = Queues()
Answer = Literal["done", "seen", "moved"]


class Pages:
    """An inbox that knows every page in version 1, and answers each commit as it was scripted."""

    def __init__(self, *answers: Sequence[Answer] | Exception, refuses: str = "") -> None:
        self.answers = list(answers)
        self.refuses = refuses  # a batch with this page
        self.batches: list[list[str]] = []
        self.forgotten: list[datetime] = []

    async def positions(self, keys: Sequence[MessageKey]) -> Sequence[PagePosition]:
        return [PagePosition(version=1, snapshot_hash="h") for _ in keys]

    async def stored(self, urls: Sequence[str]) -> Mapping[str, StoredPage]:
        return {}

    async def commit(
        self, outcomes: Sequence[MessageOutcome], *, owner: str, at: datetime, until_at: datetime
    ) -> Sequence[Answer]:
        self.batches.append([outcome.key.url.rpartition("/")[2] for outcome in outcomes])
        if self.refuses and self.refuses in self.batches[-1]:
            raise StoreError("the database does not take it")
        answer: Sequence[Answer] | Exception = self.answers.pop(0) if self.answers else ["done" for _ in outcomes]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def forget(self, *, before_at: datetime) -> None:
        self.forgotten.append(before_at)


class NoComputing:
    """Pages of a known hash are not compared."""

    async def compute(self, *_: Any) -> Any:
        raise AssertionError("nothing is to be compared")


async def dealt_with(pages: Pages, *messages: tuple[str, int]) -> tuple[Agent, dict[str, list[Any]]]:
    """An agent that has dealt with these pages and versions, and what the output queues say then."""
    broker, clock, outbox = Broker(), SystemClock(), Rows()
    agent = Agent(
        connect=lambda: connected(broker),
        inbox=pages,
        relay=Relay(outbox, clock, "agent"),
        judge=Judge(queues=QUEUES, rules=PageRules, features=Features(), ids=uuid4),
        share=NoComputing(),
        clock=clock,
        retry_after=(0.0, 0.0, 0.0),
    )
    running = asyncio.create_task(agent.run())
    await until(lambda: outbox.claims == [True, False])  # its relay waits for what is committed
    for page, version in messages:
        body = {"jobId": "j", "url": f"https://a.example/{page}", "parsed": {}, "version": version, "snapshotHash": "h"}
        letter = QueuedMessage(broker, QUEUES.input, msgspec.json.encode(body), f"{page} {version}", {})
        broker.queues[QUEUES.input].append(letter)
    await broker.notify()  # all at once: they are dealt with together
    await until(lambda: agent.counts.total() - agent.counts["retried"] >= len(messages))
    agent.stop()
    await asyncio.wait_for(running, 60)
    assert not broker.queues[QUEUES.input], "each was acked"
    out = {name: list(letters) for name, letters in broker.queues.items() if letters}
    return agent, {
        name: [letter.message_id if name == "dead_letter" else _page(letter.body) for letter in letters]
        for name, letters in out.items()
    }


async def connected(broker: Broker) -> MemoryBus:
    return MemoryBus(broker)


def _page(body: bytes) -> str:
    told = msgspec.json.decode(body)
    return f"{told['url'].rpartition('/')[2]} {told['currentVersion']}"


async def test_a_message_that_was_seen_meanwhile_is_acked_and_sent_by_whoever_saw_it() -> None:
    agent, sent = await dealt_with(Pages(["done", "seen"]), ("a", 2), ("b", 2))
    assert dict(agent.counts) == {"unchanged": 1, "repeated": 1}
    assert sent == {"storage-agent": ["a 2"]}


async def test_messages_are_remembered_for_some_days_and_then_forgotten() -> None:
    pages = Pages()
    started_at = datetime.now(UTC)
    await dealt_with(pages, ("a", 2))
    assert len(pages.forgotten) == 1
    assert started_at <= pages.forgotten[0] + REMEMBERED_FOR <= datetime.now(UTC)


async def test_two_messages_about_one_page_are_committed_one_after_the_other() -> None:
    pages = Pages()
    _, sent = await dealt_with(pages, ("a", 2), ("b", 2), ("a", 3))
    assert pages.batches == [["a", "b"], ["a"]]
    assert sent == {"storage-agent": ["a 2", "b 2", "a 3"]}


async def test_a_page_that_moved_is_judged_again_and_the_others_are_not() -> None:
    pages = Pages(["done", "moved", "done"])
    agent, sent = await dealt_with(pages, ("a", 2), ("b", 2), ("c", 2))
    assert pages.batches == [["a", "b", "c"], ["b"]]
    assert sorted(sent["storage-agent"]) == ["a 2", "b 2", "c 2"]
    assert agent.counts["unchanged"] == 3


async def test_one_culprit_among_several_is_dead_alone() -> None:
    pages = Pages(refuses="b")
    agent, sent = await dealt_with(pages, ("a", 2), ("b", 2), ("c", 2))
    assert sorted(sent["storage-agent"]) == ["a 2", "c 2"]
    assert sent["dead_letter"] == ["b 2"]
    assert dict(agent.counts) == {"unchanged": 2, "retried": 3, "dead": 1}
    assert pages.batches[:4] == [["a", "b", "c"], ["a"], ["b"], ["c"]]


async def test_a_store_that_is_away_is_not_asked_for_each_message_of_a_batch() -> None:
    pages = Pages(StoreUnavailable("away"))
    agent, sent = await dealt_with(pages, ("a", 2), ("b", 2))
    assert pages.batches[0] == ["a", "b"]
    assert len(pages.batches) <= 3  # then they come again, together or one by one
    assert agent.counts["retried"] == 2
    assert sorted(sent["storage-agent"]) == ["a 2", "b 2"]


async def test_a_page_that_others_never_stop_moving_is_dead_in_the_end() -> None:
    again: Sequence[Answer] = ("moved",)
    pages = Pages(*[again] * 100)
    agent, sent = await dealt_with(pages, ("a", 2))
    assert sent == {"dead_letter": ["a 2"]}
    assert dict(agent.counts) == {"retried": 3, "dead": 1}
    assert len(pages.batches) == 20  # five rounds, four times
