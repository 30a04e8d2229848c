"""What passes between the agent and the store: where a page stands, a message's turn, and what is to be sent."""

from __future__ import annotations

from uuid import UUID

import msgspec

from driftline.model.change import Finding, Suppressed


class Outgoing(msgspec.Struct, frozen=True):
    """A message on its way out; its id is the same however often it is sent."""

    id: UUID
    queue: str
    body: bytes


class MessageKey(msgspec.Struct, frozen=True):
    """What the store is asked about a message."""

    message: bytes  # hash of job, address, version and snapshot hash: the same message again has the same
    url: str


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A page's latest snapshot, still packed."""

    snapshot_id: UUID
    fingerprint: bytes
    state: bytes
    text: str | None
    blocks: bytes | None


class PagePosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page stands before a message about it."""

    seen: bool = False  # this very message was dealt with before
    version: int | None = None  # the latest one that was dealt with; None: a new page
    snapshot_hash: str | None = None  # of that version
    item_id: UUID | None = None
    item_version: int = 0  # of the latest snapshot; what a commit checks


class Fresh(msgspec.Struct, frozen=True, kw_only=True):
    """A state that differs from the stored one: the page's next snapshot."""

    item_id: UUID  # proposed for a new page, its own otherwise
    snapshot_id: UUID
    title: str
    fingerprint: bytes
    state: bytes
    text: str | None
    blocks: bytes | None
    content_hash: bytes


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One message, judged: all of it is committed, or nothing."""

    asked: MessageKey
    standing: PagePosition  # that it was judged against
    version: int
    snapshot_hash: str
    fresh: Fresh | None = None
    previous_snapshot_id: UUID | None = None
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    outgoing: tuple[Outgoing, ...] = ()
