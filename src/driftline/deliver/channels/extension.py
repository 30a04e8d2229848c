"""A channel of an extension: whatever it does, a message ends in time and as a value."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from driftline.model.delivery import Message, Outcome, Sent, Undelivered

log = logging.getLogger(__name__)

SEND_FOR: Final = 60.0  # seconds for one message


class ExtensionTransport:
    """Made when its first message is sent."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self._name = name
        self._make = make
        self._made: Any = None
        self.at_once = 4

    async def deliver(self, message: Message) -> Outcome:
        """Its outcome; an exception, a delay or anything else is tried again later."""
        try:
            if self._made is None:
                self._made = self._make()
                self.at_once = max(1, int(self._made.at_once))
            async with asyncio.timeout(SEND_FOR):
                outcome = await self._made.deliver(message)
        except TimeoutError:
            return Undelivered(reason="timeout", endpoint_down=True)
        except Exception as error:
            log.exception("channel of an extension failed", extra={"channel": self._name})
            return Undelivered(reason=f"{self._name}: {type(error).__name__}")
        return outcome if isinstance(outcome, Sent | Undelivered) else Undelivered(reason=f"{self._name}: gives no outcome")

    async def close(self) -> None:
        """Close what it opened."""
        if self._made is not None:
            try:
                await self._made.close()
            except Exception:
                log.exception("channel of an extension failed", extra={"channel": self._name})
