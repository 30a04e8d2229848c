"""What a person says of a change teaches its watch: masks for noise, and forgetting them for what matters."""

from __future__ import annotations

from uuid import UUID

from driftline.engine.drafting import read_rules
from driftline.engine.teaching import evidence_of, lesson
from driftline.kinds.registry import KINDS
from driftline.model.change import Change
from driftline.model.watch import Watch
from driftline.store.session import OrgData
from driftline.store.teaching import Teaching
from driftline.wiring import App


class Teacher:
    """Learns and forgets on behalf of one org."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def noise(self, change_id: UUID) -> int:
        """How many places were learned; none where the difference is protected or its snapshots are gone."""
        app = self._app
        change, watch = await self._find(change_id)
        kind = KINDS[watch.kind]
        masks = await lesson(app.store, kind, read_rules(kind, watch.rules), change, at=app.clock.now())
        await app.store.write(lambda session: Teaching(session.tx, app.org.id).noise(change, masks))
        return len(masks)

    async def matters(self, change_id: UUID) -> None:
        """Forget what a person taught with this change, and note that it matters."""
        app = self._app
        change, _ = await self._find(change_id)
        evidence = evidence_of(change.id)
        await app.store.write(lambda session: Teaching(session.tx, app.org.id).matters(change, evidence=evidence))

    async def _find(self, change_id: UUID) -> tuple[Change, Watch]:
        def find(data: OrgData) -> tuple[Change, Watch]:
            change = data.changes.get(change_id).change
            return change, data.watches.get(change.watch_id)

        org_id = self._app.org.id
        return await self._app.store.read(lambda session: find(session.org(org_id)))
