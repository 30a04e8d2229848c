"""Completes a report before it is sent: selectors evaluated on its stored page, and a model's judgement."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import msgspec

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.engine.evidence import Blob, with_selectors
from driftline.engine.models.fields import FieldReader, with_fields
from driftline.engine.models.judge import ChangeJudge
from driftline.engine.pool import Pool
from driftline.model.delivery import Judgement, Reported


class ReportAdvisor:
    """`deliver.ports.Advisor` over the pool and the stored pages."""

    def __init__(self, *, blob: Blob, pool: Pool, judge: ChangeJudge | None = None) -> None:
        self._blob = blob
        self._pool = pool
        self._judge = judge  # None: no model is configured

    def needs_advice(self, report: Reported) -> bool:
        """Whether a condition names a selector, or a model judges the changes."""
        asked = self._judge is not None and bool(report.intent or self._judge.summaries or report.extract)
        return asked or bool(report.needs.selectors)

    async def advise(self, report: Reported) -> Reported:
        """With the selectors that its stored pages have, and what a model says of its changes."""
        if not report.changes:
            return report
        report = await with_selectors(report, self._blob, self._pool.share(report.changes[0].org_id))
        if self._judge is None or not (report.intent or self._judge.summaries or report.extract):
            return report
        asked = [change for change in report.changes if not CHANGE_TYPES[change.type].health and not change.flags.get("muted")]
        judged, fields = await asyncio.gather(self._judge.judge(asked, report.intent), self._fields(report))
        for change in report.changes:
            if change.id in fields:
                judged[change.id] = with_fields(judged.get(change.id, Judgement()), fields[change.id])
                await self._judge.keep(change, judged[change.id])
        return msgspec.structs.replace(report, judgements=judged)

    async def _fields(self, report: Reported) -> dict[UUID, tuple[dict[str, Any], dict[str, Any]]]:
        return await FieldReader(self._judge.client).of_report(report) if report.extract and self._judge is not None else {}
