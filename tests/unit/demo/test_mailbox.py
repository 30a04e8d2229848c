from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import aiohttp
import aiosmtplib

from driftline.demo import mailbox
from driftline.demo.receivers import receivers
from driftline.demo.site import serve


def written(subject: str, html: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = "driftline@localhost", "you@example.org", subject
    message["Date"] = "Sun, 01 Mar 2026 10:00:00 +0000"
    message.set_content("plain words")
    message.add_alternative(html, subtype="html")
    return message


async def test_a_mail_that_arrived_stands_in_the_mailbox_and_can_be_opened() -> None:
    async with receivers() as inbox, serve(inbox) as site, aiohttp.ClientSession() as client:
        large = "<p>" + "word " * 40_000 + "</p>"
        for subject in ("Price fell", "Sold out"):
            await aiosmtplib.send(written(subject, large), hostname="127.0.0.1", port=inbox.mail_port, start_tls=False)
        listed = await (await client.get(f"{site.address}/mailbox")).text()
        assert listed.index("Sold out") < listed.index("Price fell")
        first = await (await client.get(f"{site.address}/mailbox/1")).text()
        assert "Price fell" in first
        assert "plain words" in first
        assert (await client.get(f"{site.address}/mailbox/3")).status == 404


def test_markup_in_a_letter_is_inert_outside_its_sandbox() -> None:
    mail = mailbox.opened(written("<script>alert(1)</script>", '"><script>alert(2)</script>'))
    pages = mailbox.mail_page(mail) + mailbox.listing([mail], ["<img src=x onerror=alert(3)>"])
    assert "<script>" not in pages
    assert "<img src=x" not in pages
    assert 'sandbox="allow-popups ' in pages
    assert "allow-scripts" not in pages


def test_an_empty_mailbox_says_what_to_wait_for() -> None:
    assert "Wait for the first change" in mailbox.listing([], [])
