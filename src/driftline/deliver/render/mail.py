"""Renders a message as a mail: headers, a text and an HTML part."""

from __future__ import annotations

from collections.abc import Mapping
from email.header import Header
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, Policy
from html import escape
from string import punctuation
from typing import Final
from urllib.parse import quote
from uuid import UUID

from driftline.core.pictures.crops import ChangedPart
from driftline.deliver.channels import signing
from driftline.deliver.render import templates, wording
from driftline.deliver.render.html import html, picture_id
from driftline.deliver.render.plain import plain
from driftline.model.delivery import Message

_WRAPPED: Final = (
    '<!doctype html>\n<html><head><meta charset="utf-8"></head><body><pre style="white-space:pre-wrap">{}</pre></body></html>'
)
_CONFIRM: Final = (
    "Somebody asked driftline to send reports of changes to this address.\n\n"
    "If this was you, open this page within 48 hours and confirm:\n\n{}\n\n"
    "If this was not you, do nothing. Nothing will be sent.\n"
)
UNSUBSCRIBE: Final = "unsubscribe"  # purpose of a link's token


class _Bare(UnstructuredHeader, BaseHeader):
    """A header of addresses in angle brackets: folded between them, never encoded."""

    def fold(self, *, policy: Policy) -> str:
        """The lines of the header; addresses with other scripts are encoded as usual."""
        plain_text = quote(self, safe=f"{punctuation} ")
        return f"{self.name}: {plain_text.replace(' <', f'{policy.linesep} <')}{policy.linesep}"


class _Text(UnstructuredHeader, BaseHeader):
    """A header of text in any script: encoded as a whole, because the standard library loses spaces between parts."""

    def fold(self, *, policy: Policy) -> str:
        """The lines of the header."""
        if self.isascii():
            return super().fold(policy=policy)
        encoded = Header(str(self), "utf-8", header_name=self.name).encode(linesep=policy.linesep)
        return f"{self.name}: {encoded}{policy.linesep}"


_HEADERS: Final = HeaderRegistry()
_HEADERS.map_to_type("subject", _Text)
for _name in ("message-id", "references", "list-unsubscribe"):
    _HEADERS.map_to_type(_name, _Bare)
_POLICY: Final = SMTP.clone(header_factory=_HEADERS)


def mail(
    message: Message, *, sender: str, public_url: str = "", pictures: Mapping[UUID, ChangedPart] | None = None
) -> EmailMessage:
    """The mail; the same message always has the same Message-ID. `pictures` are shown with their changes, by id."""
    if message.confirm_url:
        return _confirmation(message, sender)
    options, filled = message.channel.options, templates.MessageValues(message)
    leave = _leave_links(message, sender, public_url)
    links = _links(message, public_url, leave)
    written = EmailMessage(policy=_POLICY)
    subject = templates.fill(options.subject, filled) if options.subject else wording.subject(message)
    written["From"] = _address(sender)
    written["To"] = _address(message.channel.target, message.user.name)
    written["Subject"] = wording.cut(_in_header(subject), 200)
    written["Date"] = message.written_at
    written["Message-ID"] = f"<{message.id}@{sender.rpartition('@')[2].rstrip('>')}>"
    if thread := _thread(message):
        written["References"] = f"<{thread}@{sender.rpartition('@')[2].rstrip('>')}>"
    written["X-Driftline-Delivery"] = str(message.id)
    written["Auto-Submitted"] = "auto-generated"
    written["List-Unsubscribe"] = ", ".join(f"<{url}>" for url in leave.values())
    if "page" in leave:
        written["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    text = templates.fill(options.text, filled) if options.text else plain(message, links=links)
    written.set_content(text, cte="quoted-printable")
    rich = _WRAPPED.format(escape(text)) if options.text else html(message, links=links, pictures=pictures)
    written.add_alternative(rich, subtype="html", cte="quoted-printable")
    if pictures and not options.text:
        _attach(written, pictures)
    return written


def _attach(written: EmailMessage, pictures: Mapping[UUID, ChangedPart]) -> None:
    """Put pictures beside the HTML that shows them: nothing is loaded from anywhere."""
    rich = written.get_body(("html",))
    if rich is None:
        return
    for change_id, part in pictures.items():
        for side, data in (("before", part.before), ("after", part.after)):
            cid = f"<{picture_id(change_id, side)}>"
            rich.add_related(data, "image", "jpeg", cid=cid, disposition="inline", filename=f"{side}.jpg")


def _thread(message: Message) -> str:
    """What keeps the mails of one watch together; empty for a sample, and for mails about several watches."""
    watches = {section.report.watch_id for section in message.sections}
    return f"watch.{next(iter(watches))}" if len(watches) == 1 and not message.sample else ""


def _confirmation(message: Message, sender: str) -> EmailMessage:
    """The confirmation mail in fixed words: nothing that a user wrote is sent to an unconfirmed address."""
    written = EmailMessage(policy=_POLICY)
    written["From"] = _address(sender)
    written["To"] = _address(message.channel.target)
    written["Subject"] = "driftline: confirm your address"
    written["Date"] = message.written_at
    written["Message-ID"] = f"<{message.id}@{sender.rpartition('@')[2].rstrip('>')}>"
    written["Auto-Submitted"] = "auto-generated"
    written.set_content(_CONFIRM.format(message.confirm_url), cte="quoted-printable")
    return written


def _leave_links(message: Message, sender: str, public_url: str) -> dict[str, str]:
    """Ways to unsubscribe: a page if there is a dashboard, and always a mail to the operator."""
    channel = message.channel
    links = {}
    if public_url and channel.secrets:
        proof = signing.token(channel.secrets, UNSUBSCRIBE)
        links["page"] = f"{public_url.rstrip('/')}/unsubscribe/{channel.id}/{proof}"
    address = _address(sender).addr_spec
    links["mail"] = f"mailto:{quote(address, safe='@')}?subject={quote(f'unsubscribe {channel.id}')}"
    return links


def _links(message: Message, public_url: str, leave: Mapping[str, str]) -> dict[str, str]:
    shown = {}
    if public_url and not message.sample:
        shown["Open in driftline"] = f"{public_url.rstrip('/')}{_place(message)}"
    shown["Unsubscribe"] = f"{leave['page']}{_of_watch(message)}" if "page" in leave else leave["mail"]
    return shown


def _of_watch(message: Message) -> str:
    """The watch that the page may unsubscribe from alone; none for a message about several."""
    watches = {section.report.parent_id or section.report.watch_id for section in message.sections}
    return f"?watch={watches.pop()}" if len(watches) == 1 and not message.sample else ""


def _place(message: Message) -> str:
    """The dashboard page of the message: the change, its report, or all changes."""
    match message.sections:
        case (section,) if len(section.changes) == 1:
            return f"/changes/{section.changes[0].id}"
        case (section,):
            return f"/runs/{section.report.run_id}"
        case _:
            return "/changes"


def _address(written: str, name: str = "") -> Address:
    """`Name <box@host>` or a bare address, with the name."""
    before, _, after = written.rpartition("<")
    spec = after.rstrip("> ").strip() if before or written.startswith("<") else written.strip()
    return Address(display_name=_in_header(before.strip().strip('"') or name), addr_spec=spec)


def _in_header(text: str) -> str:
    """One line without encoded words: the standard library would decode them, line breaks and all, and write what they say."""
    return wording.one_line(text).replace("=?", "= ?")
