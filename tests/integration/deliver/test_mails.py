"""Mails, received by a real SMTP server."""

from __future__ import annotations

import ssl

import pytest
from tests.attacks.loopback import CERTIFICATE, trusting
from tests.integration.deliver.conftest import Notifier
from tests.sinks import Mailbox, mailbox

from driftline.deliver.channels.smtp import MailRelay
from driftline.model.delivery import ChannelOptions, Delivery


def relay(box: Mailbox, **given: object) -> MailRelay:
    fields: dict[str, object] = {"tls": "none", "sender": "Driftline <alerts@example.org>", "timeout_for": 5.0}
    return MailRelay(host="127.0.0.1", port=box.port, **{**fields, **given})  # type: ignore[arg-type] # as written


def server_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


async def heard(notifier: Notifier, name: str = "reader", **given: object) -> None:
    watch, user = notifier.watch("Example shop"), notifier.user(name, **given)
    notifier.channel(user, kind="email", target=user.email)
    notifier.subscribe(user, watch)
    await notifier.report(watch, count=2)


def only(notifier: Notifier) -> Delivery:
    (delivery,) = notifier.deliveries()
    return delivery


def body(box: Mailbox, kind: str, number: int = 0) -> str:
    part = box.mails[number].get_body((kind,))
    assert part is not None
    return str(part.get_content())


async def test_an_immediate_mail_reaches_a_real_server_and_reads_well(notifier: Notifier) -> None:
    with mailbox() as box:
        notifier.relay = relay(box)
        await heard(notifier)
        assert await notifier.send() == 1
    (mail,) = box.mails
    delivery = only(notifier)
    assert delivery.state == "sent"
    assert mail["Message-ID"] == f"<{delivery.id}@example.org>"
    assert (mail["To"], mail["Subject"]) == ("Reader <reader@example.org>", "[Example shop] 2 content changes")
    assert "mailto:alerts@example.org" in mail["List-Unsubscribe"]
    assert body(box, "plain").splitlines()[:3] == ["Hello Reader,", "", "Example shop (2 content changes)"]
    assert "<title>[Example shop] 2 content changes</title>" in body(box, "html")
    assert not mail.defects


async def test_a_digest_is_one_mail_for_the_whole_day(notifier: Notifier) -> None:
    with mailbox() as box:
        notifier.relay = relay(box)
        await heard(notifier, digest=True, timezone="Europe/Berlin")
        news = notifier.watch("News")
        user = notifier.store.read_now(lambda s: s.org(notifier.org.id).users.all())[0]
        notifier.subscribe(user, news)
        await notifier.report(news)
        assert await notifier.send() == 0
        notifier.world.later(24 * 60)
        assert await notifier.send() == 1
    (mail,) = box.mails
    assert mail["Subject"] == "3 changes on 2 watches, 2 March"
    for kind in ("plain", "html"):
        assert all(reported in body(box, kind) for reported in ("Example shop", "News", "3 changes on 2 watches"))


@pytest.mark.parametrize("implicit", [False, True], ids=["starttls, signed in", "tls"])
async def test_mail_goes_over_tls(notifier: Notifier, implicit: bool) -> None:
    signed = {} if implicit else {"user": "reader", "password": "secret"}
    with mailbox(tls=server_tls(), implicit=implicit, password=signed.get("password")) as box:
        notifier.relay = relay(box, tls="tls" if implicit else "starttls", **signed)
        notifier.trust = trusting()
        await heard(notifier)
        assert await notifier.send() == 1
    assert box.tls == [True]


async def test_a_certificate_that_nobody_signed_is_not_trusted(notifier: Notifier) -> None:
    with mailbox(tls=server_tls()) as box:
        notifier.relay = relay(box, tls="starttls")
        await heard(notifier)
        assert await notifier.send() == 0
    assert box.mails == []
    assert only(notifier).state == "retrying"


async def test_a_server_without_starttls_is_a_reason_that_says_what_to_set(notifier: Notifier) -> None:
    with mailbox() as box:
        notifier.relay = relay(box, tls="starttls")
        await heard(notifier)
        await notifier.send()
    assert "no STARTTLS (set DRIFTLINE_SMTP_TLS" in (only(notifier).reason or "")


