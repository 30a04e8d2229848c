"""A web application on both databases. Making a database costs more than most tests here, so they share one an engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher
from tests.contract.store.conftest import emptied
from tests.services import Services
from tests.web_server import WebServer, server_on

from driftline.web.auth import sign_in


@pytest.fixture(autouse=True)
def _cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """How dear a password is stands in one test of its own; the others try hundreds."""
    monkeypatch.setattr(sign_in, "hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture(scope="session")
def sqlite_url(services: Services, tmp_path_factory: pytest.TempPathFactory) -> str:
    return services.migrated_file(tmp_path_factory.mktemp("web") / "driftline.db")


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def shared_url(request: pytest.FixtureRequest, services: Services) -> Iterator[str]:
    """A database of this suite's own, once on each engine."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_url")
    else:
        with services.migrated_database(request.getfixturevalue("postgres")) as url:
            yield url


@pytest.fixture
def server(shared_url: str) -> Iterator[WebServer]:
    """On SQLite, then on PostgreSQL."""
    with server_on(shared_url) as opened:
        yield opened
    emptied(shared_url)


@pytest.fixture
def quick_server(sqlite_url: str) -> Iterator[WebServer]:
    """On SQLite alone, for what no database decides."""
    with server_on(sqlite_url) as opened:
        yield opened
    emptied(sqlite_url)
