"""Messages of pages that are new or different: the page is read, compared with its stored version, and told."""

from __future__ import annotations

import logging
from typing import Final

import msgspec
from msgspec import Raw

from driftline.bus.messages import Diff, PageCheck, written
from driftline.bus.pages import is_product, page_of, prices
from driftline.bus.verdict import Judge
from driftline.core.fingerprint import digest
from driftline.errors import StoreCorrupt
from driftline.kinds.page.compare import PageDiff, compare
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.model.change import Finding
from driftline.model.passing import Asked, Fresh, Outgoing, Standing, Stored, Turn

log = logging.getLogger(__name__)

UNREADABLE: Final = "previous version cannot be read; the page is treated as new"


def compared(
    judge: Judge, asked: Asked, message: PageCheck, extra: dict[str, Raw], standing: Standing, stored: Stored | None
) -> tuple[Turn, str]:
    """The turn, and what it was: changed, unchanged, new or corrupt."""
    page = page_of(message)
    try:
        before = None if stored is None else KIND.unpack(stored.state, stored.text, stored.blocks)
    except StoreCorrupt as error:
        log.warning(UNREADABLE, extra={"url": message.url, "problem": str(error)})
        return _new(judge, asked, message, extra, standing, page), "corrupt"
    if before is None or stored is None:
        return _new(judge, asked, message, extra, standing, page), "new"
    diff = compare(before, page, judge.rules())
    fresh = _fresh(judge, page, standing) if diff.different else None
    if not diff.meaningful:
        return judge.unchanged(asked, message, extra, standing, fresh, diff), "unchanged"
    return _changed(judge, asked, message, extra, standing, stored, fresh, diff), "changed"


def _new(judge: Judge, asked: Asked, message: PageCheck, extra: dict[str, Raw], standing: Standing, page: ParsedPage) -> Turn:
    told = msgspec.structs.replace(judge.told(message, None), is_new=True)
    return msgspec.structs.replace(
        judge.plain(asked, message, standing),
        fresh=_fresh(judge, page, standing),
        outgoing=(Outgoing(judge.ids(), judge.queues.storage, written(told, extra)),),
    )


def _changed(
    judge: Judge,
    asked: Asked,
    message: PageCheck,
    extra: dict[str, Raw],
    standing: Standing,
    stored: Stored,
    fresh: Fresh | None,
    diff: PageDiff,
) -> Turn:
    told = msgspec.structs.replace(
        judge.told(message, standing.version), has_changes=True, diff=_short(diff), changes=diff.changes
    )
    body = written(told, extra)
    outgoing = [Outgoing(judge.ids(), judge.queues.notify, body), Outgoing(judge.ids(), judge.queues.storage, body)]
    if is_product(message) and (found := prices(message)):
        priced = written(msgspec.structs.replace(told, prices=found), extra)
        outgoing.insert(0, Outgoing(judge.ids(), judge.queues.price_update, priced))
    version = {"previous": standing.version, "current": message.version}
    return msgspec.structs.replace(
        judge.plain(asked, message, standing),
        fresh=fresh,
        previous_snapshot_id=stored.snapshot_id,
        findings=tuple(_versioned(finding, message.url, version) for finding in diff.findings),
        suppressed=diff.suppressed,
        outgoing=tuple(outgoing),
    )


def _fresh(judge: Judge, page: ParsedPage, standing: Standing) -> Fresh:
    packed = KIND.pack(page, judge.features)
    return Fresh(
        item_id=standing.item_id or judge.ids(),
        snapshot_id=judge.ids(),
        title=page.title,
        fingerprint=digest(page.signature),
        state=packed.state,
        text=packed.text,
        blocks=packed.blocks,
        content_hash=packed.content_hash,
    )


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
