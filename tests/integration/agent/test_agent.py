"""Messages through the agent, in-process queues and both databases."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest
from tests.integration.agent.conftest import QUEUES, UNCHANGED, Post, example, parsed, until

from driftline.bus.messages import LARGEST
from driftline.errors import StoreUnavailable
from driftline.wiring import App

OTHER = "A completely different text about another thing altogether, written anew."


async def test_a_new_page_is_told_to_storage_alone_and_marked_as_new(post: Post) -> None:
    said = await post.ask(example())
    assert said == {
        "storage-agent": [
            {
                "jobId": "abc123",
                "url": "https://example.com/p/12",
                "hasChanges": False,
                "previousVersion": None,
                "currentVersion": 3,
                "snapshotHash": "1be6fa09",
                "isNew": True,
            }
        ]
    }


async def test_the_same_hash_is_told_to_storage_alone_without_a_report(post: Post) -> None:
    await post.ask(example())
    said = await post.ask(example(version=4, parsed=parsed(text=OTHER)))
    assert said == {"storage-agent": [UNCHANGED]}


async def test_a_changed_product_is_told_to_all_three_with_the_prices_understood(post: Post) -> None:
    await post.ask(example())
    page = parsed(
        title="iPhone 13 Pro",
        priceCandidates=["₹69,999", "call us"],
        images=["https://example.com/i/2.png"],
        metadata={"og:title": "iPhone 13 Pro", "og:site_name": "Shop", "fb:app_id": "77"},
    )
    said = await post.ask(example(parsed=page, snapshotHash="2", version=4))
    (notify,), (storage,), (priced,) = said["notify"], said["storage-agent"], said["price.update"]
    assert notify == storage
    changes = notify.pop("changes")
    assert notify == {
        "jobId": "abc123",
        "url": "https://example.com/p/12",
        "hasChanges": True,
        "diff": {
            "titleChanged": True,
            "textDiff": "",
            "metadataChanges": {"og:title": {"before": "iPhone 13", "after": "iPhone 13 Pro"}},
            "imageChanges": {"added": ["https://example.com/i/2.png"], "removed": ["https://example.com/i/1.png"]},
            "priceChanged": True,
        },
        "previousVersion": 3,
        "currentVersion": 4,
        "snapshotHash": "2",
    }
    assert changes["title"] == {"before": "iPhone 13", "after": "iPhone 13 Pro", "changed": True}
    assert changes["price"]["after"] == {"price": "69999", "currency": "INR"}
    assert priced["prices"] == [
        {"candidate": "₹69,999", "amount": "69999", "currency": "INR"},
        {"candidate": "call us", "amount": None, "currency": None},
    ]


async def test_text_that_differs_too_little_is_stored_and_not_told(post: Post) -> None:
    long = "\n".join(f"Paragraph {word} about the product and how it is used every day" for word in "abcdefghijklmnopqrst")
    await post.ask(example(parsed=parsed(text=long)))
    said = await post.ask(example(parsed=parsed(text=long.replace("every day", "each day", 1)), snapshotHash="2", version=4))
    assert [message["hasChanges"] for message in said.pop("storage-agent")] == [False]
    assert said == {}
    said = await post.ask(example(parsed=parsed(text=OTHER), snapshotHash="3", version=5))
    assert [message["diff"]["textDiff"] != "" for message in said["notify"]] == [True]


async def test_an_article_without_price_candidates_never_reaches_the_price_queue(post: Post) -> None:
    article = {"classification": {"type": "article"}, "url": "https://example.com/a"}
    await post.ask(example(**article))
    said = await post.ask(example(**article, parsed=parsed(text=OTHER), snapshotHash="2", version=4))
    assert set(said) == {"notify", "storage-agent"}
    product = {"url": "https://example.com/b"}
    await post.ask(example(**product, parsed=parsed(priceCandidates=[])))
    said = await post.ask(example(**product, parsed=parsed(text=OTHER, priceCandidates=[]), snapshotHash="2", version=4))
    assert set(said) == {"notify", "storage-agent"}


async def test_an_older_version_that_arrives_late_overwrites_nothing_and_is_not_told(post: Post) -> None:
    await post.ask(example(version=5, snapshotHash="five"))
    assert await post.ask(example(version=4, snapshotHash="four", parsed=parsed(text=OTHER))) == {}
    said = await post.ask(example(version=6, snapshotHash="five"))
    assert [message["previousVersion"] for message in said["storage-agent"]] == [5]
    assert set(said) == {"storage-agent"}


async def test_the_same_message_again_makes_no_second_event(post: Post) -> None:
    changed = example(parsed=parsed(text=OTHER), snapshotHash="2", version=4)
    first = await post.ask(example(), changed, changed)
    assert len(first["notify"]) == 1
    assert await post.ask(changed) == {}
    assert len(post.app.read(lambda data: data.changes.page(limit=10).rows)) == 1


async def test_messages_about_one_page_in_one_batch_are_compared_one_after_the_other(post: Post) -> None:
    texts = [f"Edition {number}: {OTHER[number * 7 :]}" for number in range(5)]
    said = await post.ask(*(example(parsed=parsed(text=text), snapshotHash=text, version=at) for at, text in enumerate(texts)))
    assert [(one["previousVersion"], one["currentVersion"]) for one in said["storage-agent"]] == [
        (None, 0), (0, 1), (1, 2), (2, 3), (3, 4),
    ]  # fmt: skip


async def test_unknown_fields_are_passed_on_and_missing_optional_ones_tolerated(post: Post) -> None:
    bare = {"jobId": "j", "url": "https://example.com/bare", "parsed": {}, "snapshotHash": "h", "version": 1}
    said = await post.ask(bare | {"tenant": {"id": 7}, "hasChanges": "mine does not count"})
    (told,) = said["storage-agent"]
    assert told["tenant"] == {"id": 7}
    assert told["hasChanges"] is False


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not json", "does not parse"),
        (b"\xff\xfe", "does not parse"),
        (b"[]", "does not parse"),
        (b"{}", "does not parse"),
        (b'{"jobId":1,"url":"u","parsed":{},"snapshotHash":"h","version":1}', "does not parse"),
        (b'{"jobId":"1","url":"","parsed":{},"snapshotHash":"h","version":1}', "does not parse"),
        (b'{"jobId":"1","url":"u","parsed":{"text":5},"snapshotHash":"h","version":1}', "does not parse"),
        (b'{"jobId":"1","url":"u","parsed":{},"snapshotHash":"h","version":"1"}', "does not parse"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"jobId":"1","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"jobId":"' + b"x" * LARGEST + b'"}', "too large"),
    ],
    ids=["text", "bytes", "list", "empty", "job", "no-url", "text-type", "version", "deep", "deep-extra", "large"],
)
async def test_what_cannot_be_read_is_dead_at_once_with_the_reason_and_the_agent_stays_up(
    post: Post, body: bytes, reason: str
) -> None:
    said = await post.ask(body, example())
    assert len(said["storage-agent"]) == 1
    (dead,) = said["dead_letter"]
    assert dead.body == body
    assert reason in dead.headers["reason"]
    assert (dead.headers["attempts"], dead.headers["queue"]) == (1, QUEUES.input)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(document.domain)",
        "data:text/html,<b>x</b>",
        "file:///etc/passwd",
        "https://user:password@example.com/",
        "https://example.com\\@other.example/",
        "ftp://example.com/",
        "/p/12",
        "https://",
    ],
)
async def test_a_page_without_an_address_of_the_web_is_dead_at_once(post: Post, url: str) -> None:
    said = await post.ask(example(url=url), example())
    assert len(said["storage-agent"]) == 1
    (dead,) = said["dead_letter"]
    assert "no address of a page" in dead.headers["reason"]


async def test_an_address_longer_than_any_that_is_visited_is_dead_at_once(post: Post) -> None:
    said = await post.ask(example(url="https://example.com/" + "a" * 2048), example())
    assert (len(said["storage-agent"]), len(said["dead_letter"])) == (1, 1)


async def test_a_previous_version_that_cannot_be_decoded_makes_the_page_new_and_is_counted(post: Post) -> None:
    await post.ask(example())
    post.app.store.write_now(lambda session: session.tx.run("UPDATE snapshots SET state = ?", ('{"broken": true}',)))
    agent = post.agent()
    said = await post.ask(example(parsed=parsed(text=OTHER), snapshotHash="2", version=4), agent=agent)
    assert [(one["isNew"], one["previousVersion"]) for one in said["storage-agent"]] == [(True, None)]
    assert set(said) == {"storage-agent"}
    assert agent.counts["corrupt"] == 1
    said = await post.ask(example(snapshotHash="3", version=5, parsed=parsed(title="Other", text=OTHER)))
    assert len(said["notify"]) == 1


class Unreachable:
    """A store that is away for a number of looks."""

    def __init__(self, inner: Any, failures: int) -> None:
        self.inner = inner
        self.failures = failures

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def look(self, asked: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("PostgreSQL went away")
        return await self.inner.look(asked)


@pytest.mark.parametrize("failures", [3, 4])
async def test_while_the_store_is_away_a_message_is_tried_four_times_and_then_dead(post: Post, failures: int) -> None:
    agent = post.agent()
    agent._inbox = Unreachable(agent._inbox, failures)  # the real one behind a fault
    said = await post.ask(example(), agent=agent)
    assert agent.counts["retried"] == 3
    if failures == 3:
        assert set(said) == {"storage-agent"}
        return
    assert set(said) == {"dead_letter"}
    (dead,) = said["dead_letter"]
    assert (dead.headers["attempts"], dead.headers["reason"]) == (4, "PostgreSQL went away")


async def test_what_an_agent_committed_and_never_sent_is_sent_by_the_next_one_under_the_same_id(post: Post) -> None:
    """As after a kill between commit and publish: the rows are there, their owner is not."""
    agent = post.agent(owner="dead")
    agent._relay.run = _never  # type: ignore[method-assign]  # it dies before it publishes
    agent._drain_for = 0.0
    await post.ask(example(), agent=agent)
    (kept,) = _waiting(post.app)
    async with post.running(post.agent(owner="dead")):
        await until(lambda: not _waiting(post.app))
    received = await post.received()
    assert [one.message_id for one in received["storage-agent"]] == [str(kept)]


def _waiting(app: App) -> list[UUID]:
    return app.store.read_now(lambda session: [session.tx.codec.id(raw) for (raw,) in session.tx.rows("SELECT id FROM outbox")])


async def test_a_relay_that_fails_is_noticed_and_starts_again(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    agent = post.agent()
    relay, failures = agent._relay, [RuntimeError("once")]
    real = relay.run

    async def run(bus: Any) -> None:
        if failures:
            raise failures.pop()
        await real(bus)

    relay.run = run  # type: ignore[method-assign]  # fails the first time
    await post.send(example())
    async with post.running(agent):
        await until(lambda: relay.published == 1)
    assert len((await post.said())["storage-agent"]) == 1
    assert "the relay failed" in caplog.text


async def _never(bus: object) -> None:
    await asyncio.Event().wait()


async def test_pages_of_the_queue_are_items_of_one_watch_with_snapshots_and_changes(post: Post) -> None:
    await post.ask(example(), example(url="https://example.com/2"))
    await post.ask(example(parsed=parsed(text=OTHER), snapshotHash="2", version=4))
    (watch,) = post.app.all_watches()
    assert (watch.name, watch.next_due_at) == ("change.check", None)
    (change,) = post.app.read(lambda data: data.changes.page(limit=10).rows)
    assert change.url == "https://example.com/p/12"
    assert change.diff is not None
    assert change.diff["version"] == {"previous": 3, "current": 4}


async def test_two_agents_on_one_queue_tell_each_change_once(post: Post) -> None:
    messages = [
        example(url=f"https://example.com/{page}", parsed=parsed(text=f"{version} {OTHER[version * 9 :]}"),
                version=version, snapshotHash=str(version))
        for version in range(4) for page in range(20)
    ]  # fmt: skip
    await post.send(*messages)
    one, other = post.agent(owner="one"), post.agent(owner="other")
    async with post.running(one), post.running(other):
        await until(lambda: one.counts.total() + other.counts.total() >= len(messages))
    said = await post.said()
    told = [(message["url"], message["currentVersion"]) for message in said["storage-agent"]]
    assert len(told) == len(set(told))
    late = one.counts["late"] + other.counts["late"]
    assert len(told) + late == len(messages)
    for page in range(20):
        versions = [version for url, version in told if url == f"https://example.com/{page}"]
        assert max(versions) == 3


async def test_a_page_of_many_bytes_is_compared_beside_the_loop(post: Post) -> None:
    lines = [f"Entry {number} of a long list that nobody reads to its end" for number in range(6_000)]
    await post.ask(example(parsed=parsed(text="\n".join(lines))))
    said = await post.ask(example(parsed=parsed(text="\n".join(lines[:3_000])), snapshotHash="2", version=4))
    assert [message["changes"]["text"]["changed"] for message in said["notify"]] == [True]


async def test_a_removed_watch_is_said_in_the_dead_letter(post: Post) -> None:
    agent = post.agent()
    (watch,) = post.app.all_watches()
    post.app.write(lambda data: data.watches.remove(watch.id))
    said = await post.ask(example(), agent=agent)
    (dead,) = said["dead_letter"]
    assert dead.headers["reason"].startswith("the queue's watch was removed")
    assert len((await post.ask(example()))["storage-agent"]) == 1
