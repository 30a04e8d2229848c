"""Values that pass between the agent and the store: a page's position, a message's outcome, messages to send."""

from __future__ import annotations

from uuid import UUID

import msgspec

from driftline.model.change import Finding, Suppressed


class Outgoing(msgspec.Struct, frozen=True):
    """A message to send; its id stays the same however often it is sent."""

    id: UUID
    queue: str
    body: bytes


class MessageKey(msgspec.Struct, frozen=True):
    """Identifies a message and its page."""

    message: bytes  # hash of job, address, version and snapshot hash: the same message again has the same
    url: str


class StoredPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page's latest snapshot, still packed."""

    snapshot_id: UUID
    fingerprint: bytes
    state: bytes
    text: str | None
    blocks: bytes | None


class PagePosition(msgspec.Struct, frozen=True, kw_only=True):
    """The latest processed version of a page, before a message about it."""

    seen: bool = False  # this message was processed before
    version: int | None = None  # the latest one that was processed; None: a new page
    snapshot_hash: str | None = None  # of that version
    item_id: UUID | None = None
    item_version: int = 0  # of the latest snapshot; what a commit checks


class NewSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The page's next snapshot: a state that differs from the stored one."""

    item_id: UUID  # proposed for a new page, its own otherwise
    snapshot_id: UUID
    title: str
    fingerprint: bytes
    state: bytes
    text: str | None
    blocks: bytes | None
    content_hash: bytes


class MessageOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a judged message leaves behind; all of it is committed, or nothing."""

    key: MessageKey
    position: PagePosition  # the position that it was judged against
    version: int
    snapshot_hash: str
    new_snapshot: NewSnapshot | None = None
    previous_snapshot_id: UUID | None = None
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    outgoing: tuple[Outgoing, ...] = ()
