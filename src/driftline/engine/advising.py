"""What has to be found out about a report before it is sent: selectors on its stored page, a model's judgement."""

from __future__ import annotations

import msgspec

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.engine.evidence import Blob, with_selectors
from driftline.engine.models.judge import ChangeJudge
from driftline.engine.pool import Pool
from driftline.model.delivery import Reported


class ReportAdvisor:
    """`deliver.ports.Advisor` over the pool and the stored pages."""

    def __init__(self, *, blob: Blob, pool: Pool, judge: ChangeJudge | None = None) -> None:
        self._blob = blob
        self._pool = pool
        self._judge = judge  # None: no model is configured

    def wanted(self, report: Reported) -> bool:
        """Whether a condition names a selector, or a model is asked."""
        return bool(report.needs.selectors) or (self._judge is not None and bool(report.intent or self._judge.summaries))

    async def advise(self, report: Reported) -> Reported:
        """With the selectors that its stored pages have, and what a model says of its changes."""
        if not report.changes:
            return report
        report = await with_selectors(report, self._blob, self._pool.share(report.changes[0].org_id))
        if self._judge is None or not (report.intent or self._judge.summaries):
            return report
        asked = [change for change in report.changes if not CHANGE_TYPES[change.type].health and not change.flags.get("muted")]
        return msgspec.structs.replace(report, judgements=await self._judge.judge(asked, report.intent))
