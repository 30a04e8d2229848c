"""Subscriptions, channels, deliveries, and the messages that they become.

    pending -> sending (leased) -> sent
       ^           |-> retrying -> sending ...
       |           |-> dead       the attempts are used up, or trying again cannot help; a person may requeue
    requeue        '-> skipped    a subscription's own rules stopped it; the reason says which

A sender that dies leaves `sending` behind; when its lease has run out, the next one sends again under the same id.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from driftline.model.account import Reader
from driftline.model.change import Change, Notice, Severity
from driftline.model.watch import Window

ChannelKind = Literal["email", "webhook", "apprise", "bus"]
State = Literal["pending", "sending", "retrying", "sent", "dead", "skipped"]


FINAL_STATES: frozenset[str] = frozenset({"sent", "dead", "skipped"})


class Secret(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A key that webhooks are signed with."""

    value: str  # "whsec_" + base64
    created_at: datetime
    expires_at: datetime | None = None  # set by a rotation: both sign until then

    def active(self, *, at: datetime) -> bool:
        """Whether messages are signed with it."""
        return self.expires_at is None or at < self.expires_at


class ChannelOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How messages of a channel are written. In templates, `{{name}}` is replaced; there is no other syntax."""

    subject: str | None = None  # email, apprise
    text: str | None = None  # email, apprise
    body: str | None = None  # webhook: JSON with {{name}} inside strings; None: the whole document
    headers: dict[str, str] = {}  # webhook


class Address(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What sending needs of a channel."""

    id: UUID
    kind: ChannelKind
    target: str  # a mail address, a URL, or a topic of the bus
    options: ChannelOptions = ChannelOptions()
    secrets: tuple[Secret, ...] = ()  # newest first
    is_default: bool = False  # used by subscriptions that name no channel; one a user

    @property
    def endpoint(self) -> str:
        """What fails together: the relay for mail, the address for a webhook, the service for a chat."""
        if self.kind in {"email", "bus"}:
            return self.kind
        parts = urlsplit(self.target)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return f"{place}{parts.path}" if self.kind == "webhook" else place


NEW_ITEM: Final = "new_product"  # the change that every item of a catalog is, once
SAME_SLOT: Final = "same slot"  # why a delivery is skipped that another bucket's said already
UNSUBSCRIBED_ONE: Final = "its reader unsubscribed from this watch"
UNSUBSCRIBED: Final = "its reader unsubscribed"  # why a channel is off that its reader left


class Channel(Address, frozen=True, kw_only=True, gc=False):
    """How messages reach a user: mail, webhook, chat or the message bus."""

    org_id: UUID
    user_id: UUID
    name: str
    disabled_at: datetime | None = None
    disabled_reason: str | None = None
    confirmed: bool = True  # False: a mail address whose owner has not said yet that it is theirs
    created_at: datetime


class Filter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which changes a subscription sends, and when."""

    min_severity: Severity = "low"
    types: tuple[str, ...] = ()  # change types; none: all
    venues: tuple[str, ...] = ()  # ids or names of venues; none: all. Changes without a venue pass
    slots_from: time | None = None  # only slots that start at or after this, on the venue's clock
    slots_until: time | None = None  # only slots that start before this; earlier than `slots_from`: over midnight
    slots_weekdays: tuple[int, ...] = ()  # only slots on these days, 0 is Monday; none: all
    slots_dates: tuple[date, ...] = ()  # only slots on these dates; none: all
    party_sizes: tuple[int, ...] = ()  # only slots for one of these; a slot that says no size is for any. None: all
    price_below: Decimal | None = None  # only price changes that end below this
    price_change_at_least: Decimal | None = None  # in the price's own currency
    price_change_percent: Decimal | None = None  # of the price before
    quiet: tuple[Window, ...] = ()  # hours in which nothing is sent, on the user's clock
    cooldown_for: float = 0.0  # seconds after a message about the same watch in which nothing is sent
    except_watches: tuple[UUID, ...] = ()  # of a subscription to all watches: those that its reader unsubscribed from


class SubscriptionTerms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a subscription asks for."""

    watch_id: UUID | None  # None: every watch of the org
    channel_ids: tuple[UUID, ...] = ()  # none: the user's default channel
    filter: Filter = Filter()
    muted_until_at: datetime | None = None


