"""Users, channels, subscriptions and deliveries as rows, and back."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from driftline.model.account import User
from driftline.model.delivery import Channel, ChannelOptions, Delivery, Filter, Secret, Subscription
from driftline.store.codec import Codec, loads

USER: Final = (
    "u.id, u.org_id, u.email, u.name, u.role, u.timezone, u.digest_hour, u.digest, u.next_digest_at, u.disabled_at, "
    "u.created_at"
)
CHANNEL: Final = (
    "c.id, c.org_id, c.user_id, c.kind, c.name, c.target, c.options, c.secrets, c.is_default, c.disabled_at, "
    "c.disabled_reason, c.created_at"
)
SUBSCRIPTION: Final = "s.id, s.org_id, s.user_id, s.watch_id, s.filter, s.muted_until_at, s.paused_at, s.created_at"
DELIVERY: Final = (
    "d.id, d.org_id, d.report_id, d.user_id, d.channel_id, d.state, d.reason, d.attempts, d.next_attempt_at, d.digest_at, "
    "d.digest_id, d.sent_at, d.created_at"
)


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
    id_, org_id, user_id, kind, name, target, options, secrets, is_default, disabled_at, reason, created_at = row
    return Channel(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        user_id=codec.id(user_id),
        kind=kind,
        name=name,
        target=target,
        options=loads(options, ChannelOptions),
        secrets=loads(secrets, tuple[Secret, ...]),
        is_default=bool(is_default),
        disabled_at=codec.at_or_none(disabled_at),
        disabled_reason=reason,
        created_at=codec.at(created_at),
    )


def subscription(codec: Codec, row: Any, channel_ids: tuple[UUID, ...] = ()) -> Subscription:
    """The subscription of a row of SUBSCRIPTION."""
    id_, org_id, user_id, watch_id, filter_, muted_until_at, paused_at, created_at = row
    return Subscription(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        user_id=codec.id(user_id),
        watch_id=codec.id_or_none(watch_id),
        channel_ids=channel_ids,
        filter=loads(filter_, Filter),
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
