"""Messages of pages that are new or different: the page is read, compared with its stored version, and told."""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
from msgspec import Raw

from driftline.bus.comparable import PRICES, comparable
from driftline.bus.messages import Diff, PageCheck, with_page, written
from driftline.bus.pages import is_product, page_of, prices
from driftline.bus.verdict import Judge
from driftline.core.identity.fingerprint import digest
from driftline.errors import StoreCorrupt
from driftline.kinds.page.compare.fields import metadata_changes
from driftline.kinds.page.diff import PageDiff, compare
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.agent import Fresh, MessageKey, Outgoing, PagePosition, Stored, Turn
from driftline.model.change import Finding

log = logging.getLogger(__name__)

UNREADABLE: Final = "previous version cannot be read; the page is treated as new"


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A message's page beside its stored version."""

    page: ParsedPage
    diff: PageDiff | None = None  # None where there is no version to compare with
    fields: dict[str, Any] = {}  # every field of metadata that differs, be it noise
    jaccard: float = 1.0  # of the texts' shingles; counted for pages that changed
    problem: str = ""  # why the stored version cannot be read


def compare_message(message: PageCheck, stored: Stored | None, rules: PageRules) -> Comparison:
    """All that takes time, for a child to do where it is much."""
    page = page_of(message)
    if stored is None:
        return Comparison(page=page)
    try:
        before = KIND.unpack(stored.state, stored.text, stored.blocks)
    except StoreCorrupt as error:
        return Comparison(page=page, problem=str(error))
    old, new = comparable(before, page)
    fields = {key: pair._asdict() for key, pair in metadata_changes(old, new).items() if key != PRICES}
    diff = compare(old, new, rules)
    return Comparison(page=page, diff=diff, fields=fields, jaccard=diff.jaccard if diff.meaningful else 1.0)


def compared(
    judge: Judge,
    asked: MessageKey,
    message: PageCheck,
    extra: dict[str, Raw],
    standing: PagePosition,
    stored: Stored | None,
    comparison: Comparison,
) -> tuple[Turn, str]:
    """The turn, and what it was: changed, unchanged, new or corrupt."""
    page, diff = comparison.page, comparison.diff
    if comparison.problem:
        log.warning(UNREADABLE, extra={"url": message.url, "problem": comparison.problem})
        return _new(judge, asked, message, extra, standing, page), "corrupt"
    if diff is None or stored is None:
        return _new(judge, asked, message, extra, standing, page), "new"
    fresh = _fresh(judge, page, standing) if diff.stored else None
    if not diff.meaningful:
        return judge.unchanged(asked, message, extra, standing, fresh, diff), "unchanged"
    return _changed(judge, asked, message, extra, standing, stored, fresh, diff, comparison), "changed"


def _new(
    judge: Judge, asked: MessageKey, message: PageCheck, extra: dict[str, Raw], standing: PagePosition, page: ParsedPage
) -> Turn:
    answer = msgspec.structs.replace(judge.answer(message, None), is_new=True)
    return msgspec.structs.replace(
        judge.plain(asked, message, standing),
        fresh=_fresh(judge, page, standing),
        outgoing=(Outgoing(judge.ids(), judge.queues.storage, written(with_page(answer, extra), extra)),),
    )


def _changed(
    judge: Judge,
    asked: MessageKey,
    message: PageCheck,
    extra: dict[str, Raw],
    standing: PagePosition,
    stored: Stored,
    fresh: Fresh | None,
    diff: PageDiff,
    comparison: Comparison,
) -> Turn:
    text = diff.changes["text"] | {"jaccard": round(comparison.jaccard, 4)}
    answer = msgspec.structs.replace(
        judge.answer(message, standing.version),
        has_changes=True,
        diff=_short(diff, comparison.fields),
        changes=diff.changes | {"text": text},
    )
    outgoing = [
        Outgoing(judge.ids(), judge.queues.notify, written(answer, extra)),
        Outgoing(judge.ids(), judge.queues.storage, written(with_page(answer, extra), extra)),
    ]
    if is_product(message) and (found := prices(message)):
        priced = written(msgspec.structs.replace(answer, prices=found), extra)
        outgoing.insert(0, Outgoing(judge.ids(), judge.queues.price_update, priced))
    version = {"previous": standing.version, "current": message.version}
    return msgspec.structs.replace(
        judge.plain(asked, message, standing),
        fresh=fresh,
        previous_snapshot_id=stored.snapshot_id,
        findings=tuple(_versioned(finding, asked.url, version) for finding in diff.findings),
        suppressed=diff.suppressed,
        outgoing=tuple(outgoing),
    )


def _fresh(judge: Judge, page: ParsedPage, standing: PagePosition) -> Fresh:
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


def _short(diff: PageDiff, fields: dict[str, Any]) -> Diff:
    """The short form; of metadata all that differs, also what only repeats the title."""
    changes = diff.changes
    images = changes["images"]
    return Diff(
        title_changed=changes["title"]["changed"],
        text_diff=changes["text"]["diffSnippet"],
        metadata_changes=fields,
        image_changes={"added": images["added"], "removed": images["removed"]},
        price_changed="price" in changes or PRICES in changes["metadata"],
    )


def _versioned(finding: Finding, url: str, version: dict[str, int | None]) -> Finding:
    return msgspec.structs.replace(finding, key=url, diff={**(finding.diff or {}), "version": version})
