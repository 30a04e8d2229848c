"""The way out of mails: the link that they carry, opened by a person and by a mail program."""

from __future__ import annotations

from email.message import EmailMessage
from secrets import token_bytes

import pytest
from tests.offices import HERE, Office

from driftline.deliver.mail import mail
from driftline.deliver.signing import new_secret
from driftline.model.delivery import Channel, Letter
from driftline.web.pages.leaving import REASON


def channels(office: Office) -> list[Channel]:
    return office.app.read(lambda data: data.channels.all())


@pytest.fixture
def message(office: Office) -> EmailMessage:
    """A mail as the sender writes it."""
    app, owner = office.app, office.tenant.owner
    channel = Channel(
        id=app.ids(), org_id=app.org.id, user_id=owner.id, kind="email", name="post", target="reader@example.org",
        secrets=(new_secret(token_bytes(32), at=app.clock.now()),), created_at=app.clock.now(),
    )  # fmt: skip
    channel = app.write(lambda data: data.channels.add(channel))
    letter = Letter(id=app.ids(), channel=channel, user=owner, sections=(), sample=True, written_at=app.clock.now())
    return mail(letter, sender="alerts@example.org", public_url=HERE)


def link(message: EmailMessage) -> str:
    first = str(message["List-Unsubscribe"]).replace("\n", "").split(",")[0]
    return first.strip("<> ").removeprefix(HERE)


def test_a_mail_program_unsubscribes_its_reader_in_one_click(office: Office, message: EmailMessage) -> None:
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for _ in range(2):
        answer = office.client.post(link(message), data={"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "sends nothing to" in answer.text
    (channel,) = channels(office)
    assert (channel.disabled_at is not None, channel.disabled_reason) == (True, REASON)


def test_opening_the_link_only_asks(office: Office, message: EmailMessage) -> None:
    answer = office.client.get(link(message))
    assert (answer.status_code, "reader@example.org" in answer.text, "<form" in answer.text) == (200, True, True)
    assert channels(office)[0].disabled_at is None


@pytest.mark.parametrize("forge", [lambda path: f"{path[:-1]}{'0' if path[-1] != '0' else '1'}", lambda path: f"{path[:-64]}x"])
def test_a_link_that_we_did_not_write_opens_nothing(office: Office, message: EmailMessage, forge: object) -> None:
    path = forge(link(message))  # type: ignore[operator] # a function of one path
    assert office.client.get(path).status_code == 404
    assert office.client.post(path).status_code == 404
    assert channels(office)[0].disabled_at is None
