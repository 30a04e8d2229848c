"""One message judged: what it leaves in the store, and which queues hear of it. Pure, ids aside.

Most messages are of pages that did not change, by their hash. Those are dealt with here alone: an agent takes what compares
pages into its memory when it meets the first one that is new or different (`bus/comparing.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from driftline.bus.messages import PageCheck, PageChecked, written
from driftline.core.fingerprint import fingerprint
from driftline.engine.ports import Ids
from driftline.model.account import Features
from driftline.model.passing import Asked, Fresh, Outgoing, Standing, Stored, Turn

if TYPE_CHECKING:
    from driftline.kinds.page.compare import PageDiff
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

    def same(self, message: PageCheck, standing: Standing) -> bool:
        """Whether the page need not be looked at: seen, too late, or of the same hash."""
        if standing.version is None:
            return standing.seen
        if standing.seen or message.version < standing.version:
            return True
        return message.snapshot_hash == standing.snapshot_hash and not self.features.full_compare

    def turn(
        self, asked: Asked, message: PageCheck, extra: dict[str, Raw], standing: Standing, stored: Stored | None
    ) -> tuple[Turn, str]:
        """The turn, and what it was: changed, unchanged, new, corrupt or late."""
        if standing.seen or (standing.version is not None and message.version < standing.version):
            return self.plain(asked, message, standing), "late"
        if self.same(message, standing):
            return self.unchanged(asked, message, extra, standing), "unchanged"
        from driftline.bus.comparing import compared  # noqa: PLC0415 - ten megabytes, which a known hash does not need

        return compared(self, asked, message, extra, standing, stored)

    def plain(self, asked: Asked, message: PageCheck, standing: Standing) -> Turn:
        """What every message leaves behind."""
        return Turn(asked=asked, standing=standing, version=message.version, snapshot_hash=message.snapshot_hash)

    def unchanged(
        self,
        asked: Asked,
        message: PageCheck,
        extra: dict[str, Raw],
        standing: Standing,
        fresh: Fresh | None = None,
        diff: PageDiff | None = None,
    ) -> Turn:
        """Told to the storage alone."""
        told = self.told(message, standing.version)
        return msgspec.structs.replace(
            self.plain(asked, message, standing),
            fresh=fresh,
            suppressed=() if diff is None else diff.suppressed,
            outgoing=(Outgoing(self.ids(), self.queues.storage, written(told, extra)),),
        )

    @staticmethod
    def told(message: PageCheck, previous: int | None) -> PageChecked:
        """The message of a page without changes."""
        return PageChecked(
            job_id=message.job_id,
            url=message.url,
            has_changes=False,
            previous_version=previous,
            current_version=message.version,
            snapshot_hash=message.snapshot_hash,
        )


def asked_of(message: PageCheck) -> Asked:
    """What makes a message the same one again."""
    parts = (message.job_id, message.url, str(message.version), message.snapshot_hash)
    return Asked(fingerprint(part.encode("utf-8", "surrogatepass") for part in parts), message.url)
