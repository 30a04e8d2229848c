"""Converts users, channels, subscriptions and deliveries from and to rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from driftline.model.account import Org, User
from driftline.model.delivery import Channel, ChannelOptions, Delivery, Filter, Secret, Subscription
from driftline.store.db.codec import Codec, loads
from driftline.store.watches.watch_rows import features

ORG: Final = "o.id, o.name, o.plan_features"
USER: Final = (
    "u.id, u.org_id, u.email, u.name, u.role, u.timezone, u.digest_hour, u.digest, u.next_digest_at, u.disabled_at, "
    "u.created_at"
)
CHANNEL: Final = (
    "c.id, c.org_id, c.user_id, c.kind, c.name, c.target, c.options, c.secrets, c.is_default, c.disabled_at, "
    "c.disabled_reason, c.created_at, NOT EXISTS (SELECT 1 FROM unconfirmed_channels AS n WHERE n.channel_id = c.id)"
)
SUBSCRIPTION: Final = "s.id, s.org_id, s.user_id, s.watch_id, s.tag, s.filter, s.muted_until_at, s.paused_at, s.created_at"
CHANNEL_CREATED: Final = 11  # where created_at stands
SUBSCRIPTION_CREATED: Final = 8
DELIVERY: Final = (
    "d.id, d.org_id, d.report_id, d.user_id, d.channel_id, d.state, d.reason, d.attempts, d.next_attempt_at, d.digest_at, "
    "d.digest_id, d.sent_at, d.created_at"
)


@lru_cache(maxsize=1024)
def options_of(raw: str | bytes) -> ChannelOptions:
    """A channel's options; cached, because many channels share few distinct ones (as in the next two functions)."""
    options: ChannelOptions = loads(raw, ChannelOptions)
    return options


@lru_cache(maxsize=1024)
def secrets_of(raw: str | bytes) -> tuple[Secret, ...]:
    """The secrets that a channel signs with."""
    secrets: tuple[Secret, ...] = loads(raw, tuple[Secret, ...])
    return secrets


@lru_cache(maxsize=1024)
def filter_of(raw: str | bytes) -> Filter:
    """A subscription's filter."""
    stored: Filter = loads(raw, Filter)
    return stored


def org(codec: Codec, row: Any) -> Org:
    """The org of a row of ORG."""
    id_, name, plan_features = row
    return Org(id=codec.id(id_), name=name, features=features(plan_features))


def user(codec: Codec, row: Any) -> User:
    """The user of a row of USER."""
    id_, org_id, email, name, role, timezone, hour, digest, next_at, disabled_at, created_at = row
    return User(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        email=email,
        name=name,
        role=role,
        timezone=timezone,
        digest_hour=hour,
        digest=bool(digest),
        next_digest_at=codec.at(next_at),
        disabled_at=codec.at_or_none(disabled_at),
        created_at=codec.at(created_at),
    )


def channel(codec: Codec, row: Any) -> Channel:
    """The channel of a row of CHANNEL."""
    id_, org_id, user_id, kind, name, target, options, secrets, is_default, disabled_at, reason, created_at, confirmed = row
    return Channel(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        user_id=codec.id(user_id),
        kind=kind,
        name=name,
        target=target,
        options=options_of(options),
        secrets=secrets_of(secrets),
        is_default=bool(is_default),
        disabled_at=codec.at_or_none(disabled_at),
        disabled_reason=reason,
        confirmed=bool(confirmed),
        created_at=codec.at(created_at),
    )


def subscription(codec: Codec, row: Any, channel_ids: tuple[UUID, ...] = ()) -> Subscription:
    """The subscription of a row of SUBSCRIPTION."""
    id_, org_id, user_id, watch_id, tag, filter_, muted_until_at, paused_at, created_at = row
    return Subscription(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        user_id=codec.id(user_id),
        watch_id=codec.id_or_none(watch_id),
        tag=tag,
        channel_ids=channel_ids,
        filter=filter_of(filter_),
        muted_until_at=codec.at_or_none(muted_until_at),
        paused_at=codec.at_or_none(paused_at),
        created_at=codec.at(created_at),
    )


def delivery(codec: Codec, row: Any) -> Delivery:
    """The delivery of a row of DELIVERY."""
    id_, org_id, report_id, user_id, channel_id, state, reason, attempts, next_at, digest_at, digest_id, sent_at, created_at = (
        row
    )
    return Delivery(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        report_id=codec.id(report_id),
        user_id=codec.id(user_id),
        channel_id=codec.id(channel_id),
        state=state,
        reason=reason,
        attempts=attempts,
        next_attempt_at=codec.at_or_none(next_at),
        digest_at=codec.at_or_none(digest_at),
        digest_id=codec.id_or_none(digest_id),
        sent_at=codec.at_or_none(sent_at),
        created_at=codec.at(created_at),
    )
