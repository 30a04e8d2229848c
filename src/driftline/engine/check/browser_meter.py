"""Counts what one run asks of the browser."""

from __future__ import annotations

from driftline.engine.ports import Fetcher
from driftline.model.fetch import Answer, Request, Unmodified
from driftline.model.run import BROWSER_MS, BROWSER_PAGES


class BrowserMeter:
    """Pages that a run loaded in the browser, and the seconds that they took there."""

    def __init__(self) -> None:
        self.pages = 0
        self.took_for = 0.0

    def counting(self, fetcher: Fetcher) -> Fetcher:
        """The same fetcher, counted."""
        return _Counting(self, fetcher)

    @property
    def counters(self) -> dict[str, int]:
        """As a run keeps them; nothing where no browser was asked."""
        return {BROWSER_PAGES: self.pages, BROWSER_MS: round(self.took_for * 1000)} if self.pages else {}


class _Counting:
    def __init__(self, meter: BrowserMeter, fetcher: Fetcher) -> None:
        self._meter = meter
        self._fetcher = fetcher

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        answer = await self._fetcher.fetch(request, robots=robots)
        if not isinstance(answer, Unmodified) and answer.browser_for:
            self._meter.pages += 1
            self._meter.took_for += answer.browser_for
        return answer
