"""Messages that wait to be sent, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from driftline.model.agent import Outgoing
from driftline.store.db.database import Database
from driftline.store.queues import outbox
from driftline.store.queues.outbox import Outbox

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)
UNTIL = AT + timedelta(seconds=30)
LATER = UNTIL + timedelta(seconds=1)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database.open(database_url)
    yield opened
    opened.close()


def put(database: Database, count: int, owner: str) -> list[Outgoing]:
    messages = [Outgoing(UUID(int=number), "notify", b"\x00body %d" % number) for number in range(1, count + 1)]

    def write(tx: object, _: object) -> list[None]:
        outbox.put(tx, messages, owner=owner, until_at=UNTIL)  # type: ignore[arg-type]  # the committer's own Tx
        return [None]

    database.write_now(write, None)
    return messages


async def test_what_is_held_is_nobody_elses_until_the_lease_ends(database: Database) -> None:
    messages = put(database, 3, "one")
    box = Outbox(database)
    assert await box.claim("other", 10, at=AT, until_at=UNTIL, mine=False) == []
    taken = await box.claim("other", 2, at=LATER, until_at=LATER + timedelta(seconds=30), mine=False)
    assert taken == messages[:2]
    assert await box.claim("third", 10, at=LATER, until_at=LATER + timedelta(seconds=30), mine=False) == messages[2:]
    assert await box.claim("one", 10, at=LATER, until_at=LATER + timedelta(seconds=60), mine=True) == []


async def test_an_owner_that_lost_its_connection_takes_its_own_at_once_and_each_once(database: Database) -> None:
    messages = put(database, 3, "one")
    box, until_at = Outbox(database), UNTIL + timedelta(seconds=1)
    assert await box.claim("one", 2, at=AT, until_at=until_at, mine=True) == messages[:2]
    assert await box.claim("one", 2, at=AT, until_at=until_at, mine=True) == messages[2:]
    assert await box.claim("one", 2, at=AT, until_at=until_at, mine=True) == []


async def test_what_is_sent_is_gone(database: Database) -> None:
    messages = put(database, 3, "one")
    box = Outbox(database)
    await box.sent([messages[0].id, messages[2].id])
    assert await box.claim("other", 10, at=LATER, until_at=LATER + timedelta(seconds=30), mine=False) == messages[1:2]
    await box.sent([messages[0].id])  # a second word about it changes nothing
