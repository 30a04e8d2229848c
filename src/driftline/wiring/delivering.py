"""Sending what was recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from driftline.core.fingerprint import digest
from driftline.settings import Settings
from driftline.store.drivers import Sqlite
from driftline.wiring.loop import owner, run_loop, stopped_by_signals

if TYPE_CHECKING:
    from driftline.deliver.dispatch import Dispatcher
    from driftline.store.database import Database
    from driftline.wiring.app import App


@asynccontextmanager
async def dispatcher(app: App) -> AsyncIterator[Dispatcher]:
    """A sender with its couriers; closed at the end."""
    from driftline.deliver.dispatch import Dispatcher, Hold
    from driftline.deliver.journal import Journal
    from driftline.store.mailroom import Mailroom

    async with app.couriers() as couriers:
        yield Dispatcher(
            mailroom=Mailroom(app.store.database),
            couriers=couriers,
            clock=app.clock,
            owner=owner(),
            journal=Journal(_journal_folder(app.settings, app.store.database)),
            hold=Hold(lease_for=app.settings.delivery_lease_for, drain_for=app.settings.drain_for),
        )


def deliver(app: App, *, once: bool) -> int:
    """Send what is due, once or until stopped; gives how many letters were taken."""

    async def until_stopped() -> int:
        async with app.dispatcher() as dispatcher, stopped_by_signals(dispatcher):
            return await dispatcher.run(once=once)

    return run_loop(until_stopped)


def _journal_folder(settings: Settings, database: Database) -> Path | None:
    """One a database: beside the file, else by the address."""
    if isinstance(database.driver, Sqlite):
        return database.driver.path.with_name(f"{database.driver.path.name}-sent")
    return Path(settings.journal) / digest(settings.db.encode()).hex() if settings.journal else None
