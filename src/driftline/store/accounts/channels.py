"""The channels of an org's users."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from driftline.errors import Refused
from driftline.model.delivery import UNSUBSCRIBED, Channel, ChannelOptions, Secret
from driftline.store.accounts import account_rows
from driftline.store.accounts.users import Users
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, instant_and_id, page, uuid_or_none
from driftline.store.rows import Page

_CHANNELS: Final = f"SELECT {account_rows.CHANNEL} FROM channels AS c"  # noqa: S608 - constants


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

    def page(self, *, user_id: UUID | None = None, limit: int = 100, cursor: str | None = None) -> Page[Channel]:
        """Channels of the org or of one user, oldest first."""
        query = self._query()
        if user_id is not None:
            query.where("c.user_id = ?", user_id)
        return page(
            self._tx,
            query,
            ("c.created_at", "c.id"),
            lambda row: account_rows.channel(self._tx.codec, row),
            instant_and_id(self._tx.codec, account_rows.CHANNEL_CREATED),
            limit=limit,
            cursor=cursor,
            newest_first=False,
            types=tuple[datetime, UUID],
        )

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
