"""One message judged: what it leaves in the store, and which queues hear of it. Pure, ids aside."""

from __future__ import annotations

import logging
from typing import Final

import msgspec
from msgspec import Raw

from driftline.bus.messages import Diff, PageCheck, PageChecked, written
from driftline.bus.pages import is_product, page_of, prices
from driftline.core.fingerprint import digest, fingerprint
from driftline.engine.ports import Ids
from driftline.errors import StoreCorrupt
from driftline.kinds.page.compare import PageDiff, compare
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.change import Finding
from driftline.model.passing import Asked, Fresh, Outgoing, Standing, Stored, Turn

log = logging.getLogger(__name__)

UNREADABLE: Final = "previous version cannot be read; the page is treated as new"


class Queues(msgspec.Struct, frozen=True, kw_only=True):
    """Where messages come from and go to."""

    input: str = "change.check"
    price_update: str = "price.update"
    notify: str = "notify"
    storage: str = "storage-agent"


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """What does not differ from message to message."""

    queues: Queues
    rules: PageRules
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
            return self._turn(asked, message, standing), "late"
        if self.same(message, standing):
            return self._unchanged(asked, message, extra, standing), "unchanged"
        page = page_of(message)
        try:
            before = None if stored is None else KIND.unpack(stored.state, stored.text, stored.blocks)
        except StoreCorrupt as error:
            log.warning(UNREADABLE, extra={"url": message.url, "problem": str(error)})
            return self._new(asked, message, extra, standing, page), "corrupt"
        if before is None or stored is None:
            return self._new(asked, message, extra, standing, page), "new"
        diff = compare(before, page, self.rules)
        fresh = self._fresh(page, standing) if diff.different else None
        if not diff.meaningful:
            return self._unchanged(asked, message, extra, standing, fresh, diff), "unchanged"
        return self._changed(asked, message, extra, standing, stored, fresh, diff), "changed"

    def _turn(self, asked: Asked, message: PageCheck, standing: Standing) -> Turn:
        return Turn(asked=asked, standing=standing, version=message.version, snapshot_hash=message.snapshot_hash)

    def _unchanged(
        self,
        asked: Asked,
        message: PageCheck,
        extra: dict[str, Raw],
        standing: Standing,
        fresh: Fresh | None = None,
        diff: PageDiff | None = None,
    ) -> Turn:
        told = self._told(message, standing.version)
        return msgspec.structs.replace(
            self._turn(asked, message, standing),
            fresh=fresh,
            suppressed=() if diff is None else diff.suppressed,
            outgoing=(Outgoing(self.ids(), self.queues.storage, written(told, extra)),),
        )

    def _new(self, asked: Asked, message: PageCheck, extra: dict[str, Raw], standing: Standing, page: ParsedPage) -> Turn:
        told = msgspec.structs.replace(self._told(message, None), is_new=True)
        return msgspec.structs.replace(
            self._turn(asked, message, standing),
            fresh=self._fresh(page, standing),
            outgoing=(Outgoing(self.ids(), self.queues.storage, written(told, extra)),),
        )

    def _changed(
        self,
        asked: Asked,
        message: PageCheck,
        extra: dict[str, Raw],
        standing: Standing,
        stored: Stored,
        fresh: Fresh | None,
        diff: PageDiff,
    ) -> Turn:
        told = msgspec.structs.replace(
            self._told(message, standing.version), has_changes=True, diff=_short(diff), changes=diff.changes
        )
        body = written(told, extra)
        outgoing = [Outgoing(self.ids(), self.queues.notify, body), Outgoing(self.ids(), self.queues.storage, body)]
        if is_product(message) and (found := prices(message)):
            priced = written(msgspec.structs.replace(told, prices=found), extra)
            outgoing.insert(0, Outgoing(self.ids(), self.queues.price_update, priced))
        version = {"previous": standing.version, "current": message.version}
        return msgspec.structs.replace(
            self._turn(asked, message, standing),
            fresh=fresh,
            previous_snapshot_id=stored.snapshot_id,
            findings=tuple(_versioned(finding, message.url, version) for finding in diff.findings),
            suppressed=diff.suppressed,
            outgoing=tuple(outgoing),
        )

    @staticmethod
    def _told(message: PageCheck, previous: int | None) -> PageChecked:
        return PageChecked(
            job_id=message.job_id,
            url=message.url,
            has_changes=False,
            previous_version=previous,
            current_version=message.version,
            snapshot_hash=message.snapshot_hash,
        )

    def _fresh(self, page: ParsedPage, standing: Standing) -> Fresh:
        packed = KIND.pack(page, self.features)
        return Fresh(
            item_id=standing.item_id or self.ids(),
            snapshot_id=self.ids(),
            title=page.title,
            fingerprint=digest(page.signature),
            state=packed.state,
            text=packed.text,
            blocks=packed.blocks,
            content_hash=packed.content_hash,
        )


def asked_of(message: PageCheck) -> Asked:
    """What makes a message the same one again."""
    parts = (message.job_id, message.url, str(message.version), message.snapshot_hash)
    return Asked(fingerprint(part.encode("utf-8", "surrogatepass") for part in parts), message.url)


def _short(diff: PageDiff) -> Diff:
    changes = diff.changes
    images = changes["images"]
    return Diff(
        title_changed=changes["title"]["changed"],
        text_diff=changes["text"]["diffSnippet"],
        metadata_changes=changes["metadata"],
        image_changes={"added": images["added"], "removed": images["removed"]},
        price_changed="price" in changes,
    )


def _versioned(finding: Finding, url: str, version: dict[str, int | None]) -> Finding:
    return msgspec.structs.replace(finding, key=url, diff={**(finding.diff or {}), "version": version})
