"""Users and channels as they are kept and found, on both databases."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
from tests.contract.store.world import START, World
from tests.subscribers import Subscribers

from driftline.errors import Ambiguous, Busy, NotFound, Refused
from driftline.store.accounts.idempotency import KEPT_FOR, Idempotency, StoredAnswer


def test_the_first_channel_is_the_default_and_another_takes_its_place(subscribers: Subscribers) -> None:
    user = subscribers.user()
    first, second = subscribers.channel(user, "first"), subscribers.channel(user, "second")
    assert (first.is_default, second.is_default) == (True, False)
    third = subscribers.channel(user, "third", default=True)
    assert third.is_default
    subscribers.store.write_now(lambda s: s.org(subscribers.org.id).channels.remove(third.id))
    left = subscribers.store.read_now(lambda s: s.org(subscribers.org.id).channels.all())
    assert [one.is_default for one in left] == [True, False]


def test_names_addresses_and_channels_of_others_are_refused(subscribers: Subscribers) -> None:
    reader, bo = subscribers.user("reader"), subscribers.user("bo")
    post = subscribers.channel(reader, "post")
    with pytest.raises(Refused):
        subscribers.user("reader")
    with pytest.raises(Refused):
        subscribers.channel(bo, "post")
    with pytest.raises(Refused):
        subscribers.subscribe(bo, None, post)


def test_accounts_are_found_by_name_and_by_the_end_of_their_id(subscribers: Subscribers) -> None:
    user = subscribers.user()
    channel = subscribers.channel(user)
    subscription = subscribers.subscribe(user, None)
    org = subscribers.org.id
    assert subscribers.store.read_now(lambda s: s.org(org).users.get(user.id.hex[-8:])) == user
    assert subscribers.store.read_now(lambda s: s.org(org).channels.get(channel.id.hex[-8:])) == channel
    assert subscribers.store.read_now(lambda s: s.org(org).subscriptions.get(subscription.id.hex[-8:])) == subscription
    with pytest.raises(NotFound):
        subscribers.store.read_now(lambda s: s.org(org).users.get("nobody@example.org"))
    with pytest.raises((NotFound, Ambiguous)):
        subscribers.store.read_now(lambda s: s.org(org).channels.get("ffff"))


async def test_samples_asked_for_at_the_same_time_are_counted_one_by_one(subscribers: Subscribers) -> None:
    channel, at = subscribers.channel(subscribers.user()), subscribers.world.now

    async def ask(later: timedelta = timedelta()) -> bool:
        sample_id = subscribers.world.id()
        try:
            await subscribers.store.write(
                lambda s: s.org(subscribers.org.id).confirmations.count_sample(sample_id, channel.id, at=at + later)
            )
        except Busy:
            return False
        return True

    assert sum(await asyncio.gather(*(ask() for _ in range(12)))) == 5
    assert not await ask(timedelta(minutes=59))
    assert await ask(timedelta(minutes=60))


def test_a_key_that_came_before_gives_the_first_answer_only_to_the_same_request(world: World) -> None:
    answer = StoredAnswer(status=201, body=b"{}")

    def begin(request: bytes, at: datetime = START) -> StoredAnswer | None:
        return world.store.write_now(lambda s: Idempotency(s.tx, world.org.id).begin(b"key", request, at=at))

    assert begin(b"request") is None
    world.store.write_now(lambda s: Idempotency(s.tx, world.org.id).finish(b"key", answer))
    assert begin(b"request") == answer
    with pytest.raises(Refused, match="another request"):
        begin(b"another")
    assert begin(b"another", START + KEPT_FOR + timedelta(seconds=1)) is None
