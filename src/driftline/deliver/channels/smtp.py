"""Mail through the operator's relay, with reused connections."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Final, Literal
from uuid import UUID

import aiosmtplib
import msgspec
from aiosmtplib import (
    SMTPAuthenticationError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
    SMTPTimeoutError,
)

from driftline.core.pictures.crops import ChangedPart
from driftline.deliver.ports import ChangePictures
from driftline.deliver.render.mail import mail
from driftline.model.delivery import Message, Outcome, Sent, Undelivered

_AT_ONCE: Final = 8  # connections that are kept open
_PICTURES: Final = 3  # changes of one mail that are shown with their picture
_CHANGES_ASKED: Final = 12  # for theirs
_FINAL_FROM: Final = 500  # replies from here on are final


class MailRelay(msgspec.Struct, frozen=True, kw_only=True):
    """The operator's mail server."""

    host: str
    port: int = 587
    tls: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: str = ""
    sender: str = "driftline@localhost"
    public_url: str = ""
    timeout_for: float = 30.0


class EmailTransport:
    """Sends mails; a refused recipient is final, a relay that does not work is not."""

    at_once = _AT_ONCE

    def __init__(
        self, relay: MailRelay | None, *, trust: ssl.SSLContext | None = None, pictures: ChangePictures | None = None
    ) -> None:
        self._relay = relay
        self._pictures = pictures
        self._trust = trust  # None: the system's authorities
        self._idle: list[aiosmtplib.SMTP] = []

    async def deliver(self, message: Message) -> Outcome:
        """Sent when the relay answers 250."""
        relay = self._relay
        if relay is None:
            return Undelivered(reason="no mail server is configured (DRIFTLINE_SMTP_HOST)", endpoint_down=True)
        pictures = await self._pictures_of(message)
        written = mail(message, sender=relay.sender, public_url=relay.public_url, pictures=pictures)
        try:
            async with asyncio.timeout(relay.timeout_for):
                connection = await self._connection(relay)
                try:
                    await connection.send_message(written)
                except (SMTPRecipientsRefused, SMTPResponseException):
                    await self._keep(connection, reset=True)  # the connection still works; the mail was refused
                    raise
                except BaseException:
                    connection.close()
                    raise
                await self._keep(connection)
        except (TimeoutError, SMTPTimeoutError):
            return Undelivered(reason="smtp timeout", endpoint_down=True)
        except SMTPAuthenticationError as error:
            return Undelivered(reason=f"smtp sign-in refused: {_reply(error.code, error.message)}", endpoint_down=True)
        except SMTPRecipientsRefused as error:
            refusal = error.recipients[0]
            return Undelivered(
                reason=f"recipient refused: {_reply(refusal.code, refusal.message)}", final=refusal.code >= _FINAL_FROM
            )
        except SMTPResponseException as error:
            return Undelivered(reason=f"smtp {_reply(error.code, error.message)}", final=error.code >= _FINAL_FROM)
        except (SMTPException, OSError) as error:
            return Undelivered(reason=_failure(error), endpoint_down=True)
        return Sent()

    async def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            with suppress(SMTPException, OSError, TimeoutError):
                await self._idle.pop().quit(timeout=1.0)

    async def _pictures_of(self, message: Message) -> dict[UUID, ChangedPart]:
        """Of its first changes that have any."""
        found: dict[UUID, ChangedPart] = {}
        if self._pictures is None or message.confirm_url or message.sample or message.channel.options.text:
            return found
        for change in message.changes[:_CHANGES_ASKED]:
            if len(found) < _PICTURES and (part := await self._pictures.of(change)) is not None:
                found[change.id] = part
        return found

    async def _connection(self, relay: MailRelay) -> aiosmtplib.SMTP:
        """An idle connection that still answers, else a new one."""
        while self._idle:
            kept = self._idle.pop()
            try:
                await kept.noop()
            except (SMTPException, OSError):
                kept.close()
                continue
            return kept
        connection = aiosmtplib.SMTP(
            hostname=relay.host,
            port=relay.port,
            use_tls=relay.tls == "tls",
            start_tls=relay.tls == "starttls",
            username=relay.user or None,
            password=relay.password or None,
            timeout=relay.timeout_for,
            tls_context=self._trust,
        )
        await connection.connect()
        return connection

    async def _keep(self, connection: aiosmtplib.SMTP, *, reset: bool = False) -> None:
        if reset:
            try:
                await connection.rset()
            except (SMTPServerDisconnected, SMTPException, OSError):
                connection.close()
                return
        if len(self._idle) < _AT_ONCE and connection.is_connected:
            self._idle.append(connection)
        else:
            connection.close()


def _failure(error: Exception) -> str:
    """Why the relay could not be used, with the setting that may help."""
    words = " ".join(str(error).split())
    if isinstance(error, SMTPException) and "STARTTLS" in words and "not supported" in words:
        return "the mail server offers no STARTTLS (set DRIFTLINE_SMTP_TLS to tls with port 465, or to none)"
    return f"smtp: {type(error).__name__}{f': {words[:160]}' if words else ''}"


def _reply(code: int, message: str) -> str:
    """Code and first line of a reply, shortened."""
    return f"{code} {' '.join(message.split())[:160]}".strip()
