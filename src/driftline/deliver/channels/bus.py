"""Messages for programs on the message bus."""

from __future__ import annotations

from driftline.deliver.ports import Publisher
from driftline.deliver.render.document import DocumentWriter
from driftline.errors import DriftlineError
from driftline.model.delivery import Message, Outcome, Sent, Undelivered


class BusTransport:
    """Publishes the JSON document; the message id is the delivery's."""

    at_once = 16

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._writer = DocumentWriter()

    async def deliver(self, message: Message) -> Outcome:
        """Publish and wait for the broker's confirmation."""
        try:
            await self._publisher.publish(message.channel.target, self._writer.encoded(message), message_id=str(message.id))
        except DriftlineError as error:
            return Undelivered(reason=f"bus: {error.message}", endpoint_down=True)
        return Sent()

    async def close(self) -> None:
        """Nothing to close: the bus belongs to its creator."""
