from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.store.world import World
from tests.services import Services
from tests.subscribers import Subscribers

from driftline.store.db.database import Database
from driftline.store.store import Store


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def migrated_url(request: pytest.FixtureRequest, services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One migrated database an engine for the whole suite: making one costs more than most tests."""
    if request.param == "sqlite":
        yield services.migrated_file(tmp_path_factory.mktemp("store") / "driftline.db")
    else:
        with services.migrated_database(request.getfixturevalue("postgres")) as url:
            yield url


@pytest.fixture
def store(migrated_url: str) -> Iterator[Store]:
    """An open store without a row, once on each engine."""
    store = Store.open(migrated_url)
    yield store
    store.close()
    emptied(migrated_url)


def emptied(url: str) -> None:
    database = Database.open(url)
    with database.transaction(write=True) as tx:
        tx.run("DELETE FROM orgs")  # and all that belongs to them
        tx.run("DELETE FROM blobs")
    database.close()


@pytest.fixture
def world(store: Store) -> World:
    return World(store)


@pytest.fixture
def sqlite_world(services: Services, tmp_path: Path) -> Iterator[World]:
    """For what only SQLite can show."""
    store = Store.open(services.migrated_file(tmp_path / "driftline.db"))
    yield World(store)
    store.close()


@pytest.fixture
def subscribers(world: World) -> Subscribers:
    """An org in which somebody wants to hear."""
    return Subscribers(world)
