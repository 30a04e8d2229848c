"""`python -m tests.stored.database`: a database of the present code that watched the whole demo, as compressed SQL.

The watches stand under a made-up address, so that no port is part of what is stored; a fetcher asks loopback instead.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec
import zstandard
from aiohttp import web

from driftline.cli.demo.stage import subscribe, watch_site
from driftline.demo.receivers import Receivers
from driftline.demo.site import Site
from driftline.engine.check.context import Checked
from driftline.engine.ports import Fetcher
from driftline.model.fetch import Answer, Fetched, Request
from driftline.model.watch import Schedule
from driftline.settings import Settings
from driftline.wiring import App
from tests.integration.boards import NOON, Hands

DUMP: Final = Path(__file__).with_name("database.sql.zst")
ADDRESS: Final = "http://tideway.example"
TURN_FOR: Final = timedelta(hours=1)


class Loopback:
    """Asks the site on loopback for what is watched under its made-up address."""

    def __init__(self, inner: Fetcher, served_at: str) -> None:
        self._inner = inner
        self._served_at = served_at

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        asked = msgspec.structs.replace(request, url=request.url.replace(ADDRESS, self._served_at, 1))
        answer = msgspec.structs.replace(await self._inner.fetch(asked, robots=robots), request=request)
        if isinstance(answer, Fetched):
            return msgspec.structs.replace(answer, url=answer.url.replace(self._served_at, ADDRESS, 1))
        return answer


class Watched:
    """The demo site on loopback, and an app that watches it under the made-up address."""

    def __init__(self, app: App, hands: Hands, site: Site, served_at: str) -> None:
        self.app, self.hands, self.site = app, hands, site
        self._served_at = served_at

    async def check(self, watch_ids: Sequence[UUID]) -> list[Checked]:
        """Check these an hour later."""
        self.hands.at += TURN_FOR
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        async with self.app.fetcher() as fetcher, self.app.worker(listen, fetcher=Loopback(fetcher, self._served_at)) as worker:
            await worker.check_now(self.app.leaves(watch_ids))
        return ended


@asynccontextmanager
async def watched(database: Path, *, hours: int = 0) -> AsyncIterator[Watched]:
    """The database, some hours after its first watch was added."""
    site, hands = Site(), Hands()
    site.address = ADDRESS
    hands.at = NOON + hours * TURN_FOR
    runner = web.AppRunner(site.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    settings = Settings(db=f"sqlite:///{database}", allow_hosts=("127.0.0.1",), calibrate_after=0.0)
    with closing(App(settings, clock=hands)) as app:
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield Watched(app, hands, site, f"http://127.0.0.1:{runner.addresses[0][1]}")
        finally:
            await runner.cleanup()


async def _play(database: Path) -> None:
    """Every turn of the demo, somebody who hears of it, and nothing sent."""
    async with watched(database) as stage:
        inbox = Receivers()
        inbox.mail_port, inbox.hook_url = 25, f"{ADDRESS}/hook"
        subscribe(stage.app, inbox)
        names = watch_site(stage.app, stage.site, Schedule())
        await stage.check(list(names))
        while not stage.site.finished:
            stage.site.advance()
            await stage.check(list(names))


def restore(database: Path) -> None:
    """The dump as a file of SQLite."""
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(zstandard.decompress(DUMP.read_bytes()).decode())


def write() -> None:
    """Play the demo and write the dump."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "stored.db"
        asyncio.run(_play(database))
        with closing(sqlite3.connect(database)) as connection:
            sql = "\n".join(connection.iterdump())
    DUMP.write_bytes(zstandard.ZstdCompressor(level=19).compress(sql.encode()))


if __name__ == "__main__":
    write()
    print(f"{DUMP.stat().st_size} bytes in {DUMP}")
