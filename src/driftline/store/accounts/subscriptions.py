"""The subscriptions of an org's users."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.errors import NotFound, Refused
from driftline.model.delivery import Channel, Subscription
from driftline.store.accounts import account_rows
from driftline.store.accounts.channels import Channels
from driftline.store.accounts.users import Users
from driftline.store.db.codec import Codec, dumps
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, instant_and_id, page, uuid_or_none
from driftline.store.rows import Page

_SUBSCRIPTIONS: Final = f"SELECT {account_rows.SUBSCRIPTION} FROM subscriptions AS s"  # noqa: S608 - constants


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

    def page(
        self, *, user_id: UUID | None = None, watch_id: UUID | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[Subscription]:
        """Subscriptions of the org, of one user or of one watch, oldest first."""
        query = self._query()
        for column, value in (("user_id", user_id), ("watch_id", watch_id)):
            if value is not None:
                query.where(f"s.{column} = ?", value)
        found: Page[tuple[Any, ...]] = page(
            self._tx,
            query,
            ("s.created_at", "s.id"),
            tuple,
            instant_and_id(self._tx.codec, account_rows.SUBSCRIPTION_CREATED),
            limit=limit,
            cursor=cursor,
            newest_first=False,
            types=tuple[datetime, UUID],
        )
        return Page(tuple(self._with_channels(found.rows)), found.cursor)

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

    def unsubscribe(self, channel: Channel, watch_id: UUID) -> None:
        """Stop sending changes of one watch through this channel; other watches and other channels stay subscribed."""
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
