"""Subscriptions, channels, deliveries, and the messages that they become.

    pending -> sending (leased) -> sent
       ^           |-> retrying -> sending ...
       |           |-> dead       no attempts left, or retrying cannot help; a user may requeue
    requeue        '-> skipped    a filter of the subscription stopped it, see the reason

If a sender dies, its delivery stays `sending`; when the lease has expired, another one sends it again with the same id.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from driftline.model.account import Reader
from driftline.model.change import Change, Notice, Severity
from driftline.model.condition import ChangeEvidence, EvidenceNeeds
from driftline.model.watch import Window

ChannelKind = str  # email, webhook, apprise, bus, or the name of an extension
State = Literal["pending", "sending", "retrying", "sent", "dead", "skipped"]


FINAL_STATES: frozenset[str] = frozenset({"sent", "dead", "skipped"})


class Secret(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A key that webhooks are signed with."""

    value: str  # "whsec_" + base64
    created_at: datetime
    expires_at: datetime | None = None  # set when it is replaced: both sign until then

    def active(self, *, at: datetime) -> bool:
        """Whether messages are signed with it at this time."""
        return self.expires_at is None or at < self.expires_at


class ChannelOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the messages of a channel are written. In templates, `{{name}}` is replaced; there is no other syntax."""

    subject: str | None = None  # email, apprise
    text: str | None = None  # email, apprise
    body: str | None = None  # webhook: JSON with {{name}} inside strings; None: the whole document
    headers: dict[str, str] = {}  # webhook


class Address(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The fields of a channel that sending needs."""

    id: UUID
    kind: ChannelKind
    target: str  # a mail address, a URL, or a topic of the bus
    options: ChannelOptions = ChannelOptions()
    secrets: tuple[Secret, ...] = ()  # newest first
    is_default: bool = False  # for subscriptions without a channel; one per user

    @property
    def endpoint(self) -> str:
        """What fails together: the relay for mail, the address for a webhook, the service for chat."""
        if "://" not in self.target:
            return self.kind
        parts = urlsplit(self.target)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return f"{place}{parts.path}" if self.kind == "webhook" else place


NEW_ITEM: Final = "new_product"  # the change type of every item in a catalog's first run
SAME_SLOT: Final = "same slot"  # reason of a delivery whose slot another bucket already reported
UNSUBSCRIBED_ONE: Final = "its reader unsubscribed from this watch"
UNSUBSCRIBED: Final = "its reader unsubscribed"  # reason of a channel that its reader turned off


class Channel(Address, frozen=True, kw_only=True, gc=False):
    """How messages reach a user: mail, webhook, chat or the message bus."""

    org_id: UUID
    user_id: UUID
    name: str
    disabled_at: datetime | None = None
    disabled_reason: str | None = None
    confirmed: bool = True  # False: a mail address whose owner has not confirmed it yet
    created_at: datetime


class Filter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which changes a subscription sends, and when."""

    min_severity: Severity = "low"
    types: tuple[str, ...] = ()  # change types; none: all
    venues: tuple[str, ...] = ()  # ids or names of venues; none: all. Changes without a venue pass
    slots_from: time | None = None  # only slots that start at or after this, in the venue's time
    slots_until: time | None = None  # only slots that start before this; if earlier than `slots_from`, past midnight
    slots_weekdays: tuple[int, ...] = ()  # only slots on these days, 0 is Monday; none: all
    slots_dates: tuple[date, ...] = ()  # only slots on these dates; none: all
    party_sizes: tuple[int, ...] = ()  # only slots for one of these; a slot without a size matches any. None: all
    price_below: Decimal | None = None  # only price changes to a price below this
    price_change_at_least: Decimal | None = None  # in the price's own currency
    price_change_percent: Decimal | None = None  # of the previous price
    quiet: tuple[Window, ...] = ()  # hours in which nothing is sent, in the user's time zone
    cooldown_for: float = 0.0  # seconds without a message after one about the same watch
    when: str = ""  # only where it holds, as policy.conditions writes it
    except_watches: tuple[UUID, ...] = ()  # of a subscription to all watches: those that its reader unsubscribed from


class SubscriptionTerms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The scope and filter of a subscription."""

    watch_id: UUID | None  # None: those with the tag, or every watch of the org
    tag: str | None = None
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
    """A delivery that a sender holds. Receivers recognize repeats by its id."""

    id: UUID
    attempts: int = 0  # completed ones; if a sender dies, none is counted
    digest_at: datetime | None = None  # the daily message that it waits for; None: sent at once


class Delivery(Leased, frozen=True, kw_only=True, gc=False):
    """One report on its way to one channel."""

    org_id: UUID
    report_id: UUID
    user_id: UUID
    channel_id: UUID
    state: State
    reason: str | None = None  # of the latest failure, or why it was skipped
    next_attempt_at: datetime | None = None  # None when final
    digest_id: UUID | None = None  # of the daily message that it is part of
    sent_at: datetime | None = None
    created_at: datetime


