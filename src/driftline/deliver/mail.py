"""A letter as a mail: headers, a text and an HTML part."""

from __future__ import annotations

from collections.abc import Mapping
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, Policy
from html import escape
from string import punctuation
from typing import Final
from urllib.parse import quote

from driftline.deliver import signing, templates, wording
from driftline.deliver.html import html
from driftline.deliver.plain import plain
from driftline.model.delivery import Letter

_WRAPPED: Final = (
    '<!doctype html>\n<html><head><meta charset="utf-8"></head><body><pre style="white-space:pre-wrap">{}</pre></body></html>'
)
UNSUBSCRIBE: Final = "unsubscribe"  # what a link's token is made for


class _Bare(UnstructuredHeader, BaseHeader):
    """A header of addresses in angle brackets, which mail programs read as they stand: folded between them, never encoded."""

    def fold(self, *, policy: Policy) -> str:
        """The lines of the header; letters of other scripts are written as in any address."""
        plain_text = quote(self, safe=f"{punctuation} ")
        return f"{self.name}: {plain_text.replace(' <', f'{policy.linesep} <')}{policy.linesep}"


_HEADERS: Final = HeaderRegistry()
for _name in ("message-id", "list-unsubscribe"):
    _HEADERS.map_to_type(_name, _Bare)
_POLICY: Final = SMTP.clone(header_factory=_HEADERS)


def mail(letter: Letter, *, sender: str, public_url: str = "") -> EmailMessage:
    """Ready to be sent; the same letter always has the same Message-ID."""
    options, filled = letter.channel.options, templates.values(letter)
    leave = _leave_links(letter, sender, public_url)
    links = _links(letter, public_url, leave)
    message = EmailMessage(policy=_POLICY)
    subject = templates.fill(options.subject, filled) if options.subject else wording.subject(letter)
    message["From"] = _address(sender)
    message["To"] = _address(letter.channel.target, letter.user.name)
    message["Subject"] = wording.cut(wording.one_line(subject), 200)
    message["Date"] = letter.written_at
    message["Message-ID"] = f"<{letter.id}@{sender.rpartition('@')[2].rstrip('>')}>"
    message["X-Driftline-Delivery"] = str(letter.id)
    message["Auto-Submitted"] = "auto-generated"
    message["List-Unsubscribe"] = ", ".join(f"<{url}>" for url in leave.values())
    if "page" in leave:
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    text = templates.fill(options.text, filled) if options.text else plain(letter, links=links)
    message.set_content(text, cte="quoted-printable")
    rich = _WRAPPED.format(escape(text)) if options.text else html(letter, links=links)
    message.add_alternative(rich, subtype="html", cte="quoted-printable")
    return message


def _leave_links(letter: Letter, sender: str, public_url: str) -> dict[str, str]:
    """Ways to end the mails: a page where there is a dashboard, a mail to the operator always."""
    channel = letter.channel
    links = {}
    if public_url and channel.secrets:
        proof = signing.token(channel.secrets, UNSUBSCRIBE)
        links["page"] = f"{public_url.rstrip('/')}/unsubscribe/{channel.id}/{proof}"
    address = _address(sender).addr_spec
    links["mail"] = f"mailto:{quote(address, safe='@')}?subject={quote(f'unsubscribe {channel.id}')}"
    return links


def _links(letter: Letter, public_url: str, leave: Mapping[str, str]) -> dict[str, str]:
    shown = {}
    if public_url and not letter.sample:
        shown["Open in driftline"] = f"{public_url.rstrip('/')}{_place(letter)}"
    shown["Unsubscribe"] = leave.get("page") or leave["mail"]
    return shown


def _place(letter: Letter) -> str:
    """Where the dashboard shows what the letter tells: the change, its report, or all changes."""
    match letter.sections:
        case (section,) if len(section.changes) == 1:
            return f"/changes/{section.changes[0].id}"
        case (section,):
            return f"/runs/{section.report.run_id}"
        case _:
            return "/changes"


def _address(written: str, name: str = "") -> Address:
    """`Name <box@host>` or a bare address, and the name beside it."""
    before, _, after = written.rpartition("<")
    spec = after.rstrip("> ").strip() if before or written.startswith("<") else written.strip()
    return Address(display_name=wording.one_line(before.strip().strip('"') or name), addr_spec=spec)
