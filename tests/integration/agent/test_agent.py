"""Messages through the agent, in-process queues and both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from tests.integration.agent.conftest import QUEUES, UNCHANGED, Post, example, parsed, until, with_page

from driftline.bus.messages import MAX_BYTES
from driftline.bus.ports import Bus
from driftline.errors import StoreUnavailable
from driftline.model.agent import MessageOutcome
from driftline.wiring import App
from driftline.wiring.logs import PlainLines

OTHER = "A completely different text about another thing altogether, written anew."


async def test_a_new_page_is_reported_to_storage_alone_and_marked_as_new(post: Post) -> None:
    said = await post.ask(example())
    verdict = {
        "jobId": "abc123",
        "url": "https://example.com/p/12",
        "hasChanges": False,
        "previousVersion": None,
        "currentVersion": 3,
        "snapshotHash": "1be6fa09",
        "version": {"previous": None, "current": 3},
        "isNew": True,
    }
    assert said == {"storage-agent": [with_page(verdict, example())]}


async def test_the_same_hash_is_reported_to_storage_alone_without_a_report(post: Post) -> None:
    await post.ask(example())
    again = example(version=4, parsed=parsed(text=OTHER))
    assert await post.ask(again) == {"storage-agent": [with_page(UNCHANGED, again)]}


async def test_a_changed_product_is_reported_to_all_three_with_the_prices_understood(post: Post) -> None:
    await post.ask(example())
    page = parsed(
        title="iPhone 13 Pro",
        priceCandidates=["₹69,999", "call us"],
        images=["https://example.com/i/2.png"],
        metadata={"og:title": "iPhone 13 Pro", "og:site_name": "Shop", "fb:app_id": "77"},
    )
    changed = example(parsed=page, snapshotHash="2", version=4)
    said = await post.ask(changed)
    (notify,), (storage,), (priced,) = said["notify"], said["storage-agent"], said["price.update"]
    assert storage == with_page(notify, changed)
    changes = notify.pop("changes")
    assert notify == {
        "jobId": "abc123",
        "url": "https://example.com/p/12",
        "hasChanges": True,
        "diff": {
            "titleChanged": True,
            "textDiff": "",
            "metadataChanges": {"og:title": {"before": "iPhone 13", "after": "iPhone 13 Pro"}},
            "imageChanges": {
                "added": ["https://example.com/i/2.png"],
                "removed": ["https://example.com/i/1.png"],
                "hero": {"before": "https://example.com/i/1.png", "after": "https://example.com/i/2.png"},
            },
            "priceChanged": True,
        },
        "previousVersion": 3,
        "currentVersion": 4,
        "snapshotHash": "2",
        "version": {"previous": 3, "current": 4},
    }
    assert changes["title"] == {"before": "iPhone 13", "after": "iPhone 13 Pro", "changed": True}
    assert changes["price"]["after"] == {"price": "69999", "currency": "INR"}
    assert priced["prices"] == [
        {"candidate": "₹69,999", "amount": "69999", "currency": "INR"},
        {"candidate": "call us", "amount": None, "currency": None},
    ]


async def test_the_short_diff_says_that_another_picture_comes_first(post: Post) -> None:
    first, second = "https://example.com/a.png", "https://example.com/b.png"
    await post.ask(example(parsed=parsed(images=[first, second])))
    said = await post.ask(example(parsed=parsed(images=[second, first]), snapshotHash="2", version=4))
    assert said["notify"][0]["diff"]["imageChanges"] == {
        "added": [], "removed": [], "hero": {"before": first, "after": second},
    }  # fmt: skip


async def test_text_that_differs_too_little_is_stored_and_not_reported(post: Post) -> None:
    long = "\n".join(f"Paragraph {word} about the product and how it is used every day" for word in "abcdefghijklmnopqrst")
    await post.ask(example(parsed=parsed(text=long)))
    said = await post.ask(example(parsed=parsed(text=long.replace("every day", "each day", 1)), snapshotHash="2", version=4))
    assert [message["hasChanges"] for message in said.pop("storage-agent")] == [False]
    assert said == {}
    said = await post.ask(example(parsed=parsed(text=OTHER), snapshotHash="3", version=5))
    assert [message["diff"]["textDiff"] != "" for message in said["notify"]] == [True]


async def test_edits_of_five_percent_add_up_to_a_report(post: Post) -> None:
    words = [f"kettle{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(100)]
    said: list[Any] = []
    for version in range(12):
        words[version * 5 : version * 5 + 5] = [f"teapot{chr(97 + version)}{chr(97 + number)}" for number in range(5)]
        text = "\n".join(" ".join(words[start : start + 10]) for start in range(0, 100, 10))
        said += (await post.ask(example(parsed=parsed(text=text), snapshotHash=text, version=version))).get("notify", [])
    assert len(said) >= 3
    assert all(0 < one["changes"]["text"]["jaccard"] < one["changes"]["text"]["similarity"] < 1 for one in said)


async def test_tracking_in_the_address_makes_no_new_page(post: Post) -> None:
    await post.ask(example(url="https://example.com/p/12?utm_source=a"))
    said = await post.ask(example(url="https://example.com/p/12?utm_source=b", version=4, snapshotHash="2"))
    (stored,) = said["storage-agent"]
    assert (stored["url"], stored["hasChanges"], stored["previousVersion"]) == (
        "https://example.com/p/12?utm_source=b",
        False,
        3,
    )
    said = await post.ask(example(url="https://example.com/#/other", version=1), example(url="https://example.com/#/one"))
    assert [one["isNew"] for one in said["storage-agent"]] == [True, True]


async def test_all_price_candidates_are_compared_and_their_order_is_nothing(post: Post) -> None:
    await post.ask(example(parsed=parsed(priceCandidates=["100 EUR", "200 EUR"])))
    said = await post.ask(example(parsed=parsed(priceCandidates=["200 EUR", "100 EUR"]), snapshotHash="2", version=4))
    assert set(said) == {"storage-agent"}
    said = await post.ask(example(parsed=parsed(priceCandidates=["100 EUR", "150 EUR"]), snapshotHash="3", version=5))
    assert said["notify"][0]["diff"]["priceChanged"] is True
    assert set(said) == {"price.update", "notify", "storage-agent"}


async def test_the_log_names_the_page_and_the_problem(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    await post.ask(example())
    post.app.store.write_now(lambda session: session.tx.run("UPDATE snapshots SET state = ?", ('{"broken": true}',)))
    await post.ask(example(parsed=parsed(text=OTHER), snapshotHash="2", version=4), b"no message")
    lines = [PlainLines().format(record) for record in caplog.records if record.levelname == "WARNING"]
    assert any("url=https://example.com/p/12" in line and "problem=page state cannot be decoded" in line for line in lines)
    assert any("a message cannot be read" in line and "problem=invalid message" in line for line in lines)


async def test_an_article_without_price_candidates_never_reaches_the_price_queue(post: Post) -> None:
    article = {"classification": {"type": "article"}, "url": "https://example.com/a"}
    await post.ask(example(**article))
    said = await post.ask(example(**article, parsed=parsed(text=OTHER), snapshotHash="2", version=4))
    assert set(said) == {"notify", "storage-agent"}
    product = {"url": "https://example.com/b"}
    await post.ask(example(**product, parsed=parsed(priceCandidates=[])))
    said = await post.ask(example(**product, parsed=parsed(text=OTHER, priceCandidates=[]), snapshotHash="2", version=4))
    assert set(said) == {"notify", "storage-agent"}


async def test_an_older_version_that_arrives_late_overwrites_nothing_and_is_not_reported(post: Post) -> None:
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
    (reported,) = said["storage-agent"]
    assert reported["tenant"] == {"id": 7}
    assert reported["hasChanges"] is False


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not json", "invalid message"),
        (b"\xff\xfe", "invalid message"),
        (b"[]", "invalid message"),
        (b"{}", "invalid message"),
        (b'{"jobId":1,"url":"u","parsed":{},"snapshotHash":"h","version":1}', "invalid message"),
        (b'{"jobId":"1","url":"","parsed":{},"snapshotHash":"h","version":1}', "invalid message"),
        (b'{"jobId":"1","url":"u","parsed":{"text":5},"snapshotHash":"h","version":1}', "invalid message"),
        (b'{"jobId":"1","url":"u","parsed":{},"snapshotHash":"h","version":"1"}', "invalid message"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"jobId":"1","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"jobId":"' + b"x" * MAX_BYTES + b'"}', "too large"),
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
    assert "invalid URL of a page" in dead.headers["reason"]


async def test_a_message_that_takes_too_long_is_dead_at_once_and_the_others_are_not(post: Post) -> None:
    long = "\n".join(f"line {number} of many" for number in range(2_000))
    post.app.pool.deadline_for = 0.001
    said = await post.ask(example(url="http://a.example/long", parsed=parsed(text=long)), example(url="http://a.example/short"))
    (dead,) = said["dead_letter"]
    assert (dead.headers["reason"], dead.headers["attempts"]) == (
        "comparing it took longer than 0.001 s (url: http://a.example/long)",
        1,
    )
    assert [one["url"] for one in said["storage-agent"]] == ["http://a.example/short"]


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

    async def positions(self, keys: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("PostgreSQL went away")
        return await self.inner.positions(keys)


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


async def test_an_agent_that_loses_the_broker_between_a_commit_and_its_ack_connects_again(post: Post) -> None:
    """The commit stirs a relay that idles, and the ack fails, before the relay has had a turn."""
    agent = post.agent()
    connect, commit = agent._connect, agent._inbox.commit
    buses: list[Bus] = []

    async def remembered() -> Bus:
        buses.append(await connect())
        return buses[-1]

    async def committed(outcomes: Sequence[MessageOutcome], **more: Any) -> Any:
        answers = await commit(outcomes, **more)
        if len(buses) == 1 and agent.counts:
            await buses[0].close()
        return answers

    agent._connect = remembered
    agent._inbox.commit = committed  # type: ignore[method-assign]
    async with post.running(agent):
        await post.send(example())
        await until(lambda: agent.counts["new"] == 1)
        await agent._relay.drained()
        await post.send(example(version=4))
        await until(lambda: agent.counts["repeated"] == 1)
    assert len((await post.said())["storage-agent"]) == 2


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
    reported = [(message["url"], message["currentVersion"]) for message in said["storage-agent"]]
    assert len(reported) == len(set(reported))
    late = one.counts["late"] + other.counts["late"]
    assert len(reported) + late == len(messages)
    for page in range(20):
        versions = [version for url, version in reported if url == f"https://example.com/{page}"]
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
