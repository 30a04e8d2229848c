"""Users, channels and subscriptions of an org."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.errors import NotFound, Refused
from driftline.model.account import User
from driftline.model.delivery import UNSUBSCRIBED, Channel, ChannelOptions, Secret, Subscription
from driftline.store.accounts import account_rows
from driftline.store.db.codec import Codec, dumps
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, uuid_or_none

_USERS: Final = f"SELECT {account_rows.USER} FROM users AS u"  # noqa: S608 - constants
_CHANNELS: Final = f"SELECT {account_rows.CHANNEL} FROM channels AS c"  # noqa: S608 - constants
_SUBSCRIPTIONS: Final = f"SELECT {account_rows.SUBSCRIPTION} FROM subscriptions AS s"  # noqa: S608 - constants


class Users:
    """The users of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def add(self, user: User) -> User:
        """Create; an address that exists is refused."""
        if self._tx.row("SELECT 1 FROM users WHERE org_id = ? AND email = ?", (self._org_id, user.email)):
            raise Refused("a user with this address already exists", email=user.email, hint="choose another address")
        self._tx.run(
            "INSERT INTO users (id, org_id, email, name, role, timezone, digest_hour, digest, next_digest_at, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                user.id, self._org_id, user.email, user.name, user.role, user.timezone, user.digest_hour, user.digest,
                user.next_digest_at, user.created_at,
            ),
        )  # fmt: skip
        return self.get(user.id)

    def update(self, user: User) -> User:
        """Store what may change; deliveries that wait for the daily message follow its hour."""
        self._tx.run(
            "UPDATE users SET name = ?, role = ?, timezone = ?, digest_hour = ?, digest = ?, next_digest_at = ?, "
            "disabled_at = ? WHERE id = ? AND org_id = ?",
            (
                user.name, user.role, user.timezone, user.digest_hour, user.digest, user.next_digest_at, user.disabled_at,
                user.id, self._org_id,
            ),
        )  # fmt: skip
        self._tx.run(
            "UPDATE deliveries SET digest_at = ?, next_attempt_at = ? "
            "WHERE user_id = ? AND state = 'pending' AND digest_at IS NOT NULL AND digest_id IS NULL",
            (user.next_digest_at, user.next_digest_at, user.id),
        )
        return self.get(user.id)

    def all(self) -> list[User]:
        """All users, oldest first."""
        return self._found(self._query(), "ORDER BY u.created_at, u.id")

    def get(self, ref: str | UUID) -> User:
        """By address, id, or the end of an id."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            return exactly_one("user", str(ref), self._found(self._query().where("u.id = ?", id_)), lambda one: one.email)
        found = self._found(self._query().where("u.email = ?", str(ref)))
        rows = () if found else by_suffix(self._tx, self._query(), "u.id", str(ref))
        return exactly_one(
            "user", str(ref), found or [account_rows.user(self._tx.codec, row) for row in rows], lambda one: one.email
        )

    def remove(self, user_id: UUID) -> None:
        """Delete with channels, subscriptions and deliveries."""
        self._tx.run("DELETE FROM users WHERE id = ? AND org_id = ?", (user_id, self._org_id))

    def _query(self) -> Query:
        return Query(_USERS).where("u.org_id = ?", self._org_id)

    def _found(self, query: Query, tail: str = "") -> list[User]:
        return [account_rows.user(self._tx.codec, row) for row in self._tx.rows(query.ordered(tail), query.params)]


def any_channel(tx: Tx, channel_id: UUID) -> Channel | None:
    """A channel of any org, for links that prove that it reaches the caller."""
    row = tx.row(f"SELECT {account_rows.CHANNEL} FROM channels AS c WHERE c.id = ?", (channel_id,))  # noqa: S608 - constants
    return None if row is None else account_rows.channel(tx.codec, row)


class Channels:
    """The channels of one org's users."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def add(self, channel: Channel) -> Channel:
        """Create; it becomes the default if the user has none, or one through which nothing can be sent yet."""
        Users(self._tx, self._org_id).get(channel.user_id)
        if self._tx.row("SELECT 1 FROM channels WHERE org_id = ? AND name = ?", (self._org_id, channel.name)):
            raise Refused("a channel with this name already exists", name=channel.name, hint="choose another --name")
        first = not self._tx.row("SELECT 1 FROM channels WHERE user_id = ? AND is_default", (channel.user_id,))
        self._tx.run(
            "INSERT INTO channels "
            "(id, org_id, user_id, kind, name, target, endpoint, options, secrets, is_default, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                channel.id, self._org_id, channel.user_id, channel.kind, channel.name, channel.target, channel.endpoint,
                dumps(channel.options), dumps(channel.secrets), first, channel.created_at,
            ),
        )  # fmt: skip
        stuck = not first and channel.kind != "email" and not self._usable_default(channel.user_id)
        if (channel.is_default and not first) or stuck:
            self.make_default(channel.id)
        return self.get(channel.id)

    def all(self, *, user_id: UUID | None = None) -> list[Channel]:
        """All channels of the org, or those of one user."""
        query = self._query()
        if user_id is not None:
            query.where("c.user_id = ?", user_id)
        return self._found(query, "ORDER BY c.created_at, c.id")

    def get(self, ref: str | UUID) -> Channel:
        """By name, id, or the end of an id."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            return exactly_one("channel", str(ref), self._found(self._query().where("c.id = ?", id_)), lambda one: one.name)
        found = self._found(self._query().where("c.name = ?", str(ref)))
        rows = () if found else by_suffix(self._tx, self._query(), "c.id", str(ref))
        return exactly_one(
            "channel", str(ref), found or [account_rows.channel(self._tx.codec, row) for row in rows], lambda one: one.name
        )

    def make_default(self, channel_id: UUID) -> Channel:
        """Make it the user's default."""
        channel = self.get(channel_id)
        self._tx.run("UPDATE channels SET is_default = ? WHERE user_id = ? AND is_default", (False, channel.user_id))
        self._tx.run("UPDATE channels SET is_default = ? WHERE id = ?", (True, channel_id))
        return self.get(channel_id)

    def set_off_at(self, channel_id: UUID, *, off_at: datetime | None, reason: str | None = None) -> Channel:
        """Turn it off from an instant on, or on again."""
        self._tx.run(
            "UPDATE channels SET disabled_at = ?, disabled_reason = ? WHERE id = ? AND org_id = ?",
            (off_at, reason if off_at else None, channel_id, self._org_id),
        )
        return self.get(channel_id)

    def turn_on(self, channel_id: UUID, *, anyway: bool) -> Channel:
        """Turn it on again; if its reader unsubscribed, only with `anyway`."""
        found = self.get(channel_id)
        if found.disabled_reason == UNSUBSCRIBED and not anyway:
            hint = "ask the reader first, then confirm (--anyway, or ?anyway=true)"
            raise Refused("the reader of this channel unsubscribed", channel=found.name, hint=hint)
        return self.set_off_at(channel_id, off_at=None)

    def set_options(self, channel_id: UUID, options: ChannelOptions) -> Channel:
        """Set how its messages are written."""
        self._tx.run("UPDATE channels SET options = ? WHERE id = ? AND org_id = ?", (dumps(options), channel_id, self._org_id))
        return self.get(channel_id)

    def set_secrets(self, channel_id: UUID, secrets: Sequence[Secret]) -> Channel:
        """Set the secrets that sign its messages."""
        self._tx.run(
            "UPDATE channels SET secrets = ? WHERE id = ? AND org_id = ?", (dumps(tuple(secrets)), channel_id, self._org_id)
        )
        return self.get(channel_id)

    def remove(self, channel_id: UUID) -> None:
        """Delete with its deliveries; another channel of the user becomes the default."""
        channel = self.get(channel_id)
        self._tx.run("DELETE FROM channels WHERE id = ? AND org_id = ?", (channel_id, self._org_id))
        if channel.is_default and (left := self.all(user_id=channel.user_id)):
            self.make_default(left[0].id)

    def _usable_default(self, user_id: UUID) -> bool:
        return any(one.is_default and one.confirmed and one.disabled_at is None for one in self.all(user_id=user_id))

    def _query(self) -> Query:
        return Query(_CHANNELS).where("c.org_id = ?", self._org_id)

    def _found(self, query: Query, tail: str = "") -> list[Channel]:
        return [account_rows.channel(self._tx.codec, row) for row in self._tx.rows(query.ordered(tail), query.params)]


