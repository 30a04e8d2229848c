"""Webhooks: a signed JSON document, posted once per attempt."""

from __future__ import annotations

from typing import Final

from driftline.core.identity.ids import id_text
from driftline.deliver.channels import signing
from driftline.deliver.ports import Poster
from driftline.deliver.render import templates
from driftline.deliver.render.document import DocumentWriter
from driftline.engine.ports import Clock
from driftline.model.delivery import Message, Outcome, Posted, Sent, Undelivered

_GONE: Final = 410  # the receiver is gone for good
_TRY_LATER: Final = frozenset({408, 425, 429})


class WebhookTransport:
    """Posts messages to URLs that users chose, through the egress guard."""

    at_once = 16

    def __init__(self, poster: Poster, clock: Clock) -> None:
        self._poster = poster
        self._clock = clock
        self._writer = DocumentWriter()

    async def deliver(self, message: Message) -> Outcome:
        """Any 2xx status means that it was accepted."""
        body = webhook_body(message, self._writer)
        answer = await self._poster.post(message.channel.target, body, self._headers(message, body))
        if not isinstance(answer, Posted):
            return Undelivered(reason=answer.reason, final=answer.refused, endpoint_down=not answer.refused)
        status = answer.status
        if 200 <= status < 300:
            return Sent()
        if 300 <= status < 400:
            return Undelivered(reason=f"http {status}: redirects are not followed", final=True)
        return Undelivered(
            reason=f"http {status}",
            final=status == _GONE,
            retry_after=answer.retry_after,
            endpoint_down=status >= 500 or status in _TRY_LATER,
        )

    def _headers(self, message: Message, body: bytes) -> dict[str, str]:
        channel, message_id = message.channel, id_text(message.id)
        headers = signing.headers(message_id, body, channel.secrets, at=self._clock.now())
        headers["content-type"] = "application/json"
        headers["delivery-id"] = message_id
        return headers | channel.options.headers

    async def close(self) -> None:
        """Nothing to close: the poster belongs to its creator."""


def webhook_body(message: Message, writer: DocumentWriter) -> bytes:
    """The document, or what the channel's template makes of it."""
    template = message.channel.options.body
    if template is None:
        return writer.encoded(message)
    return templates.fill_json(template, templates.MessageValues(message))
