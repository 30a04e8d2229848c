"""Changes with all that a condition asks about them, as a report that is never sent."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from driftline.model.change import Change
from driftline.model.condition import EvidenceNeeds
from driftline.model.delivery import Reported
from driftline.model.watch import Watch
from driftline.store.db.database import Tx
from driftline.store.views.conditions.evidence import evidence_of
from driftline.store.views.conditions.tag_conditions import conditions_of


class Trials:
    """What one org's conditions would have done."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def report(self, watch: Watch, condition: str, changes: Sequence[Change]) -> Reported:
        """These changes under the condition, and under those of the watch's tags."""
        from driftline.policy.conditions.deciding import needs_of  # noqa: PLC0415 - a check never comes here
        from driftline.policy.conditions.written import stored_condition  # noqa: PLC0415 - as above

        conditions = conditions_of(self._tx, self._org_id, condition, watch.tags)
        needs = EvidenceNeeds()
        for one in conditions:
            needs |= needs_of(stored_condition(one.text))
        return Reported(
            id=watch.id,
            run_id=watch.id,
            watch_id=watch.id,
            parent_id=watch.parent_id,
            watch_name=watch.name,
            watch_url=watch.url,
            watch_kind=watch.kind,
            changes=tuple(changes),
            conditions=conditions,
            timezone=watch.schedule.timezone,
            needs=needs,
            evidence=evidence_of(self._tx, changes, needs),
            created_at=watch.created_at,
        )
