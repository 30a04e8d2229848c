"""Mail goes to addresses whose owners said that they are theirs, and samples are few; on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.contract.store.conftest import emptied
from tests.sinks import Mailbox, mailbox
from tests.web_server import HERE, WebServer, server_on

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.delivery import Delivery
from driftline.store.session import OrgData
from driftline.wiring.delivering import dispatcher

STRANGER = {
    "kind": "email",
    "target": "stranger@example.org",
    "name": "buy now",
    "options": {"text": "Buy {{user}} now", "subject": "Buy"},
}


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mailbox() as found:
        yield found


@pytest.fixture
def mailing(shared_url: str, box: Mailbox) -> Iterator[WebServer]:
    """A web server with a mail server."""
    with server_on(shared_url, smtp_host="127.0.0.1", smtp_port=box.port, smtp_tls="none", public_url=HERE) as opened:
        yield opened
    emptied(shared_url)


def added(server: WebServer, **more: Any) -> dict[str, Any]:
    document: dict[str, Any] = server.post("/channels", STRANGER | more).json()
    return document


def link(box: Mailbox, number: int = -1) -> str:
    text = str(box.mails[number].get_content())
    return next(line for line in text.splitlines() if "/confirm/" in line).removeprefix(HERE)


def delivered(server: WebServer) -> Delivery:
    """A change that everybody hears of, sent."""
    app = server.tenant.app
    watch = app.add([app.draft(WatchInput(url="http://shop.example/", kind="catalog"))])[0]
    server.tenant.push(watch.id, "10")
    server.post("/subscriptions", {})
    server.tenant.push(watch.id, "12")

    async def send() -> None:
        async with dispatcher(app) as sender:
            await sender.run(once=True)

    asyncio.run(send())
    (found,) = app.read(lambda data: data.deliveries.page().rows)
    return found


def test_nothing_but_the_link_reaches_an_address_that_is_not_confirmed(mailing: WebServer, box: Mailbox) -> None:
    channel = added(mailing)
    assert (channel["confirmed"], channel["default"]) == (False, True)
    assert mailing.post(f"/channels/{channel['id']}/test").status_code == 409
    delivery = delivered(mailing)
    assert (delivery.state, delivery.reason) == ("skipped", "the address is not confirmed")
    (mail,) = box.mails
    assert (mail["To"], mail["Subject"]) == ("stranger@example.org", "driftline: confirm your address")
    assert "buy" not in mail.as_string().lower()
    mailing.app.read(_holds_no(link(box).rpartition("/")[2]))


def _holds_no(secret: str) -> Any:
    def look(data: OrgData) -> None:
        (row,) = data.tx.rows("SELECT secret_hash FROM unconfirmed_channels")
        assert secret.encode() not in bytes(row[0])

    return look


def test_a_link_works_once_and_only_by_its_button(mailing: WebServer, box: Mailbox) -> None:
    channel = added(mailing)
    path = link(box)
    for _ in range(2):
        asked = mailing.client.get(path)
        assert (asked.status_code, "<form" in asked.text) == (200, True)
    assert mailing.get(f"/channels/{channel['id']}").json()["confirmed"] is False
    assert mailing.client.post(f"{path[:-1]}{'a' if path[-1] != 'a' else 'b'}").status_code == 404
    assert "Confirmed" in mailing.client.post(path).text
    assert mailing.client.post(path).status_code == 404
    assert mailing.get(f"/channels/{channel['id']}").json()["confirmed"] is True
    assert delivered(mailing).state == "sent"
    assert mailing.post(f"/channels/{channel['id']}/test").json()["sent"] is True
    assert "Buy" in str(box.mails[1]["Subject"])
    assert box.mails[2]["Subject"] == "driftline: test message"
    assert "Buy" not in box.mails[2].as_string()


def test_a_link_ends_with_the_next_one_and_after_two_days(mailing: WebServer, box: Mailbox) -> None:
    channel = added(mailing)
    assert mailing.post(f"/channels/{channel['id']}/link").json() == {"sent": True, "reason": None}
    first, second = link(box, 0), link(box, 1)
    assert mailing.client.get(first).status_code == 404
    assert mailing.client.get(second).status_code == 200
    past = mailing.app.clock.now() - timedelta(seconds=1)
    mailing.app.write(lambda data: data.tx.run("UPDATE unconfirmed_channels SET expires_at = ?", (past,)))
    assert [mailing.client.get(second).status_code, mailing.client.post(second).status_code] == [404, 404]


def test_thirty_samples_to_a_third_party_are_refused_from_the_sixth_on(mailing: WebServer, box: Mailbox) -> None:
    channel = added(mailing)
    links = [mailing.post(f"/channels/{channel['id']}/link").status_code for _ in range(30)]
    assert links == [200] * 4 + [429] * 26  # the first went when it was added
    assert mailing.client.post(link(box)).status_code == 200
    second = added(mailing, name="second")  # of an address that its user confirmed
    assert second["confirmed"] is True
    samples = [mailing.post(f"/channels/{second['id']}/test").status_code for _ in range(30)]
    assert samples == [200] * 5 + [429] * 25
    others = [
        mailing.post("/channels", STRANGER | {"name": f"n{n}", "target": f"n{n}@example.org"}).status_code for n in range(12)
    ]
    assert others == [201] * 10 + [429] * 2
    assert len(box.mails) == 20


def test_an_address_is_not_confirmed_for_somebody_else_nor_after_its_reader_left(mailing: WebServer, box: Mailbox) -> None:
    first = added(mailing)
    mailing.client.post(link(box))
    token = mailing.tenant.token_for(mailing.tenant.user("editor", "ed@example.org"))
    assert mailing.post("/channels", STRANGER | {"name": "of another"}, token=token).json()["confirmed"] is False
    mailing.post(f"/channels/{first['id']}/off")
    assert added(mailing, name="again")["confirmed"] is False


def test_a_repeated_request_sends_no_second_link(mailing: WebServer, box: Mailbox) -> None:
    for _ in range(2):
        assert mailing.post("/channels", STRANGER, headers={"Idempotency-Key": "k"}).status_code == 201
    assert len(box.mails) == 1


def test_the_dashboard_says_unconfirmed_and_sends_the_link_again(mailing: WebServer, box: Mailbox) -> None:
    channel = added(mailing)
    cookie = mailing.tenant.session_for(mailing.tenant.owner)
    shown = mailing.browse("GET", "/settings?tab=channels", cookie=cookie).text
    assert all(words in shown for words in ("unconfirmed", "Send the confirmation again"))
    assert "Send a test" not in shown
    again = mailing.browse("POST", f"/settings/channels/{channel['id']}/link", cookie=cookie)
    assert (again.status_code, len(box.mails)) == (303, 2)


def test_without_an_address_of_the_dashboard_the_link_leads_to_where_it_was_asked_for(shared_url: str, box: Mailbox) -> None:
    with server_on(shared_url, smtp_host="127.0.0.1", smtp_port=box.port, smtp_tls="none") as opened:
        added(opened)
        assert f"{HERE}/confirm/" in str(box.mails[-1].get_content())
    emptied(shared_url)


def test_without_a_mail_server_the_page_says_what_to_set_and_a_webhook_becomes_the_default(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    mail = {"kind": "email", "target": "reader@example.org"}
    answer = server.browse("POST", "/settings/channels", cookie=cookie, data=mail).text
    assert "the confirmation mail was not sent: no mail server is set up" in answer
    assert "Set DRIFTLINE_SMTP_HOST" in answer
    assert "Open the link in the confirmation mail to reader@example.org" in server.browse("GET", "/", cookie=cookie).text
    hook = server.post("/channels", {"kind": "webhook", "target": "https://hook.example/in"}).json()
    assert hook["default"] is True
    assert "You can send a test" in server.browse("GET", "/", cookie=cookie).text
