"""What reports are about, in a few words: for lists of deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from driftline.store.database import Tx
from driftline.store.query import aside


class Told:
    """The reports of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def by_report(self, report_ids: Sequence[UUID]) -> Mapping[UUID, tuple[UUID, str, int]]:
        """Each report's run, the name of its watch, and how many changes it tells."""
        told = (
            "SELECT p.id, p.run_id, w.name, p.total FROM reports AS p JOIN runs AS r ON r.id = p.run_id "  # noqa: S608 - our words
            f"JOIN watches AS w ON w.id = r.watch_id WHERE {aside(self._tx, 'w.org_id')} = ? AND p.id {{keys}}"
        )
        rows = self._tx.among(told, list(report_ids), before=(self._org_id,))
        id_of = self._tx.codec.id
        return {id_of(report): (id_of(run), name, total) for report, run, name, total in rows}
