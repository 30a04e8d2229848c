"""Explanations and replays of stored runs and versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from driftline.model.watch import Watch
from driftline.wiring.loop import run_loop

if TYPE_CHECKING:
    from driftline.engine.explain import Explanation
    from driftline.engine.replay import Replayed
    from driftline.model.run import Run
    from driftline.wiring.app import App


def explain(app: App, run: Run) -> Explanation:
    """Each difference that a run saw, with the rule that dropped it or the level that kept it."""
    from driftline.engine.explain import explain
    from driftline.engine.watch_input import read_rules
    from driftline.kinds.registry import KINDS

    watch, masks = app.read(lambda data: (data.watches.get(run.watch_id), data.masks.of(run.watch_id)))
    kind = KINDS[watch.kind]
    with app.pool.preview(app.org.id) as share:
        return run_loop(lambda: explain(app.store, share, kind, watch, read_rules(kind, watch.rules), run, masks))


def replay(app: App, watch: Watch, rules: Mapping[str, Any]) -> list[Replayed]:
    """The watch's stored versions under other rules; nothing is written."""
    from driftline.engine.replay import replay
    from driftline.engine.watch_input import check_amount, read_rules
    from driftline.kinds.registry import KINDS

    kind = KINDS[watch.kind]
    other, masks = read_rules(kind, rules), app.read(lambda data: data.masks.of(watch.id))
    if rules != watch.rules:
        check_amount(other)
    with app.pool.preview(app.org.id) as share:
        return run_loop(lambda: replay(app.store, share, kind, watch, other, masks))
