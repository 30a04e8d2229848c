"""The ground that other tests stand on: databases and vhosts of one's own, on a found server and on one that we start."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import aio_pika
import psycopg
import pytest
from tests.servers import OwnPostgres, OwnRabbit
from tests.services import Found, Missing, Services


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
        message = await queue.get(timeout=10)
        await message.ack()
        assert message.body == b"hello"


def test_our_own_rabbit_is_a_node_apart_and_leaves_no_folder() -> None:
    own = OwnRabbit.start()
    try:
        assert own.control("list_vhosts").split() == ["/"]
    finally:
        own.stop()
    assert not Path(own.folder).exists()