class Subscriptions:
    """The subscriptions of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def add(self, subscription: Subscription) -> Subscription:
        """Create; user, watch and channels must belong to this org, and the channels to this user."""
        Users(self._tx, self._org_id).get(subscription.user_id)
        watch_id = subscription.watch_id
        if watch_id and not self._tx.row("SELECT 1 FROM watches WHERE id = ? AND org_id = ?", (watch_id, self._org_id)):
            raise NotFound("no such watch", ref=str(watch_id))
        self._tx.run(
            "INSERT INTO subscriptions (id, org_id, user_id, watch_id, tag, filter, muted_until_at, paused_at, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                subscription.id, self._org_id, subscription.user_id, watch_id, subscription.tag, dumps(subscription.filter),
                subscription.muted_until_at, subscription.paused_at, subscription.created_at,
            ),
        )  # fmt: skip
        self._name_channels(subscription)
        return self.get(subscription.id)

    def _name_channels(self, subscription: Subscription) -> None:
        channels = Channels(self._tx, self._org_id)
        for channel_id in dict.fromkeys(subscription.channel_ids):
            if channels.get(channel_id).user_id != subscription.user_id:
                raise Refused("the channel is another user's", channel=str(channel_id), hint="name a channel of this user")
            self._tx.run(
                "INSERT INTO subscription_channels (subscription_id, channel_id) VALUES (?, ?)", (subscription.id, channel_id)
            )

    def all(self, *, user_id: UUID | None = None, watch_id: UUID | None = None) -> list[Subscription]:
        """Every subscription, or one user's, or those of one watch."""
        query = self._query()
        if user_id is not None:
            query.where("s.user_id = ?", user_id)
        if watch_id is not None:
            query.where("s.watch_id = ?", watch_id)
        return self._with_channels(self._tx.rows(query.ordered("ORDER BY s.created_at, s.id"), query.params))

    def get(self, ref: str | UUID) -> Subscription:
        """By id, or the end of an id."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            query = self._query().where("s.id = ?", id_)
            rows = self._tx.rows(query.ordered(""), query.params)
        else:
            rows = by_suffix(self._tx, self._query(), "s.id", str(ref))
        return exactly_one("subscription", str(ref), self._with_channels(rows), lambda one: one.id)

    def update(self, subscription: Subscription) -> Subscription:
        """Store another filter and other channels."""
        self._tx.run(
            "UPDATE subscriptions SET filter = ? WHERE id = ? AND org_id = ?",
            (dumps(subscription.filter), subscription.id, self._org_id),
        )
        self._tx.run("DELETE FROM subscription_channels WHERE subscription_id = ?", (self.get(subscription.id).id,))
        self._name_channels(subscription)
        return self.get(subscription.id)

    def mute(self, subscription_id: UUID, *, until_at: datetime | None) -> Subscription:
        """Send nothing until then; None: send again."""
        self._tx.run(
            "UPDATE subscriptions SET muted_until_at = ? WHERE id = ? AND org_id = ?", (until_at, subscription_id, self._org_id)
        )
        return self.get(subscription_id)

    def pause(self, subscription_id: UUID, *, at: datetime | None) -> Subscription:
        """Turn it off, or on again."""
        self._tx.run("UPDATE subscriptions SET paused_at = ? WHERE id = ? AND org_id = ?", (at, subscription_id, self._org_id))
        return self.get(subscription_id)

    def remove(self, subscription_id: UUID) -> None:
        """Delete a subscription; its pending messages are not sent."""
        self._tx.run("DELETE FROM subscriptions WHERE id = ? AND org_id = ?", (subscription_id, self._org_id))

    def leave(self, channel: Channel, watch_id: UUID) -> None:
        """Nothing more about one watch through this channel; other watches and other channels stay as they are."""
        for one in self.all(user_id=channel.user_id):
            if not (channel.id in one.channel_ids if one.channel_ids else channel.is_default):
                continue
            if one.watch_id is None:
                left_out = tuple(dict.fromkeys((*one.filter.except_watches, watch_id)))
                narrowed = msgspec.structs.replace(one.filter, except_watches=left_out)
                self._tx.run("UPDATE subscriptions SET filter = ? WHERE id = ?", (dumps(narrowed), one.id))
            elif one.watch_id == watch_id and len(one.channel_ids) > 1:
                self._tx.run(
                    "DELETE FROM subscription_channels WHERE subscription_id = ? AND channel_id = ?", (one.id, channel.id)
                )
            elif one.watch_id == watch_id:
                self.remove(one.id)

    def _query(self) -> Query:
        return Query(_SUBSCRIPTIONS).where("s.org_id = ?", self._org_id)

    def _with_channels(self, rows: Sequence[Any]) -> list[Subscription]:
        return subscriptions(self._tx, self._tx.codec, rows)


def subscriptions(tx: Tx, codec: Codec, rows: Sequence[Any]) -> list[Subscription]:
    """The subscriptions of rows, with their channels."""
    named: dict[UUID, list[UUID]] = {}
    for id_, channel_id in tx.where_in(
        "SELECT subscription_id, channel_id FROM subscription_channels WHERE subscription_id {keys} ORDER BY channel_id",
        [codec.id(row[0]) for row in rows],
    ):
        named.setdefault(codec.id(id_), []).append(codec.id(channel_id))
    return [account_rows.subscription(codec, row, tuple(named.get(codec.id(row[0]), ()))) for row in rows]
