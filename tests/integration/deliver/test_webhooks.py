"""Webhooks from the report to the receiver."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from standardwebhooks import Webhook
from tests.integration.deliver.conftest import Office
from tests.sinks import Manner, Sink

from driftline.errors import StoreCorrupt
from driftline.model.delivery import ChannelOptions, Delivery, Filter
from driftline.model.watch import Window
from driftline.policy.retry import Patience


def only(office: Office) -> Delivery:
    (delivery,) = office.deliveries()
    return delivery


async def heard(office: Office, url: str, *, options: ChannelOptions | None = None, wanted: Filter | None = None) -> None:
    """One watch, one user, one webhook, one report."""
    watch, user = office.watch(), office.user()
    office.channel(user, target=url, options=options)
    office.subscribe(user, watch, wanted=wanted)
    await office.report(watch, count=2)


async def test_a_report_arrives_signed_and_verifies_with_the_standard_webhooks_package(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("ok"))
    assert await office.send() == 1
    (got,) = receiver.received
    secret = office.store.read_now(lambda s: s.org(office.org.id).channels.all())[0].secrets[0]
    signed = Webhook(secret.value)
    at = office.world.now
    message = f"{got.id}.{int(at.timestamp())}.{got.body.decode()}"
    assert signed.sign(got.id, at, got.body.decode()) == got.headers["webhook-signature"], message
    delivery = only(office)
    assert (delivery.state, delivery.attempts, got.id) == ("sent", 1, str(delivery.id))
    document = got.document
    assert document["type"] == "driftline.report"
    assert [one["type"] for one in document["data"]["changes"]] == ["content", "content"]
    assert document["data"]["watch"]["name"] == "a page"
    notified = office.store.read_now(lambda s: s.org(office.org.id).changes.page()).rows
    assert all(one.notified_at == at for one in notified)


async def test_letters_that_were_prepared_ahead_are_their_own_and_verify(office: Office, receiver: Sink) -> None:
    watch, team = office.watch(), [office.user(f"reader{number}") for number in range(4)]
    for number, user in enumerate(team):
        office.channel(user, f"post{number}", target=receiver.at("ok"))
        office.subscribe(user, watch)
    for _ in range(3):
        await office.report(watch)
    assert await office.send() == 12
    secrets = {one.user_id: one.secrets[0] for one in office.store.read_now(lambda s: s.org(office.org.id).channels.all())}
    reports = {str(one.id): (str(one.report_id), secrets[one.user_id]) for one in office.deliveries()}
    assert len(receiver.ids()) == 12
    for got in receiver.received:
        report_id, secret = reports[got.id]
        assert (got.document["data"]["delivery"], got.document["data"]["report"]) == (got.id, report_id)
        assert Webhook(secret.value).sign(got.id, office.world.now, got.body.decode()) == got.headers["webhook-signature"]


async def test_a_letter_that_waited_after_it_was_prepared_is_decided_anew(office: Office, receiver: Sink) -> None:
    rest = Window(starts=(office.world.now + timedelta(hours=1)).time(), ends=(office.world.now + timedelta(hours=3)).time())
    await heard(office, receiver.at("ok"), wanted=Filter(quiet=(rest,)))
    async with office.clerk() as clerk:
        at = office.world.now
        claimed = await office.mailroom.claim(1, owner="office", busy=(), at=at, until_at=at + timedelta(days=1))
        (parcel,) = await office.mailroom.parcels(claimed, at=at)
        clerk.prepare(parcel)
        office.world.later(90)
        assert await clerk.send("there", parcel) is None
    assert receiver.received == []
    assert "quiet hours" in (only(office).reason or "")


async def test_nothing_is_sent_twice(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("ok"))
    for _ in range(3):
        await office.send()
        office.world.later(60)
    assert len(receiver.received) == 1


async def test_a_template_of_ones_own_is_posted_instead(office: Office, receiver: Sink) -> None:
    options = ChannelOptions(body='{"text": "{{watch}}: {{headline}}"}', headers={"X-Team": "shop"})
    await heard(office, receiver.at("ok"), options=options)
    await office.send()
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
    office: Office, receiver: Sink, manner: Manner, state: str, reason: str | None
) -> None:
    office.timeout_for = 0.3
    await heard(office, receiver.at(manner))
    await office.send()
    delivery = only(office)
    assert (delivery.state, delivery.reason, delivery.attempts) == (state, reason, 1)
    assert len(receiver.received) == 1


async def test_a_receiver_that_asks_for_patience_gets_it(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("later"))
    await office.send()
    due_at = only(office).next_attempt_at
    assert due_at is not None
    assert due_at >= office.world.now + timedelta(seconds=120)


async def test_every_attempt_carries_the_same_id_and_the_eighth_is_the_last(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("fail"))
    began_at = office.world.now
    while (delivery := only(office)).state != "dead":
        assert delivery.next_attempt_at is not None
        office.world.now = max(office.world.now, delivery.next_attempt_at)
        await office.send()
    assert (delivery.attempts, delivery.reason) == (8, "http 500 (attempt 8 of 8)")
    assert list(receiver.ids().values()) == [8]
    assert timedelta(hours=18) < office.world.now - began_at < timedelta(hours=30)
    office.world.later(60)  # the endpoint rests
    office.store.write_now(lambda s: s.org(office.org.id).deliveries.requeue(delivery.id, at=office.world.now))
    await office.send()
    assert receiver.ids()[str(delivery.id)] == 9


async def test_an_address_that_resolves_to_a_private_place_is_a_reason_on_the_delivery(office: Office, receiver: Sink) -> None:
    office.allow_hosts = ()
    await heard(office, receiver.at("ok").replace("127.0.0.1", "localhost"))
    await office.send()
    delivery = only(office)
    assert delivery.state == "dead"
    assert delivery.reason is not None
    assert delivery.reason.startswith("address refused: ")
    assert receiver.received == []


async def test_a_dead_port_opens_the_breaker_and_costs_the_others_nothing(office: Office, receiver: Sink) -> None:
    watch = office.watch()
    bad = office.user("bad")
    office.channel(bad, "bad", target="http://127.0.0.1:9/none")
    office.subscribe(bad, watch)
    good = office.user("good")
    office.channel(good, "good", target=receiver.at("ok"))
    office.subscribe(good, watch)
    for _ in range(20):
        await office.report(watch)
    await office.send()
    assert len(receiver.received) == 20
    of_bad = [one for one in office.deliveries() if one.user_id == bad.id]
    assert sum(one.attempts for one in of_bad) == 5  # then it rests
    assert all(one.next_attempt_at is not None for one in of_bad)


@pytest.mark.parametrize("manner", ["fail", "hang", "reset", "close"])
async def test_an_endpoint_in_trouble_does_not_delay_the_others(office: Office, receiver: Sink, manner: Manner) -> None:
    office.timeout_for = 60.0
    watch = office.watch()
    for name, url in (("bad", receiver.at(manner)), ("good", receiver.at("ok"))):
        user = office.user(name)
        office.channel(user, name, target=url)
        office.subscribe(user, watch)
    for _ in range(30):
        await office.report(watch)
    async with office.sending(), asyncio.timeout(30):  # half of what one letter to a place that hangs takes
        while sum(one.path == "/ok" for one in receiver.received) < 30:  # noqa: ASYNC110 - the sink is in another thread
            await asyncio.sleep(0.01)
    if manner == "hang":
        assert sum(one.path == "/hang" for one in receiver.received) == 1


async def test_filters_skip_with_their_reason(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("ok"), wanted=Filter(min_severity="high"))
    assert await office.send() == 0
    delivery = only(office)
    assert (delivery.state, delivery.reason) == ("skipped", "severity medium is below high")
    assert receiver.received == []


async def test_a_cooldown_lets_one_of_several_reports_through(office: Office, receiver: Sink) -> None:
    watch, user = office.watch(), office.user()
    office.channel(user, target=receiver.at("ok"))
    office.subscribe(user, watch, wanted=Filter(cooldown_for=3600.0))
    for _ in range(3):
        await office.report(watch)
    await office.send()
    assert sorted(one.state for one in office.deliveries()) == ["sent", "skipped", "skipped"]
    await office.report(watch)
    await office.send()
    office.world.later(120)
    await office.report(watch)
    await office.send()
    assert sorted(one.state for one in office.deliveries()) == ["sent", "sent", "skipped", "skipped", "skipped"]


async def test_a_failed_letter_does_not_start_a_cooldown(office: Office, receiver: Sink) -> None:
    office.patience = Patience(attempts_at_most=1)
    watch, user = office.watch(), office.user()
    office.channel(user, target=receiver.at("fail"))
    office.subscribe(user, watch, wanted=Filter(cooldown_for=3600.0))
    for _ in range(2):
        await office.report(watch)
        await office.send()
    assert [one.state for one in office.deliveries()] == ["dead", "dead"]


async def test_a_channel_that_was_switched_off_meanwhile_is_skipped(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("ok"))
    channel_id = only(office).channel_id
    office.store.write_now(lambda s: s.org(office.org.id).channels.switch(channel_id, off_at=office.world.now, reason="left"))
    await office.send()
    assert (only(office).state, only(office).reason) == ("skipped", "the channel is off: left")


async def test_a_digest_is_one_document_with_every_report(office: Office, receiver: Sink) -> None:
    one, two = office.watch("one"), office.watch("two")
    user = office.user(digest=True)
    office.channel(user, target=receiver.at("ok"))
    office.subscribe(user, None)
    for watch in (one, two, one):
        await office.report(watch)
    assert await office.send() == 0
    office.world.later(24 * 60)
    assert await office.send() == 1
    (got,) = receiver.received
    assert got.document["type"] == "driftline.digest"
    assert [report["watch"]["name"] for report in got.document["data"]["reports"]] == ["one", "two", "one"]
    assert {delivery.state for delivery in office.deliveries()} == {"sent"}


async def test_health_changes_reach_people_too(office: Office, receiver: Sink) -> None:
    watch, user = office.watch(), office.user()
    office.channel(user, target=receiver.at("ok"))
    office.subscribe(user, watch)
    await office.report(watch, kind="error")
    await office.report(watch, kind="recovered")
    await office.send()
    assert [one.document["data"]["changes"][0]["type"] for one in receiver.received] == ["error", "recovered"]


async def test_a_sender_that_cannot_read_what_it_claimed_says_so_and_ends(office: Office, receiver: Sink) -> None:
    await heard(office, receiver.at("ok"))
    office.store.write_now(lambda s: s.tx.run("UPDATE channels SET options = ?", ('{"unheard": "of"}',)))
    async with asyncio.timeout(30):
        with pytest.raises(StoreCorrupt):
            await office.send()
