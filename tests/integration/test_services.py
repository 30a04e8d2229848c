"""The ground that other tests stand on: databases and vhosts of one's own, on a found server and on one that we start."""

from __future__ import annotations

import gc
import os
import re
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import aio_pika
import psycopg
import pytest
from tests import servers
from tests.scripted import ScriptedSite, scripted_site
from tests.servers import OwnPostgres, OwnRabbit
from tests.services import Found, Missing, Services
from tests.sinks import Sink, sink


def _names(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute("select datname from pg_database")}


@pytest.fixture
def session() -> Iterator[Services]:
    opened = Services.open()
    yield opened
    opened.close()


def test_two_databases_are_apart_and_both_go_away(services: Services, postgres: Found) -> None:
    with services.fresh_database(postgres) as one, services.fresh_database(postgres) as other:
        with psycopg.connect(one) as connection:
            connection.execute("create table only_here (x int)")
        with psycopg.connect(other) as connection:
            assert connection.execute("select to_regclass('only_here')").fetchone() == (None,)
        ours = {one.rsplit("/", 1)[1], other.rsplit("/", 1)[1]}
        assert ours <= _names(postgres.url)
    assert not ours & _names(postgres.url)


def test_a_database_goes_away_while_somebody_is_still_connected(services: Services, postgres: Found) -> None:
    with services.fresh_database(postgres) as url:
        forgotten = psycopg.connect(url)
    assert url.rsplit("/", 1)[1] not in _names(postgres.url)
    forgotten.close()


def test_closing_the_session_drops_what_a_killed_worker_left(session: Services, postgres: Found) -> None:
    name = f"driftline_test_{session.token}_left"
    with psycopg.connect(postgres.url, autocommit=True) as admin:
        admin.execute(f"create database {name}")
    session._drop_databases(postgres.url)
    assert name not in _names(postgres.url)


def test_a_service_is_looked_for_once_per_session(session: Services) -> None:
    searches = iter([Missing(reason="first"), Missing(reason="second")])
    again = Services(session.folder)  # as another pytest worker sees it
    assert (
        session._once("thing", lambda: next(searches))
        == again._once("thing", lambda: next(searches))
        == Missing(reason="first")
    )


def test_a_wrong_address_in_the_environment_is_not_replaced_by_a_server_that_happens_to_run(
    session: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        monkeypatch.setenv("DRIFTLINE_TEST_POSTGRES", f"postgresql://postgres@127.0.0.1:{port}/postgres")
        monkeypatch.setenv("DRIFTLINE_TEST_RABBIT", f"amqp://guest:guest@127.0.0.1:{port}/")
        for search in (session.postgres(), session.rabbit()):
            assert isinstance(search, Missing)
            assert search.reason.startswith("DRIFTLINE_TEST_")


def test_our_own_postgres_survives_a_restart_and_leaves_no_folder() -> None:
    server = OwnPostgres.start()
    try:
        with psycopg.connect(server.url()) as connection:
            connection.execute("create table kept (x int)")
        server.restart()
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("select to_regclass('kept')::text").fetchone() == ("kept",)
    finally:
        server.stop()
    assert not Path(server.folder).exists()


async def test_a_vhost_of_our_own_takes_a_quorum_queue(rabbit_url: str) -> None:
    connection = await aio_pika.connect(rabbit_url)
    async with connection:
        channel = await connection.channel()
        queue = await channel.declare_queue("q", durable=True, arguments={"x-queue-type": "quorum"})
        await channel.default_exchange.publish(aio_pika.Message(b"hello"), routing_key="q")
        message = await queue.get(timeout=60)
        await message.ack()
        assert message.body == b"hello"


@pytest.mark.parametrize("server", [OwnPostgres, OwnRabbit])
@pytest.mark.usefixtures("rabbit")  # it is installed
def test_a_server_whose_port_was_taken_meanwhile_starts_on_another_and_leaves_no_folder(
    server: type[OwnPostgres | OwnRabbit], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ports = chain([port], iter(servers.free_port, None))
        monkeypatch.setattr(servers, "free_port", lambda: next(ports))
        started = server.start()
        try:
            assert started.port != port
            if isinstance(started, OwnRabbit):
                assert started.control("list_vhosts").split() == ["/"]  # a node apart
        finally:
            started.stop()
        assert not Path(started.folder).exists()


@pytest.mark.parametrize(("ci", "ending"), [("", 0), ("true", 1)])
def test_what_is_missing_is_said_with_the_line_that_brings_it_and_fails_under_ci(ci: str, ending: int, tmp_path: Path) -> None:
    """The PATH of the inner session leads nowhere: no browser is there, and no way to install one."""
    inner = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/browser/test_mails.py"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PATH": str(tmp_path), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert inner.returncode == ending, inner.stdout
    assert re.search(r"! [1-9]\d* DID NOT RUN, FOR WANT OF Chromium !", inner.stdout)
    assert "\nchromium is not installed (apt-get install chromium libatomic1)\n" in inner.stdout
    line = inner.stdout.splitlines()[-2].replace("sudo ", "")  # the last one counts the tests
    assert line == "apt-get update && apt-get install -y --no-install-recommends chromium libatomic1"


@pytest.mark.parametrize("serving", [sink, scripted_site])
def test_a_server_that_ends_while_clients_arrive_leaves_no_connection_open(
    serving: Callable[[], AbstractContextManager[Sink | ScriptedSite]],
) -> None:
    """What is left open is collected during another test, which then fails for it."""
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always", ResourceWarning)
        for _ in range(20):
            with ExitStack() as clients, serving() as server:
                address = urlsplit(server.url)
                for _ in range(6):
                    clients.enter_context(socket.create_connection((address.hostname, address.port)))
        gc.collect()
    assert [str(one.message) for one in left] == []
