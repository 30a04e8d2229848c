"""The bench of the lists runs, and leaves none out."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import closing
from pathlib import Path

from bench.web import lines, lists_of, measure
from bench.web_rows import fill
from litestar.routes import HTTPRoute

from driftline.settings import Settings
from driftline.web.app import create_app
from driftline.wiring import App


def test_every_list_of_the_api_is_measured(tmp_path: Path) -> None:
    with closing(App(Settings(db=f"sqlite:///{tmp_path}/web.db"))) as app:
        filled = fill(app, 120, 1_200, 3_000)
        costs = asyncio.run(measure(app, filled, lambda: time.perf_counter, requests=2))
        measured = {_template(address) for listed in lists_of(filled, app.clock.now()) for address in listed.addresses}
        routes = [route for route in create_app(app).routes if isinstance(route, HTTPRoute)]
    handlers = [(route.path, one) for route in routes for one in route.route_handlers if "GET" in one.http_methods]
    lists = {_template(path) for path, one in handlers if "Listed[" in str(one.fn.__annotations__)}
    assert lists <= measured
    assert all(0 < cost.median <= cost.p95 for cost in costs)
    assert sum(line.startswith("| `") for line in lines([("SQLite", costs)], 120, 1_200, 3_000)) == len(costs)


def _template(path: str) -> str:
    return re.sub(r"[0-9a-f-]{36}|\{\w+:uuid\}", "ID", path.partition("?")[0])
