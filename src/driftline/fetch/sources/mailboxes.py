"""A folder of a mailbox that the operator named, read without marking anything as read."""

from __future__ import annotations

import csv
import imaplib
import io
import socket
import ssl
from contextlib import suppress
from email import message_from_bytes, policy
from threading import Timer
from typing import Final
from urllib.parse import unquote, urlsplit

from driftline.fetch.sources.failures import SourceFailed, TooLarge

_MESSAGES: Final = 100  # the latest
_FIELDS: Final = "(UID BODY.PEEK[HEADER.FIELDS (DATE FROM SUBJECT MESSAGE-ID)])"


def list_messages(address: str, password: str, total_for: float, limit: int) -> bytes:
    """A table of the latest messages: id, date, sender and subject; raises OSError or SourceFailed.

    It ends after `total_for` seconds, whatever the server sends, and reads no more than `limit` bytes.
    """
    parts = urlsplit(address)
    secure = parts.scheme == "imaps"
    if not parts.hostname or parts.scheme not in ("imaps", "imap"):
        raise SourceFailed("the source is not set up")
    connection = _Connection(total_for, limit)
    try:
        box = (_SecureBox if secure else _Box)(parts.hostname, parts.port or (993 if secure else 143), connection)
        try:
            box.login(unquote(parts.username or ""), password)
            table = _table(box, unquote(parts.path.strip("/")) or "INBOX")
            with suppress(OSError, imaplib.IMAP4.error):
                box.logout()
            return table
        finally:
            with suppress(OSError):
                box.shutdown()
    except imaplib.IMAP4.error:
        if connection.is_late:
            raise TimeoutError from None
        raise SourceFailed("the mailbox refuses") from None
    finally:
        connection.close()


class _Connection:
    """What one reading of a mailbox may take: the connection is cut when its time is over, however slowly it trickles."""

    def __init__(self, total_for: float, limit: int) -> None:
        self.total_for = total_for
        self.is_late = False
        self._left = limit
        self._timer = Timer(total_for, self._cut)
        self._socket: socket.socket | None = None

    def opened(self, own: socket.socket) -> None:
        self._socket = own.dup()  # which stays what it is when TLS takes the other one over
        self._timer.daemon = True
        self._timer.start()

    def take(self, size: int) -> None:
        """Count bytes before they are read; raises TooLarge."""
        self._left -= size
        if self._left < 0:
            raise TooLarge("body too large")

    def close(self) -> None:
        self._timer.cancel()
        if self._socket is not None:
            self._socket.close()

    def _cut(self) -> None:
        self.is_late = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class _Box(imaplib.IMAP4):
    """A connection within its limits."""

    def __init__(self, host: str, port: int, connection: _Connection) -> None:
        self._within = connection
        super().__init__(host, port, connection.total_for)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        own = socket.create_connection((self.host, self.port), timeout)
        self._within.opened(own)
        return own

    def read(self, size: int) -> bytes:
        """So many bytes, if there may be as many."""
        self._within.take(size)
        return super().read(size)

    def readline(self) -> bytes:
        """A line, if there may be one more."""
        line = super().readline()
        self._within.take(len(line))
        return line


class _SecureBox(_Box):
    """The same over TLS, with a server whose certificate is valid: imaplib asks for none by itself."""

    def _create_socket(self, timeout: float | None) -> socket.socket:
        own = super()._create_socket(timeout)
        return ssl.create_default_context().wrap_socket(own, server_hostname=self.host)


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
