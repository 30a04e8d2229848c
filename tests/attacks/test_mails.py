"""What pages and people write into a mail's headers: it stays the text of that header."""

from __future__ import annotations

from base64 import b64encode
from email import message_from_bytes
from email.policy import SMTP

import pytest
from tests.messages import change, channel, message, reported, user

from driftline.deliver.render.mail import mail

SENDER = "Driftline <alerts@example.org>"
ADDED = "x\r\nBcc: other@example.org\r\n\r\n<h1>Pay here</h1>"
HOSTILE = {
    "line breaks": ADDED,
    # The standard library decodes these when a header is set, and writes what they say.
    "an encoded word of quoted letters": "=?utf-8?q?x=0D=0ABcc:_other@example.org=0D=0A=0D=0APay_here?=",
    "an encoded word in base64": f"=?utf-8?B?{b64encode(ADDED.encode()).decode()}?=",
    "an encoded word between others": "é =?utf-8?q?=0D=0ABcc:_other@example.org?= é",
    "encoded words side by side": "=?utf-8?q?a?= =?utf-8?q?=0ABcc:_other@example.org?=",
    "an encoded word that forms when another goes": "==??utf-8?q?=0D=0ABcc:_other@example.org?=",
    "letters that run backwards": "=?utf-8?B?4oCuZ3Bq?=\u202egpj",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_in_a_header_adds_another_or_begins_the_body(name: str) -> None:
    text = HOSTILE[name]
    clean = mail(message(reported(change(1, headline="x"))), sender=SENDER)
    usual = message_from_bytes(clean.as_bytes(), policy=SMTP)
    for sent in (
        message(reported(change(1, headline=text))),
        message(reported(change(1), name=text)),
        message(reported(change(1)), of=user(name=text)),
        message(reported(change(1, headline=text)), to=channel(subject="{{headline}} {{watch}}")),
        message(reported(change(1)), to=channel(subject=text)),
    ):
        written = message_from_bytes(mail(sent, sender=SENDER).as_bytes(), policy=SMTP)
        assert written.keys() == usual.keys()
        assert not written.defects
        assert str(written["Subject"]).isprintable()
        assert written.is_multipart()
        assert str(written["To"]).endswith("<reader@example.org>")
