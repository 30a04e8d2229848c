"""Messages that wait for their reports to be completed: they block no others, and each report is completed once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final
from uuid import UUID

import msgspec

from driftline.deliver.ports import Advisor
from driftline.model.delivery import OutboundBatch, Reported

log = logging.getLogger(__name__)

REMEMBERED: Final = 1_000  # reports whose answer serves the messages that are claimed later


class AdviceQueue:
    """Calls the advisor in tasks of its own; each message goes on when its reports are complete."""

    def __init__(self, advisor: Advisor | None, put: Callable[[OutboundBatch], None], wake: Callable[[], None]) -> None:
        self._advisor = advisor
        self._put = put
        self._wake = wake
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[tuple[UUID, frozenset[str]], asyncio.Task[Reported]] = {}

    @property
    def held(self) -> int:
        """The number of messages that wait."""
        return len(self._tasks)

    def take(self, batch: OutboundBatch) -> bool:
        """Whether the message has to wait; if so, it is passed on later without another call."""
        if self._advisor is None or not any(map(self._advisor.needs_advice, batch.reports)):
            return False
        task = asyncio.create_task(self._wait(self._advisor, batch))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return True

    async def drop(self) -> None:
        """Cancel all calls; the messages stay claimed, and are released with the others."""
        pending = [*self._tasks, *self._asked.values()]
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

    async def _wait(self, advisor: Advisor, batch: OutboundBatch) -> None:
        reports = [await self._advised(advisor, report) for report in batch.reports]
        self._put(msgspec.structs.replace(batch, reports=tuple(reports)))

    async def _advised(self, advisor: Advisor, report: Reported) -> Reported:
        if not advisor.needs_advice(report):
            return report
        key = (report.id, report.needs.selectors)
        if key not in self._asked:
            if len(self._asked) >= REMEMBERED:
                self._asked = {known: task for known, task in self._asked.items() if not task.done()}
            self._asked[key] = asyncio.create_task(advisor.advise(report))
        try:
            known = await asyncio.shield(self._asked[key])
        except Exception:
            log.exception("a report is sent without advice", extra={"report": str(report.id)})
            return report
        return msgspec.structs.replace(report, evidence={**report.evidence, **known.evidence}, judgements=known.judgements)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self._wake()
