"""A fetcher of an extension, for addresses of its own scheme: whatever it does, it ends in time and as a value."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from driftline.model.fetch import Answer, Blocked, Failed, Fetched, Request, Unmodified

log = logging.getLogger(__name__)


class ExtensionFetcher:
    """Made when it is first asked."""

    def __init__(self, name: str, make: Callable[[], Any], *, total_for: float, max_bytes: int) -> None:
        self._name = name
        self._make = make
        self._made: Any = None
        self._total_for = total_for
        self._max_bytes = max_bytes

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        """Its answer; an exception, a delay or anything else is a failure with its reason."""
        options = request.options
        try:
            self._made = self._made or self._make()
            async with asyncio.timeout(options.timeout_for or self._total_for):
                answer = await self._made.fetch(request, robots=robots)
        except TimeoutError:
            return Failed(request=request, reason="timeout")
        except Exception as error:
            log.exception("fetcher of an extension failed", extra={"fetcher": self._name})
            return Failed(request=request, reason=f"fetcher {self._name}: {type(error).__name__}")
        if not isinstance(answer, Fetched | Unmodified | Blocked | Failed):
            return Failed(request=request, reason=f"fetcher {self._name}: gives no answer")
        if isinstance(answer, Fetched) and len(answer.body) > (options.max_bytes or self._max_bytes):
            return Failed(request=request, reason="body too large", truncated=True)
        return answer
