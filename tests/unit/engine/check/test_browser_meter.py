"""What a run asked of the browser is counted, whoever of its parts asked."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from driftline.engine.check.browser_meter import BrowserMeter
from driftline.model.fetch import Answer, Failed, Fetched, Request


class Answers:
    def __init__(self, *answers: Answer) -> None:
        self.left = list(answers)

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        return self.left.pop(0)


async def test_pages_in_the_browser_are_counted_with_their_time_and_plain_ones_are_not() -> None:
    asked = Request(url="https://example.org/")
    plain = Fetched(request=asked, url=asked.url, status=200, headers={}, body=b"", at=datetime(2026, 1, 1, tzinfo=UTC))
    rendered = msgspec.structs.replace(plain, rendered=True, browser_for=1.25)
    failed = Failed(request=asked, reason="timeout", browser_for=20.0)
    meter = BrowserMeter()
    assert meter.counters == {}
    fetcher = meter.counting(Answers(plain, rendered, failed))
    assert [await fetcher.fetch(asked, robots=False) for _ in range(3)] == [plain, rendered, failed]
    assert meter.counters == {"browser_pages": 2, "browser_ms": 21_250}
