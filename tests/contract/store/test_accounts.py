"""Users and channels as they are kept and found, on both databases."""

from __future__ import annotations

import pytest
from tests.people import People

from driftline.errors import Ambiguous, NotFound, Refused


def test_the_first_channel_is_the_default_and_another_takes_its_place(people: People) -> None:
    user = people.user()
    first, second = people.channel(user, "first"), people.channel(user, "second")
    assert (first.is_default, second.is_default) == (True, False)
    third = people.channel(user, "third", default=True)
    assert third.is_default
    people.store.write_now(lambda s: s.org(people.org.id).channels.remove(third.id))
    left = people.store.read_now(lambda s: s.org(people.org.id).channels.all())
    assert [one.is_default for one in left] == [True, False]


def test_names_addresses_and_channels_of_others_are_refused(people: People) -> None:
    reader, bo = people.user("reader"), people.user("bo")
    post = people.channel(reader, "post")
    with pytest.raises(Refused):
        people.user("reader")
    with pytest.raises(Refused):
        people.channel(bo, "post")
    with pytest.raises(Refused):
        people.subscribe(bo, None, post)


def test_accounts_are_found_by_name_and_by_the_end_of_their_id(people: People) -> None:
    user = people.user()
    channel = people.channel(user)
    subscription = people.subscribe(user, None)
    org = people.org.id
    assert people.store.read_now(lambda s: s.org(org).users.get(user.id.hex[-8:])) == user
    assert people.store.read_now(lambda s: s.org(org).channels.get(channel.id.hex[-8:])) == channel
    assert people.store.read_now(lambda s: s.org(org).subscriptions.get(subscription.id.hex[-8:])) == subscription
    with pytest.raises(NotFound):
        people.store.read_now(lambda s: s.org(org).users.get("nobody@example.org"))
    with pytest.raises((NotFound, Ambiguous)):
        people.store.read_now(lambda s: s.org(org).channels.get("ffff"))
