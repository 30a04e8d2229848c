"""A folder of a mailbox that the operator named, read without marking anything as read."""

from __future__ import annotations

import csv
import imaplib
import io
from contextlib import suppress
from email import message_from_bytes, policy
from typing import Final
from urllib.parse import unquote, urlsplit

from driftline.fetch.sources.failures import SourceFailed

_MESSAGES: Final = 100  # the latest
_WAIT_FOR: Final = 30.0  # seconds for an answer
_FIELDS: Final = "(UID BODY.PEEK[HEADER.FIELDS (DATE FROM SUBJECT MESSAGE-ID)])"


def list_messages(address: str, password: str) -> bytes:
    """A table of the latest messages: id, date, sender and subject; raises OSError or SourceFailed."""
    parts = urlsplit(address)
    secure = parts.scheme == "imaps"
    if not parts.hostname or parts.scheme not in ("imaps", "imap"):
        raise SourceFailed("the source is not set up")
    connect = imaplib.IMAP4_SSL if secure else imaplib.IMAP4
    try:
        box = connect(parts.hostname, parts.port or (993 if secure else 143), timeout=_WAIT_FOR)
        try:
            box.login(unquote(parts.username or ""), password)
            return _table(box, unquote(parts.path.strip("/")) or "INBOX")
        finally:
            with suppress(OSError, imaplib.IMAP4.error):
                box.logout()
    except imaplib.IMAP4.error:
        raise SourceFailed("the mailbox refuses") from None


def _table(box: imaplib.IMAP4, folder: str) -> bytes:
    quoted = '"{}"'.format(folder.replace("\\", "\\\\").replace('"', '\\"'))
    answer, data = box.select(quoted, readonly=True)
    if answer != "OK":
        raise SourceFailed("no such folder in the mailbox")
    count = int(data[0] or b"0")
    rows: list[tuple[str, ...]] = [("id", "date", "from", "subject")]
    if count:
        _, found = box.fetch(f"{max(1, count - _MESSAGES + 1)}:{count}", _FIELDS)
        rows += [_row(part[1]) for part in found if isinstance(part, tuple)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _row(header: bytes) -> tuple[str, ...]:
    said = message_from_bytes(header, policy=policy.default)
    return tuple(" ".join(str(said.get(name, "")).split())[:500] for name in ("message-id", "date", "from", "subject"))
