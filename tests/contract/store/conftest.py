from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.contract.store.world import World

from driftline.store.store import Store


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """An open store on an empty database, once on each engine."""
    store = Store.open(database_url)
    yield store
    store.close()


@pytest.fixture
def world(store: Store) -> World:
    return World(store)