async def test_a_wrong_password_is_a_reason_and_is_tried_again(notifier: Notifier) -> None:
    with mailbox(tls=server_tls(), password="secret") as box:
        notifier.relay = relay(box, tls="starttls", user="reader", password="wrong")
        notifier.trust = trusting()
        await heard(notifier)
        await notifier.send()
    delivery = only(notifier)
    assert delivery.state == "retrying"
    assert "sign-in refused: 535" in (delivery.reason or "")


@pytest.mark.parametrize(
    ("name", "state", "reason"),
    [
        ("refused", "dead", "recipient refused: 550 5.1.1 no such box"),
        ("busy", "retrying", "recipient refused: 450 4.2.1 try later"),
    ],
)
async def test_a_recipients_refusal_is_final_only_when_the_server_says_so(
    notifier: Notifier, name: str, state: str, reason: str
) -> None:
    with mailbox() as box:
        notifier.relay = relay(box)
        await heard(notifier, name)
        await notifier.send()
    assert (only(notifier).state, only(notifier).reason) == (state, reason)


async def test_a_refused_recipient_does_not_hold_up_the_next_one(notifier: Notifier) -> None:
    with mailbox() as box:
        notifier.relay = relay(box)
        watch = notifier.watch()
        for name in ("refused", "reader", "refused2", "bo"):
            user = notifier.user(name)
            notifier.channel(user, f"{name}-mail", kind="email", target=user.email)
            notifier.subscribe(user, watch)
        for _ in range(3):
            await notifier.report(watch)
        assert await notifier.send() == 6
    assert {mail["To"].addresses[0].username for mail in box.mails} == {"reader", "bo"}


async def test_an_unreachable_or_missing_server_is_a_reason_on_the_delivery_and_no_stuck_queue(notifier: Notifier) -> None:
    await heard(notifier)
    await notifier.send()
    assert only(notifier).reason == "no mail server is configured (DRIFTLINE_SMTP_HOST)"
    notifier.relay = MailRelay(host="127.0.0.1", port=9, tls="none")
    notifier.world.later(5)
    await notifier.send()
    assert (only(notifier).state, only(notifier).attempts) == ("retrying", 2)
    assert (only(notifier).reason or "").startswith("smtp: ")
    with mailbox() as box:
        notifier.relay = relay(box)
        notifier.world.later(60)
        assert await notifier.send() == 1
    assert only(notifier).state == "sent"


async def test_a_template_of_ones_own_writes_the_mail(notifier: Notifier) -> None:
    with mailbox() as box:
        notifier.relay = relay(box)
        watch, user = notifier.watch("Example shop"), notifier.user()
        options = ChannelOptions(subject="{{watch}} ({{count}})", text="{{changes}}")
        notifier.channel(user, kind="email", target=user.email, options=options)
        notifier.subscribe(user, watch)
        await notifier.report(watch, headline="Now\r\nBcc: other@example.org")
        await notifier.send()
    (mail,) = box.mails
    assert mail["Subject"] == "Example shop (1)"
    assert "Bcc" not in mail
    assert body(box, "plain").strip() == "Now Bcc: other@example.org"


async def test_a_reader_who_left_one_watch_hears_of_the_others(notifier: Notifier) -> None:
    shop, news, user = notifier.watch("Example shop"), notifier.watch("News"), notifier.user("reader")
    channel = notifier.channel(user, kind="email", target=user.email)
    notifier.subscribe(user, None)
    notifier.store.write_now(lambda s: s.org(notifier.org.id).subscriptions.unsubscribe(channel, shop.id))
    with mailbox() as box:
        notifier.relay = relay(box)
        await notifier.report(shop)
        await notifier.report(news)
        await notifier.send()
    (mail,) = box.mails
    assert "News" in str(mail["Subject"])
    states = {one.state: one.reason for one in notifier.deliveries()}
    assert states == {"sent": None, "skipped": "its reader unsubscribed from this watch"}
