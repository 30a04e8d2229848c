"""Webhooks from the report to the receiver."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from standardwebhooks import Webhook
from tests.integration.deliver.conftest import Notifier
from tests.sinks import Manner, Sink

from driftline.deliver.channels.webhook import WebhookTransport
from driftline.errors import StoreCorrupt
from driftline.model.delivery import ChannelOptions, Delivery, Filter
from driftline.policy.retry import Patience


def only(notifier: Notifier) -> Delivery:
    (delivery,) = notifier.deliveries()
    return delivery


async def heard(notifier: Notifier, url: str, *, options: ChannelOptions | None = None, wanted: Filter | None = None) -> None:
    """One watch, one user, one webhook, one report."""
    watch, user = notifier.watch(), notifier.user()
    notifier.channel(user, target=url, options=options)
    notifier.subscribe(user, watch, wanted=wanted)
    await notifier.report(watch, count=2)


async def test_a_report_arrives_signed_and_verifies_with_the_standard_webhooks_package(
    notifier: Notifier, receiver: Sink
) -> None:
    await heard(notifier, receiver.at("ok"))
    assert await notifier.send() == 1
    (got,) = receiver.received
    secret = notifier.store.read_now(lambda s: s.org(notifier.org.id).channels.all())[0].secrets[0]
    signed = Webhook(secret.value)
    at = notifier.world.now
    message = f"{got.id}.{int(at.timestamp())}.{got.body.decode()}"
    assert signed.sign(got.id, at, got.body.decode()) == got.headers["webhook-signature"], message
    delivery = only(notifier)
    assert (delivery.state, delivery.attempts, got.id) == ("sent", 1, str(delivery.id))
    document = got.document
    assert document["type"] == "driftline.report"
    assert [one["type"] for one in document["data"]["changes"]] == ["content", "content"]
    assert document["data"]["watch"]["name"] == "a page"
    notified = notifier.store.read_now(lambda s: s.org(notifier.org.id).changes.page()).rows
    assert [one.notified_at for one in notified] == [at, at]


async def test_messages_that_go_at_once_are_their_own_and_verify(notifier: Notifier, receiver: Sink) -> None:
    watch, team = notifier.watch(), [notifier.user(f"reader{number}") for number in range(4)]
    for number, user in enumerate(team):
        notifier.channel(user, f"post{number}", target=receiver.at("ok"))
        notifier.subscribe(user, watch)
    for _ in range(3):
        await notifier.report(watch)
    assert await notifier.send() == 12
    secrets = {one.user_id: one.secrets[0] for one in notifier.store.read_now(lambda s: s.org(notifier.org.id).channels.all())}
    reports = {str(one.id): (str(one.report_id), secrets[one.user_id]) for one in notifier.deliveries()}
    assert len(receiver.ids()) == 12
    for got in receiver.received:
        report_id, secret = reports[got.id]
        assert (got.document["data"]["delivery"], got.document["data"]["report"]) == (got.id, report_id)
        assert Webhook(secret.value).sign(got.id, notifier.world.now, got.body.decode()) == got.headers["webhook-signature"]


async def test_nothing_is_sent_twice(notifier: Notifier, receiver: Sink) -> None:
    await heard(notifier, receiver.at("ok"))
    for _ in range(3):
        await notifier.send()
        notifier.world.later(60)
    assert len(receiver.received) == 1


async def test_a_template_of_ones_own_is_posted_instead(notifier: Notifier, receiver: Sink) -> None:
    options = ChannelOptions(body='{"text": "{{watch}}: {{headline}}"}', headers={"X-Team": "shop"})
    await heard(notifier, receiver.at("ok"), options=options)
    await notifier.send()
    (got,) = receiver.received
    assert got.document == {"text": "a page: 2 content changes"}
    assert got.headers["x-team"] == "shop"


@pytest.mark.parametrize(
    ("manner", "state", "reason"),
    [
        ("fail", "retrying", "http 500"),
        ("hang", "retrying", "timeout"),
        ("reset", "retrying", "connection lost"),
        ("close", "sent", None),
        ("gone", "dead", "http 410"),
        ("moved", "dead", "http 307: redirects are not followed"),
        ("later", "retrying", "http 429"),
    ],
)
async def test_how_a_receiver_ends_is_visible(
    notifier: Notifier, receiver: Sink, manner: Manner, state: str, reason: str | None
) -> None:
    notifier.timeout_for = 0.3
    await heard(notifier, receiver.at(manner))
    await notifier.send()
    delivery = only(notifier)
    assert (delivery.state, delivery.reason, delivery.attempts) == (state, reason, 1)
    assert len(receiver.received) == 1


async def test_a_receiver_that_asks_for_patience_gets_it(notifier: Notifier, receiver: Sink) -> None:
    await heard(notifier, receiver.at("later"))
    await notifier.send()
    due_at = only(notifier).next_attempt_at
    assert due_at is not None
    assert due_at >= notifier.world.now + timedelta(seconds=120)


async def test_every_attempt_carries_the_same_id_and_the_eighth_is_the_last(notifier: Notifier, receiver: Sink) -> None:
    await heard(notifier, receiver.at("fail"))
    began_at = notifier.world.now
    while (delivery := only(notifier)).state != "dead":
        assert delivery.next_attempt_at is not None
        notifier.world.now = max(notifier.world.now, delivery.next_attempt_at)
        await notifier.send()
    assert (delivery.attempts, delivery.reason) == (8, "http 500 (attempt 8 of 8)")
    assert list(receiver.ids().values()) == [8]
    assert timedelta(hours=18) < notifier.world.now - began_at < timedelta(hours=30)
    notifier.world.later(60)  # the endpoint rests
    notifier.store.write_now(lambda s: s.org(notifier.org.id).deliveries.requeue(delivery.id, at=notifier.world.now))
    await notifier.send()
    assert receiver.ids()[str(delivery.id)] == 9


async def test_an_address_that_resolves_to_a_private_place_is_a_reason_on_the_delivery(
    notifier: Notifier, receiver: Sink
) -> None:
    notifier.allow_hosts = ()
    await heard(notifier, receiver.at("ok").replace("127.0.0.1", "localhost"))
    await notifier.send()
    delivery = only(notifier)
    assert delivery.state == "dead"
    assert delivery.reason is not None
    assert delivery.reason.startswith("address refused: ")
    assert receiver.received == []


async def test_a_dead_port_opens_the_breaker_and_costs_the_others_nothing(notifier: Notifier, receiver: Sink) -> None:
    watch = notifier.watch()
    bad = notifier.user("bad")
    notifier.channel(bad, "bad", target="http://127.0.0.1:9/none")
    notifier.subscribe(bad, watch)
    good = notifier.user("good")
    notifier.channel(good, "good", target=receiver.at("ok"))
    notifier.subscribe(good, watch)
    for _ in range(40):
        await notifier.report(watch)
    await notifier.send()
    assert len(receiver.received) == 40
    of_bad = [one for one in notifier.deliveries() if one.user_id == bad.id]
    assert 5 <= sum(one.attempts for one in of_bad) < 5 + WebhookTransport.at_once  # then it rests
    assert all(one.next_attempt_at is not None for one in of_bad)


@pytest.mark.parametrize("manner", ["fail", "hang", "reset", "close"])
async def test_an_endpoint_in_trouble_does_not_delay_the_others(notifier: Notifier, receiver: Sink, manner: Manner) -> None:
    notifier.timeout_for = 60.0
    watch = notifier.watch()
    for name, url in (("bad", receiver.at(manner)), ("good", receiver.at("ok"))):
        user = notifier.user(name)
        notifier.channel(user, name, target=url)
        notifier.subscribe(user, watch)
    for _ in range(30):
        await notifier.report(watch)
    async with notifier.sending(), asyncio.timeout(30):  # half of what one message to a place that hangs takes
        while sum(one.path == "/ok" for one in receiver.received) < 30:  # noqa: ASYNC110 - the sink is in another thread
            await asyncio.sleep(0.01)
    if manner == "hang":
        assert sum(one.path == "/hang" for one in receiver.received) <= WebhookTransport.at_once


async def test_ten_thousand_messages_for_an_endpoint_that_hangs_do_not_delay_another(
    notifier: Notifier, receiver: Sink
) -> None:
    notifier.timeout_for = 60.0
    stuck, watch = notifier.watch("stuck"), notifier.watch("other")
    for number in range(100):
        user = notifier.user(f"stuck{number}")
        notifier.channel(user, f"stuck{number}", target=receiver.at("hang"))
        notifier.subscribe(user, stuck)
    for _ in range(100):
        await notifier.report(stuck)
    user = notifier.user("good")
    notifier.channel(user, "good", target=receiver.at("ok"))
    notifier.subscribe(user, watch)
    for _ in range(50):
        await notifier.report(watch)  # due after all of those
    async with notifier.sending(), asyncio.timeout(30):  # half of what one message to a place that hangs takes
        while sum(one.path == "/ok" for one in receiver.received) < 50:  # noqa: ASYNC110 - the sink is in another thread
            await asyncio.sleep(0.01)
    assert 0 < sum(one.path == "/hang" for one in receiver.received) <= WebhookTransport.at_once


async def test_filters_skip_with_their_reason(notifier: Notifier, receiver: Sink) -> None:
    await heard(notifier, receiver.at("ok"), wanted=Filter(min_severity="high"))
    assert await notifier.send() == 0
    delivery = only(notifier)
    assert (delivery.state, delivery.reason) == ("skipped", "severity medium is below high")
    assert receiver.received == []


async def test_a_cooldown_lets_one_of_several_reports_through(notifier: Notifier, receiver: Sink) -> None:
    watch, user = notifier.watch(), notifier.user()
    notifier.channel(user, target=receiver.at("ok"))
    notifier.subscribe(user, watch, wanted=Filter(cooldown_for=3600.0))
    for _ in range(3):
        await notifier.report(watch)
    await notifier.send()
    assert sorted(one.state for one in notifier.deliveries()) == ["sent", "skipped", "skipped"]
    await notifier.report(watch)
    await notifier.send()
    notifier.world.later(120)
    await notifier.report(watch)
    await notifier.send()
    assert sorted(one.state for one in notifier.deliveries()) == ["sent", "sent", "skipped", "skipped", "skipped"]


async def test_a_failed_message_does_not_start_a_cooldown(notifier: Notifier, receiver: Sink) -> None:
    notifier.patience = Patience(attempts_at_most=1)
    watch, user = notifier.watch(), notifier.user()
    notifier.channel(user, target=receiver.at("fail"))
    notifier.subscribe(user, watch, wanted=Filter(cooldown_for=3600.0))
    for _ in range(2):
        await notifier.report(watch)
        await notifier.send()
    assert [one.state for one in notifier.deliveries()] == ["dead", "dead"]


async def test_a_channel_that_was_switched_off_meanwhile_is_skipped(notifier: Notifier, receiver: Sink) -> None:
    await heard(notifier, receiver.at("ok"))
    channel_id = only(notifier).channel_id
    notifier.store.write_now(
        lambda s: s.org(notifier.org.id).channels.set_off_at(channel_id, off_at=notifier.world.now, reason="left")
    )
    await notifier.send()
    assert (only(notifier).state, only(notifier).reason) == ("skipped", "the channel is off: left")


async def test_a_digest_is_one_document_with_every_report(notifier: Notifier, receiver: Sink) -> None:
    one, two = notifier.watch("one"), notifier.watch("two")
    user = notifier.user(digest=True)
    notifier.channel(user, target=receiver.at("ok"))
    notifier.subscribe(user, None)
    for watch in (one, two, one):
        await notifier.report(watch)
    assert await notifier.send() == 0
    notifier.world.later(24 * 60)
    assert await notifier.send() == 1
    (got,) = receiver.received
    assert got.document["type"] == "driftline.digest"
    assert [report["watch"]["name"] for report in got.document["data"]["reports"]] == ["one", "two", "one"]
    assert {delivery.state for delivery in notifier.deliveries()} == {"sent"}


async def test_health_changes_reach_people_too(notifier: Notifier, receiver: Sink) -> None:
    watch, user = notifier.watch(), notifier.user()
    notifier.channel(user, target=receiver.at("ok"))
    notifier.subscribe(user, watch)
    await notifier.report(watch, kind="error")
    await notifier.report(watch, kind="recovered")
    await notifier.send()
    assert {one.document["data"]["changes"][0]["type"] for one in receiver.received} == {"error", "recovered"}


async def test_a_sender_that_cannot_read_what_it_claimed_says_so_and_ends(notifier: Notifier, receiver: Sink) -> None:
    await heard(notifier, receiver.at("ok"))
    notifier.store.write_now(lambda s: s.tx.run("UPDATE channels SET options = ?", ('{"unheard": "of"}',)))
    async with asyncio.timeout(30):
        with pytest.raises(StoreCorrupt):
            await notifier.send()
