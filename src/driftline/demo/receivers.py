"""A mailbox and a webhook on loopback, so that the demo can show what arrives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.policy import SMTP
from typing import Final

import msgspec

from driftline.demo.mailbox import Mail, opened

_LARGEST: Final = 4 * 1024 * 1024  # of a mail


class Receivers:
    """What was received."""

    def __init__(self) -> None:
        self.mail_port = 0
        self.hook_url = ""
        self.mails: list[Mail] = []
        self.posts: list[str] = []  # headlines

    async def take_mail(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The receiving side of SMTP, as far as one sender needs it."""
        writer.write(b"220 demo\r\n")
        while line := (await reader.readline()).strip().upper():
            if line == b"DATA":
                writer.write(b"354 go on\r\n")
                raw = (await reader.readuntil(b"\r\n.\r\n"))[:-5].replace(b"\r\n..", b"\r\n.")
                self.mails.append(opened(message_from_bytes(raw, policy=SMTP)))
            elif line == b"QUIT":
                break
            writer.write(b"250 fine\r\n")
        writer.close()

    async def take_post(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The receiving side of a webhook."""
        while not reader.at_eof():
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            except asyncio.IncompleteReadError:
                break
            length = int(head.partition("content-length:")[2].partition("\r\n")[0] or 0)
            document = msgspec.json.decode(await reader.readexactly(length))
            self.posts.append(str(document["data"]["headline"]))
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()


@asynccontextmanager
async def receivers() -> AsyncIterator[Receivers]:
    """A mailbox and a webhook that listen until the end of the context."""
    found = Receivers()
    mail = await asyncio.start_server(found.take_mail, "127.0.0.1", 0, limit=_LARGEST)
    hook = await asyncio.start_server(found.take_post, "127.0.0.1", 0)
    found.mail_port = mail.sockets[0].getsockname()[1]
    found.hook_url = f"http://127.0.0.1:{hook.sockets[0].getsockname()[1]}/changes"
    try:
        yield found
    finally:
        mail.close()
        hook.close()
