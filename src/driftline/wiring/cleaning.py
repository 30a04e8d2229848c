"""Retention: the nightly job, and `driftline prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.wiring.loop import run_loop

if TYPE_CHECKING:
    from driftline.engine.jobs.retention import Janitor
    from driftline.policy.retention import Pruned, RetentionLimits
    from driftline.store.runs.pruning import Pruning
    from driftline.wiring.app import App


def limits(app: App) -> RetentionLimits:
    """The operator's limits on what is kept."""
    from driftline.policy.retention import RetentionLimits

    settings = app.settings
    return RetentionLimits(
        older_than_for=settings.keep_snapshots_for or None,
        versions=settings.keep_versions or None,
        max_bytes=settings.keep_bytes or None,
    )


def janitor(app: App) -> Janitor:
    """The nightly job."""
    from driftline.engine.jobs.retention import Janitor

    return Janitor(_pruning(app), app.clock, app.limits())


def prune(app: App, limits: RetentionLimits) -> Pruned:
    """Delete expired data now."""
    from driftline.engine.jobs.retention import prune

    return run_loop(lambda: prune(_pruning(app), limits, at=app.clock.now()))


def _pruning(app: App) -> Pruning:
    from driftline.store.blobs import blobs_for
    from driftline.store.runs.pruning import Pruning

    return Pruning(app.store.database, blobs_for(app.settings.blobs))
