"""Feedback on changes: noise becomes masks of the watch, what matters lifts them."""

from __future__ import annotations

from uuid import UUID

from driftline.engine.feedback import Lesson, evidence_of, lesson
from driftline.engine.watch_input import read_rules
from driftline.kinds.registry import KINDS
from driftline.model.change import Change
from driftline.model.mask import Ignoring
from driftline.model.watch import Watch
from driftline.store.runs.feedback import Feedback
from driftline.store.session import OrgData
from driftline.wiring import App


class Teacher:
    """Learns and forgets on behalf of one org."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def preview(self, change_id: UUID) -> Ignoring:
        """What calling the change noise would hide; writes nothing."""
        change, watch = await self._find(change_id)
        return (await self._lesson(change, watch)).ignoring

    async def noise(self, change_id: UUID) -> int:
        """How many places were learned; none where the difference is protected or its snapshots are gone."""
        change, watch = await self._find(change_id)
        masks = (await self._lesson(change, watch)).masks
        await self._app.store.write(lambda session: Feedback(session.tx, self._app.org.id).mark_noise(change, masks))
        return len(masks)

    async def _lesson(self, change: Change, watch: Watch) -> Lesson:
        kind = KINDS[watch.kind]
        return await lesson(self._app.store, kind, read_rules(kind, watch.rules), change, at=self._app.clock.now())

    async def matters(self, change_id: UUID) -> None:
        """Forget what a person taught with this change, and note that it matters."""
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
