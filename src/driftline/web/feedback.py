"""Feedback on changes: marking as noise creates ignored areas, marking as relevant lifts them."""

from __future__ import annotations

from uuid import UUID

from driftline.engine.editing.watch_input import read_rules
from driftline.engine.history.feedback import ProposedMasks, evidence_of, propose_masks
from driftline.engine.pool import Overrun
from driftline.kinds.registry import KINDS
from driftline.model.change import Change
from driftline.model.noise.mask import Ignoring
from driftline.model.watch import Watch
from driftline.store.runs.feedback import Feedback
from driftline.store.session import OrgData
from driftline.wiring import App


class ChangeFeedback:
    """Feedback of one org's users."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def preview(self, change_id: UUID) -> Ignoring:
        """What marking the change as noise would hide; writes nothing."""
        change, watch = await self._find(change_id)
        return (await self._proposed(change, watch)).ignoring

    async def noise(self, change_id: UUID) -> int:
        """Mark as noise; returns the number of new ignored areas, 0 if the difference is protected."""
        change, watch = await self._find(change_id)
        masks = (await self._proposed(change, watch)).masks
        await self._app.store.write(lambda session: Feedback(session.tx, self._app.org.id).mark_noise(change, masks))
        return len(masks)

    async def _proposed(self, change: Change, watch: Watch) -> ProposedMasks:
        kind = KINDS[watch.kind]
        with self._app.pool.preview(self._app.org.id) as share:
            try:
                rules = read_rules(kind, watch.rules)
                return await propose_masks(self._app.store, share, kind, rules, change, at=self._app.clock.now())
            except Overrun:
                return ProposedMasks()

    async def matters(self, change_id: UUID) -> None:
        """Lift the ignored areas of this change, and store that it matters."""
        app = self._app
        change, _ = await self._find(change_id)
        evidence = evidence_of(change.id)
        await app.store.write(lambda session: Feedback(session.tx, app.org.id).mark_relevant(change, evidence=evidence))

    async def _find(self, change_id: UUID) -> tuple[Change, Watch]:
        def find(data: OrgData) -> tuple[Change, Watch]:
            change = data.changes.get(change_id).change
            return change, data.watches.get(change.watch_id)

        org_id = self._app.org.id
        return await self._app.store.read(lambda session: find(session.org(org_id)))
