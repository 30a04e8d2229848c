"""Judges one message: what is stored, and which queues get a message. Pure, except for new ids and work in child processes.

Most messages are about pages whose hash did not change, and end here. The code that compares pages (`bus/comparing.py`) is
loaded with the first page that is new or different.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from driftline.bus.messages import PageCheck, PageChecked, VersionPair, encode, with_page
from driftline.core.identity.fingerprint import fingerprint
from driftline.core.identity.urls import clean
from driftline.engine.ports import Computing, Ids
from driftline.model.account import Features
from driftline.model.agent import MessageKey, MessageOutcome, NewSnapshot, Outgoing, PagePosition, StoredPage

if TYPE_CHECKING:
    from driftline.kinds.page.diff import PageDiff
    from driftline.kinds.page.rules import PageRules


class Queues(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the queues that the agent consumes and publishes to."""

    input: str = "change.check"
    price_update: str = "price.update"
    notify: str = "notify"
    storage: str = "storage-agent"


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """Judges messages with the settings that all of them share."""

    queues: Queues
    rules: Callable[[], PageRules]
    features: Features
    ids: Ids

    def needs_no_comparison(self, message: PageCheck, position: PagePosition) -> bool:
        """Whether the message was processed before, is outdated, or has the hash that is stored."""
        if position.version is None:
            return position.seen
        if position.seen or message.version < position.version:
            return True
        return message.snapshot_hash == position.snapshot_hash and not self.features.full_compare

    async def judge(
        self,
        share: Computing,
        key: MessageKey,
        message: PageCheck,
        extra: dict[str, Raw],
        position: PagePosition,
        stored: StoredPage | None,
        *,
        size: int,
    ) -> tuple[MessageOutcome, str]:
        """The outcome of a message, and its name: changed, unchanged, new, corrupt or late. Raises Overrun."""
        if position.seen or (position.version is not None and message.version < position.version):
            return self.minimal_outcome(key, message, position), "late"
        if self.needs_no_comparison(message, position):
            return self.unchanged_outcome(key, message, extra, position), "unchanged"
        # Importing this takes ten megabytes, which an unchanged page does not need.
        from driftline.bus.comparing import compare_message, outcome_of  # noqa: PLC0415

        comparison = await share.compute(size, compare_message, message, stored, self.rules())
        return outcome_of(self, key, message, extra, position, stored, comparison)

    def minimal_outcome(self, key: MessageKey, message: PageCheck, position: PagePosition) -> MessageOutcome:
        """The outcome that only records the message as processed."""
        return MessageOutcome(key=key, position=position, version=message.version, snapshot_hash=message.snapshot_hash)

    def unchanged_outcome(
        self,
        key: MessageKey,
        message: PageCheck,
        extra: dict[str, Raw],
        position: PagePosition,
        new_snapshot: NewSnapshot | None = None,
        diff: PageDiff | None = None,
    ) -> MessageOutcome:
        """The outcome of a page without changes: one message, to the storage queue."""
        answer = self.answer(message, position.version)
        return msgspec.structs.replace(
            self.minimal_outcome(key, message, position),
            new_snapshot=new_snapshot,
            suppressed=() if diff is None else diff.suppressed,
            outgoing=(Outgoing(self.ids(), self.queues.storage, encode(with_page(answer, extra), extra)),),
        )

    @staticmethod
    def answer(message: PageCheck, previous: int | None) -> PageChecked:
        """The output message of a page without changes."""
        return PageChecked(
            job_id=message.job_id,
            url=message.url,
            has_changes=False,
            previous_version=previous,
            current_version=message.version,
            version=VersionPair(previous=previous, current=message.version),
            snapshot_hash=message.snapshot_hash,
        )


def key_of(message: PageCheck) -> MessageKey:
    """The identity of a message (the same one again has the same key) and of its page."""
    parts = (message.job_id, message.url, str(message.version), message.snapshot_hash)
    return MessageKey(fingerprint(part.encode("utf-8", "surrogatepass") for part in parts), identity(message.url))


def identity(url: str) -> str:
    """A page's identity: its address without tracking, and with a fragment only where scripts route by it."""
    fragment = url.partition("#")[2]
    route = f"#{fragment}" if fragment.startswith(("/", "!")) else ""
    return f"{clean(url) or url.partition('#')[0]}{route}"
