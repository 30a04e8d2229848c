"""A channel: messages as plain text, posted to an address."""

from __future__ import annotations

from driftline.deliver.ports import Poster
from driftline.deliver.render.plain import plain
from driftline.errors import BadRule
from driftline.model.delivery import Message, Outcome, Posted, Sent, Undelivered


class TextChannel:
    """Posts through driftline's own guard, so that private addresses stay out of reach."""

    at_once = 4  # messages to one address

    def __init__(self, poster: Poster) -> None:
        self._poster = poster

    @staticmethod
    def check_target(target: str) -> None:
        """Asked when a channel is added."""
        if not target.startswith(("https://", "http://")):
            raise BadRule("the channel needs an address", hint="write it as https://host/path")

    async def deliver(self, message: Message) -> Outcome:
        """Ends as a value: sent, or not and why."""
        headers = {"content-type": "text/plain; charset=utf-8"}
        answer = await self._poster.post(message.channel.target, plain(message).encode(), headers)
        if not isinstance(answer, Posted):
            return Undelivered(reason=answer.reason, final=answer.refused)
        return Sent() if answer.status < 300 else Undelivered(reason=f"http {answer.status}")

    async def close(self) -> None:
        """Nothing is open."""
