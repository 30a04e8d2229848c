"""Fixtures that give tests the real parts: databases and vhosts of their own, gone afterwards."""

from __future__ import annotations

import gc
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.servers import OwnRabbit
from tests.services import Found, Missing, Search, Services, start_rabbit

SERVICES = pytest.StashKey[Services]()
NOT_THERE = "service not available: "
_PACKAGES = re.compile(r"\(apt-get install ([^)]+)\)")

ASKED_TO_BE_THOROUGH = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

settings.register_profile(
    "patient",
    settings.get_profile(settings.get_current_profile_name()),
    deadline=None,  # how long an example takes says more of the machine than of the code
    max_examples=100 if ASKED_TO_BE_THOROUGH else 15,  # others each time: what somebody runs often sees as many
)
settings.load_profile("patient")

gc.disable()  # until all tests are collected: they stay, and to look for circles among them is a quarter of the time


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # as the command has it
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {}).get("driftline_services")
    if given is None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C: what was started is stopped
    config.stash[SERVICES] = Services(Path(given)) if given else Services.open()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a new pytest-xdist worker where the session's services are noted."""
    node.workerinput["driftline_services"] = str(node.config.stash[SERVICES].folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.stash[SERVICES].close()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """Say last of all which tests did not run for want of a service, and how to get it: a green run must not hide it."""
    yield
    packages: set[str] = set()
    for what, (reason, tests) in _absent(terminalreporter.stats).items():
        packages.update(name for names in _PACKAGES.findall(reason) for name in names.split())
        terminalreporter.section(f"{len(tests)} DID NOT RUN, FOR WANT OF {what}", sep="!", red=True, bold=True)
        terminalreporter.line(reason)
        for test in tests:
            terminalreporter.line(f"  {test}")
    if packages:
        sudo = "" if os.geteuid() == 0 else "sudo "
        terminalreporter.section("TO RUN THEM TOO, ON DEBIAN OR UBUNTU", sep="!", red=True, bold=True)
        names = " ".join(sorted(packages))
        terminalreporter.line(f"{sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends {names}", bold=True)


def _absent(stats: dict[str, list[Any]]) -> dict[str, tuple[str, list[str]]]:
    """By service that is not there: a reason, and the tests that wanted it."""
    found: dict[str, tuple[str, list[str]]] = {}
    for report in (*stats.get("skipped", ()), *stats.get("error", ())):
        words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if NOT_THERE in words:
            what, reason = words.split(NOT_THERE, 1)[1].split(": ", 1)
            found.setdefault(what, (reason, []))[1].append(report.nodeid)
    return found


def _need(what: str, search: Search) -> Found:
    match search:
        case Found():
            return search
        case missing:
            reason = f"{NOT_THERE}{what}: {missing.reason}"
            if ASKED_TO_BE_THOROUGH:
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)


@pytest.fixture(scope="session")
def services(pytestconfig: pytest.Config) -> Services:
    """What this test session uses of the machine."""
    return pytestconfig.stash[SERVICES]


@pytest.fixture(scope="session")
def postgres(services: Services) -> Found:
    """A PostgreSQL server; most tests want `postgres_url` instead."""
    return _need("PostgreSQL", services.postgres())


@pytest.fixture(scope="session")
def rabbit(services: Services) -> Found:
    """A RabbitMQ server; most tests want `rabbit_url` instead."""
    return _need("RabbitMQ", services.rabbit())


@pytest.fixture
def postgres_url(services: Services, postgres: Found) -> Iterator[str]:
    """A PostgreSQL database of the test's own, with all tables and no rows."""
    with services.migrated_database(postgres) as url:
        yield url


@pytest.fixture
def empty_postgres_url(services: Services, postgres: Found) -> Iterator[str]:
    """A PostgreSQL database of the test's own, without a table."""
    with services.fresh_database(postgres) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, services: Services, tmp_path: Path) -> str:
    """A database of the test's own with all tables and no rows, once on each engine."""
    if request.param == "sqlite":
        return services.migrated_file(tmp_path / "driftline.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of the test's own without a table, once on each engine; on SQLite without a file."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'driftline.db'}"
    url: str = request.getfixturevalue("empty_postgres_url")
    return url


@pytest.fixture
def rabbit_url(services: Services, rabbit: Found) -> Iterator[str]:
    """An empty vhost of the test's own."""
    with services.fresh_vhost(rabbit) as url:
        yield url


@pytest.fixture
def own_rabbit() -> Iterator[OwnRabbit]:
    """A RabbitMQ node that the test may hurt, or stop."""
    own = _need("RabbitMQ", start_rabbit()).own
    assert isinstance(own, OwnRabbit)
    yield own
    if Path(own.folder).exists():
        own.stop()


@pytest.fixture(scope="session")
def chromium(services: Services) -> str:
    """The path of a Chromium that Playwright can drive."""
    return _need("Chromium", services.chromium()).url


@pytest.fixture
def full_disk() -> Path:
    """A file on which there is never room."""
    device = Path("/dev/full")
    found = Found(url=str(device)) if device.exists() else Missing(reason="this system has no /dev/full")
    return Path(_need("a full disk", found).url)


@pytest.fixture
def dump_programs(services: Services, postgres: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the PATH are a pg_dump and a pg_restore that fit the server."""
    folder = _need("pg_dump", services.dump_programs(postgres)).url
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
