"""List pages and lists of the API with many rows, each beside its bare query: medians of processor time, which others on the
machine do not stretch.

python -m bench.web [--watches 10000] [--changes 100000] [--db postgresql://...]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import msgspec
from litestar import Litestar

from driftline.deliver.drafting import drafted_user
from driftline.model.access import SCOPES
from driftline.settings import Settings
from driftline.store.rows import NewWatch
from driftline.store.session import OrgData, Session
from driftline.web.app import create_app
from driftline.web.keys import drafted_token
from driftline.wiring import App

ROUNDS = 15
SHOWN = 50  # rows of a page
DIFF = {"changes": {"text": {"changed": True, "before": "old words " * 60, "after": "new words " * 60, "similarity": 0.4}}}


def fill(app: App, watches: int, changes: int) -> tuple[str, UUID]:
    """An org with so many rows; its owner's token, and a watch with changes."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    new = [
        NewWatch(
            id=app.ids(), kind="page", scope=f"s{number}", url=f"https://example.org/{number}", name=f"watch {number:06}",
            tags=("news",) if number % 10 == 0 else (), next_due_at=at,
        )
        for number in range(watches)
    ]  # fmt: skip
    user = drafted_user(app.ids(), app.org.id, "bench@example.org", at=at)
    token, secret, secret_hash = drafted_token(app.ids(), user, name="bench", scopes=SCOPES, at=at, expires_at=None)

    def people(data: OrgData) -> None:
        data.watches.add(new, at=at)
        data.users.add(user)
        data.tokens.add(token, secret_hash=secret_hash)

    app.write(people)
    diff = msgspec.json.encode(DIFF).decode()

    def history(session: Session) -> None:
        runs, reports, told = [], [], []
        for number in range(changes):
            watch, run_id, report_id = new[number % watches], app.ids(), app.ids()
            then = at + timedelta(seconds=number)
            runs.append((run_id, watch.id, number + 1, then, then, "completed", "changed"))
            reports.append((report_id, run_id, 1, "{}", then))
            told.append(
                (app.ids(), app.org.id, watch.id, run_id, report_id, "content", "medium", f"Text changed {number}", watch.url,
                 diff, str(number), then)
            )  # fmt: skip
        session.tx.many(
            "INSERT INTO runs (id, watch_id, fence, started_at, completed_at, status, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)",
            runs,
        )
        session.tx.many("INSERT INTO reports (id, run_id, total, counts, created_at) VALUES (?, ?, ?, ?, ?)", reports)
        session.tx.many(
            "INSERT INTO changes (id, org_id, watch_id, run_id, report_id, type, severity, headline, url, diff, dedupe_key, "
            "created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            told,
        )
        session.tx.run("ANALYZE")

    app.store.write_now(history)
    return secret, new[0].id


async def asked(web: Litestar, path: str, query: str, token: str) -> int:
    """One request, in process: no client and no socket beside the server's work."""
    statuses: list[int] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80), "headers": [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())],
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await web(scope, receive, send)  # type: ignore[arg-type]  # a scope as servers write it
    return statuses[0]


async def measure(app: App, token: str, watch_id: UUID) -> list[tuple[str, float, float]]:
    """Each list with its own time and that of its bare query, in milliseconds."""
    web = create_app(app)
    lists: Sequence[tuple[str, str, Callable[[OrgData], Any]]] = (
        ("/api/v1/watches", f"limit={SHOWN}", lambda data: data.watches.page(roots=True, limit=SHOWN)),
        ("/api/v1/watches", f"limit={SHOWN}&tag=news", lambda data: data.watches.page(roots=True, tag="news", limit=SHOWN)),
        ("/api/v1/changes", f"limit={SHOWN}", lambda data: data.changes.page(limit=SHOWN)),
        ("/api/v1/changes", f"limit={SHOWN}&watch={watch_id}", lambda data: data.changes.page(watch_id=watch_id, limit=SHOWN)),
        ("/watches", "", lambda data: data.watches.page(roots=True, limit=SHOWN)),
        ("/", "", lambda data: data.changes.page(limit=SHOWN)),
    )
    found = []
    for path, query, bare in lists:
        ours, theirs = [], []
        for _ in range(ROUNDS):
            started = time.process_time()
            status = await asked(web, path, query, token)
            ours.append(time.process_time() - started)
            assert status == 200, (path, status)
            started = time.process_time()
            app.read(bare)
            theirs.append(time.process_time() - started)
        found.append((f"{path}?{query}" if query else path, median(ours) * 1000, median(theirs) * 1000))
    return found


def main() -> None:
    """Fill, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watches", type=int, default=10_000)
    parser.add_argument("--changes", type=int, default=100_000)
    parser.add_argument("--db", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        app = App(Settings(db=options.db or f"sqlite:///{Path(folder) / 'web.db'}"))
        try:
            token, watch_id = fill(app, options.watches, options.changes)
            for name, ours, theirs in asyncio.run(measure(app, token, watch_id)):
                print(f"{name:<60} {ours:8.2f} ms  bare {theirs:8.2f} ms  {ours / theirs:5.1f}x")
        finally:
            app.close()


if __name__ == "__main__":
    main()
