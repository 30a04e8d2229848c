"""Letters for programs that listen on the bus."""

from __future__ import annotations

from driftline.deliver.document import Writer
from driftline.deliver.ports import Publisher
from driftline.errors import DriftlineError
from driftline.model.delivery import Letter, Outcome, Sent, Undelivered


class BusCourier:
    """Publishes the JSON document; the message id is the delivery's."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._writer = Writer()

    def prepare(self, letter: Letter) -> None:
        """Nothing that would be worth it."""

    async def deliver(self, letter: Letter) -> Outcome:
        """A publisher's confirm is the receipt."""
        try:
            await self._publisher.publish(letter.channel.target, self._writer.encoded(letter), message_id=str(letter.id))
        except DriftlineError as error:
            return Undelivered(reason=f"bus: {error.message}", endpoint_down=True)
        return Sent()

    async def close(self) -> None:
        """The bus belongs to whoever made it."""
