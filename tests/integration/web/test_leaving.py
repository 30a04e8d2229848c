"""The way out of mails: the link that they carry, opened by a person and by a mail program."""

from __future__ import annotations

from email.message import EmailMessage
from secrets import token_bytes
from uuid import UUID

import msgspec
import pytest
from tests.web_server import HERE, WebServer

from driftline.deliver.channels.signing import new_secret
from driftline.deliver.render.mail import mail
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.delivery import UNSUBSCRIBED, Channel, Message, Subscription


def channels(server: WebServer) -> list[Channel]:
    return server.app.read(lambda data: data.channels.all())


@pytest.fixture
def message(server: WebServer) -> EmailMessage:
    """A mail as the sender writes it."""
    app, owner = server.app, server.tenant.owner
    channel = Channel(
        id=app.ids(), org_id=app.org.id, user_id=owner.id, kind="email", name="post", target="reader@example.org",
        secrets=(new_secret(token_bytes(32), at=app.clock.now()),), created_at=app.clock.now(),
    )  # fmt: skip
    channel = app.write(lambda data: data.channels.add(channel))
    sample = Message(id=app.ids(), channel=channel, user=owner, sections=(), sample=True, written_at=app.clock.now())
    return mail(sample, sender="alerts@example.org", public_url=HERE)


def link(message: EmailMessage) -> str:
    first = str(message["List-Unsubscribe"]).replace("\n", "").split(",")[0]
    return first.strip("<> ").removeprefix(HERE)


def test_a_mail_program_unsubscribes_its_reader_in_one_click(server: WebServer, message: EmailMessage) -> None:
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for _ in range(2):
        answer = server.client.post(link(message), data={"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "Nothing more will be sent to" in answer.text
    (channel,) = channels(server)
    assert (channel.disabled_at is not None, channel.disabled_reason) == (True, UNSUBSCRIBED)


def test_opening_the_link_only_asks(server: WebServer, message: EmailMessage) -> None:
    answer = server.client.get(link(message))
    assert (answer.status_code, "reader@example.org" in answer.text, "<form" in answer.text) == (200, True, True)
    assert channels(server)[0].disabled_at is None


@pytest.mark.parametrize("forge", [lambda path: f"{path[:-1]}{'0' if path[-1] != '0' else '1'}", lambda path: f"{path[:-64]}x"])
def test_a_link_that_we_did_not_write_opens_nothing(server: WebServer, message: EmailMessage, forge: object) -> None:
    path = forge(link(message))  # type: ignore[operator] # a function of one path
    assert server.client.get(path).status_code == 404
    assert server.client.post(path).status_code == 404
    assert channels(server)[0].disabled_at is None


def test_a_channel_that_its_reader_left_is_turned_on_only_after_a_question(server: WebServer, message: EmailMessage) -> None:
    server.client.post(link(message), data={"List-Unsubscribe": "One-Click"})
    (left,) = channels(server)
    cookie = server.tenant.session_for(server.tenant.owner)
    asked = server.browse("POST", f"/settings/channels/{left.id}/on", cookie=cookie)
    assert "unsubscribed. Ask them before you send messages again." in asked.text
    assert channels(server)[0].disabled_reason == UNSUBSCRIBED
    server.browse("POST", f"/settings/channels/{left.id}/on", cookie=cookie, data={"sure": "yes"})
    assert channels(server)[0].disabled_at is None


def subscribed(server: WebServer, watch_id: UUID | None, channels: tuple[UUID, ...] = ()) -> None:
    app, owner = server.app, server.tenant.owner
    one = Subscription(
        id=app.ids(), org_id=app.org.id, user_id=owner.id, watch_id=watch_id, channel_ids=channels, created_at=app.clock.now()
    )  # fmt: skip
    app.write(lambda data: data.subscriptions.add(one))


def left(server: WebServer) -> list[tuple[UUID | None, int, tuple[UUID, ...]]]:
    found = server.app.read(lambda data: data.subscriptions.all())
    return [(one.watch_id, len(one.channel_ids), one.filter.except_watches) for one in found]


def test_unsubscribing_asks_whether_it_ends_one_watch_or_everything(server: WebServer, message: EmailMessage) -> None:
    app = server.app
    shop, news = app.add([app.draft(WatchInput(url=f"{HERE}/{name}", name=name)) for name in ("shop", "news")])
    (channel,) = channels(server)
    second = msgspec.structs.replace(channel, id=app.ids(), name="second", is_default=False)
    other = app.write(lambda data: data.channels.add(second))
    subscribed(server, shop.id)
    subscribed(server, shop.id, (channel.id, other.id))
    subscribed(server, news.id)
    subscribed(server, None)
    path = f"{link(message)}?watch={shop.id}"
    asked = server.client.get(path).text
    assert ("Unsubscribe from this watch" in asked, "Unsubscribe from everything" in asked) == (True, True)
    for _ in range(2):
        answer = server.client.post(path, data={"scope": "watch"})
        assert (answer.status_code, "Nothing more about" in answer.text) == (200, True)
    assert left(server) == [(shop.id, 1, ()), (news.id, 0, ()), (None, 0, (shop.id,))]
    assert {one.disabled_at for one in channels(server)} == {None}
    server.client.post(path, data={"scope": "all"})
    assert {one.name: one.disabled_at is not None for one in channels(server)} == {"post": True, "second": False}
