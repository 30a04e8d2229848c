"""The demo's local mailbox: received mails as pages."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from email.message import EmailMessage
from html import escape
from typing import Final

import msgspec

_SANDBOX: Final = "allow-popups allow-popups-to-escape-sandbox"  # no scripts, no forms


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """A received mail."""

    subject: str
    sender: str
    sent: str  # as its Date header says
    text: str
    html: str


def opened(message: EmailMessage) -> Mail:
    """What a person reads of a mail."""
    return Mail(
        subject=str(message["Subject"]),
        sender=str(message["From"]),
        sent=str(message["Date"]),
        text=_part(message, "plain"),
        html=_with_pictures(message, _part(message, "html")),
    )


def _with_pictures(message: EmailMessage, html: str) -> str:
    """The HTML with the pictures that came along, as mail programs show them."""
    for part in message.walk():
        if part.get_content_maintype() == "image" and (name := str(part["Content-ID"]).strip("<>")):
            data = b64encode(part.get_content()).decode()
            html = html.replace(f"cid:{name}", f"data:{part.get_content_type()};base64,{data}")
    return html


def _part(message: EmailMessage, kind: str) -> str:
    found = message.get_body((kind,))
    return "" if found is None else str(found.get_content())


def listing(mails: Sequence[Mail], posts: Sequence[str]) -> str:
    """The newest letters first, and what the webhook got."""
    rows = "".join(
        f'<li><h2><a href="/mailbox/{number}">{escape(mail.subject)}</a></h2><p class="quiet">{escape(mail.sent)}</p></li>'
        for number, mail in reversed(list(enumerate(mails, start=1)))
    )
    hooks = "".join(f"<li>{escape(headline)}</li>" for headline in reversed(posts))
    letters = f'<ul class="rows">{rows}</ul>' if rows else "<p>Nothing yet. Wait for the first change.</p>"
    body = (
        f'<article class="card"><h1>Mailbox</h1>{letters}</article>'
        f'<article class="card"><h2>Received by the webhook</h2><ul>{hooks or "<li>Nothing yet.</li>"}</ul></article>'
    )
    return _page("Mailbox", body, refreshed=True)


def mail_page(mail: Mail) -> str:
    """One mail as mail programs show it: its HTML without scripts, its text beneath."""
    shown = escape(f'<base target="_blank">{mail.html}')  # its links open beside it, as in a mail program
    body = (
        f'<article class="card"><p><a href="/mailbox">All mails</a></p><h1>{escape(mail.subject)}</h1>'
        f'<p class="quiet">{escape(mail.sender)}, {escape(mail.sent)}</p>'
        f'<iframe class="mail" sandbox="{_SANDBOX}" title="The mail" srcdoc="{shown}"></iframe>'
        f"<details><summary>As text</summary><pre>{escape(mail.text)}</pre></details></article>"
    )
    return _page(mail.subject, body, refreshed=False)


def _page(title: str, body: str, *, refreshed: bool) -> str:
    refresh = '<meta http-equiv="refresh" content="3">' if refreshed else ""
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">{refresh}
<title>{escape(title)}</title><link rel="stylesheet" href="/style.css"></head>
<body><header><strong>you@example.org</strong><nav>a mailbox on this machine</nav></header><main>{body}</main></body>
</html>
"""
