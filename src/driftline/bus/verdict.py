"""One message judged: what it leaves in the store, and which queues hear of it. Pure, but for ids and children.

Most messages are of pages that did not change, by their hash. Those are dealt with here alone: an agent takes what compares
pages into its memory when it meets the first one that is new or different (`bus/comparing.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from driftline.bus.messages import PageCheck, PageChecked, VersionPair, with_page, written
from driftline.core.identity.fingerprint import fingerprint
from driftline.core.identity.urls import clean
from driftline.engine.ports import Computing, Ids
from driftline.model.account import Features
from driftline.model.agent import Fresh, MessageKey, Outgoing, PagePosition, Stored, Turn

if TYPE_CHECKING:
    from driftline.kinds.page.diff import PageDiff
    from driftline.kinds.page.rules import PageRules


class Queues(msgspec.Struct, frozen=True, kw_only=True):
    """Where messages come from and go to."""

    input: str = "change.check"
    price_update: str = "price.update"
    notify: str = "notify"
    storage: str = "storage-agent"


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """What does not differ from message to message."""

    queues: Queues
    rules: Callable[[], PageRules]
    features: Features
    ids: Ids

    def same(self, message: PageCheck, standing: PagePosition) -> bool:
        """Whether the page need not be looked at: seen, too late, or of the same hash."""
        if standing.version is None:
            return standing.seen
        if standing.seen or message.version < standing.version:
            return True
        return message.snapshot_hash == standing.snapshot_hash and not self.features.full_compare

    async def turn(
        self,
        share: Computing,
        asked: MessageKey,
        message: PageCheck,
        extra: dict[str, Raw],
        standing: PagePosition,
        stored: Stored | None,
        *,
        size: int,
    ) -> tuple[Turn, str]:
        """The turn, and what it was: changed, unchanged, new, corrupt or late. Raises Overrun."""
        if standing.seen or (standing.version is not None and message.version < standing.version):
            return self.plain(asked, message, standing), "late"
        if self.same(message, standing):
            return self.unchanged(asked, message, extra, standing), "unchanged"
        # Ten megabytes, which a known hash does not need.
        from driftline.bus.comparing import compare_message, compared  # noqa: PLC0415

        comparison = await share.compute(size, compare_message, message, stored, self.rules())
        return compared(self, asked, message, extra, standing, stored, comparison)

    def plain(self, asked: MessageKey, message: PageCheck, standing: PagePosition) -> Turn:
        """What every message leaves behind."""
        return Turn(asked=asked, standing=standing, version=message.version, snapshot_hash=message.snapshot_hash)

    def unchanged(
        self,
        asked: MessageKey,
        message: PageCheck,
        extra: dict[str, Raw],
        standing: PagePosition,
        fresh: Fresh | None = None,
        diff: PageDiff | None = None,
    ) -> Turn:
        """Told to the storage alone."""
        answer = self.answer(message, standing.version)
        return msgspec.structs.replace(
            self.plain(asked, message, standing),
            fresh=fresh,
            suppressed=() if diff is None else diff.suppressed,
            outgoing=(Outgoing(self.ids(), self.queues.storage, written(with_page(answer, extra), extra)),),
        )

    @staticmethod
    def answer(message: PageCheck, previous: int | None) -> PageChecked:
        """The message of a page without changes."""
        return PageChecked(
            job_id=message.job_id,
            url=message.url,
            has_changes=False,
            previous_version=previous,
            current_version=message.version,
            version=VersionPair(previous=previous, current=message.version),
            snapshot_hash=message.snapshot_hash,
        )


def asked_of(message: PageCheck) -> MessageKey:
    """What makes a message the same one again, and the page that it is about."""
    parts = (message.job_id, message.url, str(message.version), message.snapshot_hash)
    return MessageKey(fingerprint(part.encode("utf-8", "surrogatepass") for part in parts), identity(message.url))


def identity(url: str) -> str:
    """What a page is known by: its address without tracking; a fragment counts where scripts make pages of it."""
    fragment = url.partition("#")[2]
    route = f"#{fragment}" if fragment.startswith(("/", "!")) else ""
    return f"{clean(url) or url.partition('#')[0]}{route}"
