"""Webhooks: a signed JSON document, posted once an attempt."""

from __future__ import annotations

from typing import Final, NamedTuple

from driftline.deliver import signing, templates
from driftline.deliver.document import Writer
from driftline.deliver.ports import Poster
from driftline.engine.ports import Clock
from driftline.model.delivery import Letter, Outcome, Posted, Sent, Undelivered

_GONE: Final = 410  # the receiver says that it is not coming back
_ASKED_TO_WAIT: Final = frozenset({408, 425, 429})


class _Written(NamedTuple):
    """A letter as it is posted."""

    letter: Letter
    body: bytes
    headers: dict[str, str]


class WebhookCourier:
    """Posts letters to the URLs that users chose, through the guard."""

    def __init__(self, poster: Poster, clock: Clock) -> None:
        self._poster = poster
        self._clock = clock
        self._writer = Writer()
        self._ahead: _Written | None = None

    def prepare(self, letter: Letter) -> None:
        """Write and sign."""
        self._ahead = self._written(letter)

    async def deliver(self, letter: Letter) -> Outcome:
        """2xx is a receipt; everything else is not."""
        ahead, self._ahead = self._ahead, None
        _, body, headers = ahead if ahead is not None and ahead.letter is letter else self._written(letter)
        answer = await self._poster.post(letter.channel.target, body, headers)
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
            endpoint_down=status >= 500 or status in _ASKED_TO_WAIT,
        )

    def _written(self, letter: Letter) -> _Written:
        options = letter.channel.options
        template = options.body
        body = self._writer.encoded(letter) if template is None else templates.fill_json(template, templates.values(letter))
        message_id = str(letter.id)
        headers = signing.headers(message_id, body, letter.channel.secrets, at=self._clock.now())
        headers |= {"content-type": "application/json", "delivery-id": message_id, **options.headers}
        return _Written(letter, body, headers)

    async def close(self) -> None:
        """The poster belongs to whoever made it."""
