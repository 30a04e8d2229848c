"""A summarizer of an extension: whatever it does, a summary ends in time and as a value."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from driftline.core.text.safety.sanitize import sanitize
from driftline.engine.jobs.models import SUMMARY_AT_MOST, TEXT_AT_MOST
from driftline.engine.jobs.summaries import NotWritten

log = logging.getLogger(__name__)

WRITE_FOR: Final = 60.0  # seconds for one summary


class ExtensionWriter:
    """Made when the first summary is asked for."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.model = name
        self._make = make
        self._made: Any = None

    async def summarize(self, *, title: str, text: str) -> str | NotWritten:
        """Its text, cut and without control characters."""
        try:
            self._made = self._made or self._make()
            async with asyncio.timeout(WRITE_FOR):
                written = await self._made.summarize(title=title, text=text[:TEXT_AT_MOST])
        except Exception as error:
            log.exception("summarizer of an extension failed", extra={"summarizer": self.model})
            return NotWritten(reason=f"summarizer {self.model}: {type(error).__name__}")
        if not isinstance(written, str) or not (summary := sanitize(written).strip()):
            return NotWritten(reason=f"summarizer {self.model}: gives no text")
        return summary[:SUMMARY_AT_MOST].rstrip()
