"""What has to be found out about a report before it is sent: selectors on its stored page, a model's judgement."""

from __future__ import annotations

from driftline.engine.evidence import Blob, with_selectors
from driftline.engine.pool import Pool
from driftline.model.delivery import Reported


class ReportAdvisor:
    """`deliver.ports.Advisor` over the pool and the stored pages."""

    def __init__(self, *, blob: Blob, pool: Pool) -> None:
        self._blob = blob
        self._pool = pool

    def wanted(self, report: Reported) -> bool:
        """Whether a condition names a selector."""
        return bool(report.needs.selectors)

    async def advise(self, report: Reported) -> Reported:
        """With the selectors that its stored pages have."""
        return await with_selectors(report, self._blob, self._pool.share(report.changes[0].org_id))