class OwnedCondition(msgspec.Struct, frozen=True):
    """A condition with what it belongs to."""

    owner: str  # empty for the watch; "tag shop", "the subscription"
    text: str

    @property
    def whose(self) -> str:
        """The owner, as it stands behind the condition."""
        return f" of {self.owner}" if self.owner else ""


class Judgement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model said of a change."""

    notify: bool = True
    reason: str = ""
    summary: str = ""  # for readers, beside the headline
    fields: dict[str, Any] = {}  # of the page after the change, by the watch's schema
    fields_before: dict[str, Any] = {}


class Reported(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A report with the context that its reader needs."""

    id: UUID
    run_id: UUID
    watch_id: UUID
    parent_id: UUID | None
    watch_name: str
    watch_url: str
    watch_kind: str
    watch_tags: tuple[str, ...] = ()
    changes: tuple[Change, ...]
    warnings: tuple[Notice, ...] = ()
    conditions: tuple[OwnedCondition, ...] = ()  # of the watch, its parent and its tags: all have to hold
    timezone: str = "UTC"  # of the watch, for these
    intent: str = ""  # of the watch or its parent
    extract: dict[str, Any] = {}  # the JSON schema of the fields that a model reads; empty: none
    needs: EvidenceNeeds = EvidenceNeeds()  # of all conditions that are asked about it
    evidence: dict[UUID, ChangeEvidence] = {}  # by change, where conditions need more than the change
    judgements: dict[UUID, Judgement] = {}  # by change: what a model said of the intent
    watching: int | None = None  # number of items found by the watch's first run; None: not a first run
    created_at: datetime


class OutboundBatch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Leased deliveries that are sent in one message, with everything needed to decide and write it."""

    id: UUID  # stable: the delivery's, or the digest's
    deliveries: tuple[Leased, ...]  # one, or those of a digest
    reports: tuple[Reported, ...]  # in the order of `deliveries`
    channel: Address
    user: Reader
    off_reason: str | None = None  # why nothing is sent: the channel or the user is turned off
    all_terms: tuple[SubscriptionTerms, ...]  # the user's active subscriptions, oldest first
    holders: dict[UUID, frozenset[UUID | str]] = {}  # item -> other watches that had it when it changed, parents, and tags
    known_slots: frozenset[tuple[UUID, UUID]] = (
        frozenset()
    )  # report and item: reported to the channel by another date of the watch
    last_sent_at: dict[UUID, datetime] = {}  # watch -> when the channel last got a message about it; for cooldowns

    @property
    def digest(self) -> bool:
        """Whether it is a daily message."""
        return self.deliveries[0].digest_at is not None


def first_run_text(count: int) -> str:
    """What a first run found, in one line instead of one per item."""
    return f"Now watching {count:,} product{'' if count == 1 else 's'}"


class Section(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The part of a message about one report."""

    delivery_id: UUID
    report: Reported
    changes: tuple[Change, ...]

    @property
    def first_run_line(self) -> str:
        """The line that summarizes a first run; empty for every other report."""
        if self.report.watching is None or all(change.type != NEW_ITEM for change in self.changes):
            return ""
        return first_run_text(self.report.watching)

    @property
    def shown_changes(self) -> tuple[Change, ...]:
        """The changes that are listed one by one."""
        return tuple([change for change in self.changes if change.type != NEW_ITEM]) if self.first_run_line else self.changes


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message to send, before it is formatted for a channel."""

    id: UUID
    channel: Address
    user: Reader
    sections: tuple[Section, ...]
    digest: bool = False
    sample: bool = False  # sent by `channel test`
    confirm_url: str = ""  # the link that confirms the address; such a message contains nothing else
    written_at: datetime

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes in it."""
        return tuple(change for section in self.sections for change in section.changes)


class Sent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The receiver accepted it."""


class Undelivered(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The receiver did not accept it, or that is unknown."""

    reason: str  # short: "http 500", "timeout", "address refused: 10.0.0.1"
    final: bool = False  # retrying cannot help
    retry_after: float | None = None  # seconds, as the receiver requested
    endpoint_down: bool = False  # the endpoint fails for every message


Outcome = Sent | Undelivered


class DeliveryOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The result of an attempt, as it is stored."""

    delivery_ids: tuple[UUID, ...]
    owner: str  # of the lease; a failure counts only while it is still held
    state: State
    reason: str | None = None
    attempted: bool = True  # counts as an attempt
    next_attempt_at: datetime | None = None
    change_ids: tuple[UUID, ...] = ()  # sent for the first time with this message
    at: datetime


class Posted(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A receiver answered."""

    status: int
    retry_after: float | None = None


class NotPosted(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """No answer came."""

    reason: str  # short and constant: "timeout", "connection refused", "address refused: 10.0.0.1"
    refused: bool = False  # by the egress guard: retrying cannot help
