"""Letting go of what need not be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.wiring.loop import run_loop

if TYPE_CHECKING:
    from driftline.engine.retention import Janitor
    from driftline.policy.retention import Limits, Pruned
    from driftline.store.pruning import Pruning
    from driftline.wiring.app import App


def limits(app: App) -> Limits:
    """The operator's own bounds on what is kept."""
    from driftline.policy.retention import Limits

    settings = app.settings
    return Limits(
        older_than_for=settings.keep_snapshots_for or None,
        versions=settings.keep_versions or None,
        max_bytes=settings.keep_bytes or None,
    )


def janitor(app: App) -> Janitor:
    """What cleans once a night."""
    from driftline.engine.retention import Janitor

    return Janitor(_pruning(app), app.clock, app.limits())


def prune(app: App, limits: Limits) -> Pruned:
    """Clean now."""
    from driftline.engine.retention import prune

    return run_loop(lambda: prune(_pruning(app), limits, at=app.clock.now()))


def _pruning(app: App) -> Pruning:
    from driftline.store.blobs import blobs_for
    from driftline.store.pruning import Pruning

    return Pruning(app.store.database, blobs_for(app.settings.blobs))