class Subscription(SubscriptionTerms, frozen=True, kw_only=True, gc=False):
    """A user who is notified of the changes of a watch."""

    id: UUID
    org_id: UUID
    user_id: UUID
    paused_at: datetime | None = None
    created_at: datetime


class Leased(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A delivery in the hands of its sender. Its id is what a receiver drops repeats by."""

    id: UUID
    attempts: int = 0  # that ended; a sender that dies in the middle costs none
    digest_at: datetime | None = None  # the daily message that it waits for; None: sent by itself


class Delivery(Leased, frozen=True, kw_only=True, gc=False):
    """One report on its way to one channel."""

    org_id: UUID
    report_id: UUID
    user_id: UUID
    channel_id: UUID
    state: State
    reason: str | None = None  # of the latest failure, or why it was skipped
    next_attempt_at: datetime | None = None  # None when final
    digest_id: UUID | None = None  # of the message that it was put into
    sent_at: datetime | None = None
    created_at: datetime


class Reported(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A report with what a reader needs to understand it."""

    id: UUID
    run_id: UUID
    watch_id: UUID
    parent_id: UUID | None
    watch_name: str
    watch_url: str
    watch_kind: str
    changes: tuple[Change, ...]
    warnings: tuple[Notice, ...] = ()
    watching: int | None = None  # items that the watch's first run found; None: it was no first run
    created_at: datetime


class OutboundBatch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Leased deliveries that go out in one message, with all that deciding and writing them needs."""

    id: UUID  # stable: of the delivery, or of the digest
    deliveries: tuple[Leased, ...]  # one, or those of a digest
    reports: tuple[Reported, ...]  # in step with `deliveries`
    channel: Address
    user: Reader
    off: str | None = None  # why nothing is sent at all: the channel or the user is switched off
    all_terms: tuple[SubscriptionTerms, ...]  # the user's that are not paused, the oldest first
    holders: dict[UUID, frozenset[UUID]] = {}  # item -> other watches that held it when it changed, and their parents
    known_slots: frozenset[tuple[UUID, UUID]] = (
        frozenset()
    )  # report and item: the channel has it from another date of the watch
    last_sent_at: dict[UUID, datetime] = {}  # watch -> when the channel last got a message about it; where a cooldown asks

    @property
    def digest(self) -> bool:
        """Whether it is the daily message."""
        return self.deliveries[0].digest_at is not None


class Section(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a message tells of one report."""

    delivery_id: UUID
    report: Reported
    changes: tuple[Change, ...]

    @property
    def opening(self) -> str:
        """What stands for all that a first run found: one line, however many there are. Empty for every other report."""
        if self.report.watching is None or all(change.type != NEW_ITEM for change in self.changes):
            return ""
        count = self.report.watching
        return f"Now watching {count:,} product{'' if count == 1 else 's'}"

    @property
    def news(self) -> tuple[Change, ...]:
        """The changes that are shown one by one."""
        return tuple([change for change in self.changes if change.type != NEW_ITEM]) if self.opening else self.changes


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message that is to be sent, before any channel gave it its form."""

    id: UUID
    channel: Address
    user: Reader
    sections: tuple[Section, ...]
    digest: bool = False
    sample: bool = False  # asked for by `channel test`
    confirm_url: str = ""  # the link that confirms the address; then nothing else is in it
    written_at: datetime

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that it tells."""
        return tuple(change for section in self.sections for change in section.changes)


class Sent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The receiver took it."""


class Undelivered(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The receiver did not take it, or nobody knows."""

    reason: str  # short: "http 500", "timeout", "address refused: 10.0.0.1"
    final: bool = False  # trying again cannot help
    retry_after: float | None = None  # seconds, as the receiver asked
    endpoint_down: bool = False  # the place does not work, whatever is sent there


Outcome = Sent | Undelivered


class DeliveryOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How an attempt ended, as the store keeps it."""

    delivery_ids: tuple[UUID, ...]
    owner: str  # of the lease; a failure counts only while it is still held
    state: State
    reason: str | None = None
    attempted: bool = True  # counts as an attempt
    next_attempt_at: datetime | None = None
    change_ids: tuple[UUID, ...] = ()  # told for the first time by this message
    at: datetime


class Posted(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A receiver answered."""

    status: int
    retry_after: float | None = None


class NotPosted(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """No answer came."""

    reason: str  # short and constant: "timeout", "connection refused", "address refused: 10.0.0.1"
    refused: bool = False  # by the guard: trying again cannot help
