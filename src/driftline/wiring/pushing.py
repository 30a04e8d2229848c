"""Runs that crawlers push, and judging them from stored rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import UUID

from driftline.wiring.loop import owner, run_loop

if TYPE_CHECKING:
    from driftline.engine.push.ingest import Ingested, Ingestor
    from driftline.engine.push.rejudge import Recovery, Rejudge
    from driftline.wiring.app import App


def ingest(
    app: App,
    reference: str | UUID,
    rows: Iterable[bytes] | Iterable[Mapping[str, Any]],
    *,
    strict: bool = False,
    **envelope: Any,
) -> Ingested:
    """Record a run that a crawler pushes: the pieces of a file (JSON or JSON lines), or its products as values.

    `envelope` may have run_key, started_at, completed_at, status.
    """
    from driftline.engine.push.push_rows import pushable

    watch = app.read(lambda data: data.watches.get(reference))
    with closing(pushable(watch)) as pushed:
        pushed.take(rows, strict=strict, fields=envelope)
        return run_loop(lambda: _ingestor(app).ingest(watch, pushed))


def _ingestor(app: App) -> Ingestor:
    """Records pushed runs."""
    from driftline.engine.push.ingest import Ingestor
    from driftline.kinds.registry import KINDS
    from driftline.store.runs.run_store import RunStore

    return Ingestor(
        store=app.store,
        runs=RunStore(app.store.database),
        pool=app.pool,
        clock=app.clock,
        ids=app.ids,
        kinds=KINDS,
        owner=owner(),
        lease_for=app.settings.lease_for,
    )


def rejudge(app: App) -> Rejudge:
    """Judges catalog runs from stored rows."""
    from driftline.engine.push.rejudge import Rejudge
    from driftline.kinds.registry import KINDS
    from driftline.store.runs.run_store import RunStore

    runs = RunStore(app.store.database)
    return Rejudge(store=app.store, runs=runs, kind=KINDS["catalog"], clock=app.clock, ids=app.ids)


def recovery(app: App) -> Recovery:
    """Finds runs that were never judged."""
    from driftline.engine.push.rejudge import Recovery

    return Recovery(app.rejudge(), app.clock)
