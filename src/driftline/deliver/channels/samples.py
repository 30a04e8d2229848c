"""Messages on request: a sample, and the link that confirms a mail address."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.errors import Refused
from driftline.model.account import Reader, User
from driftline.model.change import Change
from driftline.model.delivery import Channel, Message, Reported, Section

LINK_LASTS_FOR: Final = timedelta(hours=48)
UNCONFIRMED: Final = "the address is not confirmed"


def sample(message_id: UUID, channel: Channel, user: Reader, *, at: datetime) -> Message:
    """A test message in our own words, for a channel that is confirmed.

    A webhook's body stays: its receiver may take no other shape.
    """
    if not channel.confirmed:
        raise Refused(UNCONFIRMED, hint="open the link in the confirmation mail, or run: driftline channel confirm")
    plain = msgspec.structs.replace(channel.options, subject=None, text=None)
    channel = msgspec.structs.replace(channel, options=plain)
    return Message(id=message_id, channel=channel, user=user, sections=(), sample=True, written_at=at)


def example(message_id: UUID, channel: Channel, user: User, *, at: datetime) -> Message:
    """A message as a change would make it, to show what templates become; it is not sent."""
    marks = [["same", "Notice period: "], ["removed", "30"], ["added", "14"], ["same", " days"]]
    change = Change(
        id=message_id, org_id=channel.org_id, watch_id=message_id, run_id=message_id, report_id=message_id, item_id=message_id,
        type="content", severity="high", headline="Notice period: 30 → 14 days", url="https://example.com/terms", before=None,
        after=None, diff={"rows": [{"action": "changed", "marks": marks}]}, created_at=at,
    )  # fmt: skip
    report = Reported(
        id=message_id, run_id=message_id, watch_id=message_id, parent_id=None, watch_name="Terms of service",
        watch_url="https://example.com/terms", watch_kind="page", changes=(change,), created_at=at,
    )  # fmt: skip
    section = Section(delivery_id=message_id, report=report, changes=(change,))
    reader = Reader(name=user.name, timezone=user.timezone)
    return Message(id=message_id, channel=channel, user=reader, sections=(section,), written_at=at)


def confirmation(message_id: UUID, channel: Channel, user: Reader, *, url: str, at: datetime) -> Message:
    """A message with nothing but the confirmation link, in fixed words."""
    return Message(id=message_id, channel=channel, user=user, sections=(), sample=True, confirm_url=url, written_at=at)


def confirm_url(public_url: str, channel_id: UUID, secret: str) -> str:
    """The page on which the owner of an address confirms it."""
    if not public_url:
        hint = "set DRIFTLINE_PUBLIC_URL, or run: driftline channel confirm"
        raise Refused("no link can be sent, because the address of this dashboard is not set", hint=hint)
    return f"{public_url.rstrip('/')}/confirm/{channel_id}/{secret}"
