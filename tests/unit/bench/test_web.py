"""The bench of the lists runs: every list has rows, and its queries are those of the request."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from pathlib import Path

from bench.web import lines, lists_of, measure
from bench.web_rows import fill

from driftline.settings import Settings
from driftline.wiring import App


def test_every_list_is_measured_with_rows_in_it(tmp_path: Path) -> None:
    with closing(App(Settings(db=f"sqlite:///{tmp_path}/web.db"))) as app:
        filled = fill(app, 120, 1_200)
        empty = [listed.path for listed in lists_of(filled) if not app.read(listed.found).rows]
        costs = asyncio.run(measure(app, filled, time.perf_counter, rounds=1))
    assert empty == ["/watches"]  # nobody is called as the search for words asks
    assert len(costs) == len(lists_of(filled))
    assert all(cost.query > 0 and cost.queries > 0 and cost.request > 0 and cost.first > 0 for cost in costs)
    assert sum(line.startswith("| `") for line in lines([("SQLite", costs)], 120, 1_200)) == len(costs)
