"""Webhooks: a signed JSON document, posted once an attempt."""

from __future__ import annotations

from typing import Final, NamedTuple

from driftline.core.ids import id_text
from driftline.deliver import signing, templates
from driftline.deliver.document import Writer
from driftline.deliver.ports import Poster
from driftline.engine.ports import Clock
from driftline.model.delivery import Draft, Letter, NotPosted, Outcome, Posted, Sent, Undelivered

_GONE: Final = 410  # the receiver says that it is not coming back
_ASKED_TO_WAIT: Final = frozenset({408, 425, 429})


class _Ahead(NamedTuple):
    """A letter as it is posted."""

    letter: Letter
    draft: Draft | NotPosted


class WebhookCourier:
    """Posts letters to the URLs that users chose, through the guard."""

    def __init__(self, poster: Poster, clock: Clock) -> None:
        self._poster = poster
        self._clock = clock
        self._writer = Writer()
        self._ahead: _Ahead | None = None

    def prepare(self, letter: Letter) -> None:
        """Write and sign."""
        self._ahead = _Ahead(letter, self._drafted(letter))

    async def deliver(self, letter: Letter) -> Outcome:
        """2xx is a receipt; everything else is not."""
        ahead, self._ahead = self._ahead, None
        draft = ahead.draft if ahead is not None and ahead.letter is letter else self._drafted(letter)
        answer = draft if isinstance(draft, NotPosted) else await self._poster.post(draft)
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

    def _drafted(self, letter: Letter) -> Draft | NotPosted:
        channel, message_id = letter.channel, id_text(letter.id)
        options = channel.options
        if options.body is None:
            body = self._writer.encoded(letter)
        else:
            body = templates.fill_json(options.body, templates.values(letter))
        headers = signing.headers(message_id, body, channel.secrets, at=self._clock.now())
        headers["content-type"] = "application/json"
        headers["delivery-id"] = message_id
        if options.headers:
            headers |= options.headers
        return self._poster.drafted(channel.target, body, headers)

    async def close(self) -> None:
        """The poster belongs to whoever made it."""
