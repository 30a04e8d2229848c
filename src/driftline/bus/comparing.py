"""Judges messages about new or different pages: build the page, compare it with the stored version, write the messages."""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
from msgspec import Raw

from driftline.bus.comparable import PRICES, comparable
from driftline.bus.messages import Diff, PageCheck, encode, with_page
from driftline.bus.pages import is_product, page_of, prices
from driftline.bus.verdict import Judge
from driftline.core.identity.fingerprint import digest
from driftline.errors import StoreCorrupt
from driftline.kinds.page.compare.fields import metadata_changes
from driftline.kinds.page.diff import PageDiff, compare
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.agent import MessageKey, MessageOutcome, NewSnapshot, Outgoing, PagePosition, StoredPage
from driftline.model.change import Finding

log = logging.getLogger(__name__)

UNREADABLE: Final = "previous version cannot be read; the page is treated as new"


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A message's page and how it differs from its stored version."""

    page: ParsedPage
    diff: PageDiff | None = None  # None where there is no version to compare with
    fields: dict[str, Any] = {}  # every metadata field that differs, noise included
    jaccard: float = 1.0  # similarity of the texts' shingles; computed for changed pages only
    problem: str = ""  # why the stored version cannot be read


def compare_message(message: PageCheck, stored: StoredPage | None, rules: PageRules) -> Comparison:
    """Build and compare; this is the expensive part, which runs in a child process for large pages."""
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


def outcome_of(
    judge: Judge,
    key: MessageKey,
    message: PageCheck,
    extra: dict[str, Raw],
    position: PagePosition,
    stored: StoredPage | None,
    comparison: Comparison,
) -> tuple[MessageOutcome, str]:
    """The outcome of a compared message, and its name: changed, unchanged, new or corrupt."""
    page, diff = comparison.page, comparison.diff
    if comparison.problem:
        log.warning(UNREADABLE, extra={"url": message.url, "problem": comparison.problem})
        return _new_page(judge, key, message, extra, position, page), "corrupt"
    if diff is None or stored is None:
        return _new_page(judge, key, message, extra, position, page), "new"
    new_snapshot = _new_snapshot(judge, page, position) if diff.stored else None
    if not diff.meaningful:
        return judge.unchanged_outcome(key, message, extra, position, new_snapshot, diff), "unchanged"
    return _changed_page(judge, key, message, extra, position, stored, new_snapshot, diff, comparison), "changed"


def _new_page(
    judge: Judge, key: MessageKey, message: PageCheck, extra: dict[str, Raw], position: PagePosition, page: ParsedPage
) -> MessageOutcome:
    answer = msgspec.structs.replace(judge.answer(message, None), is_new=True)
    return msgspec.structs.replace(
        judge.minimal_outcome(key, message, position),
        new_snapshot=_new_snapshot(judge, page, position),
        outgoing=(Outgoing(judge.ids(), judge.queues.storage, encode(with_page(answer, extra), extra)),),
    )


def _changed_page(
    judge: Judge,
    key: MessageKey,
    message: PageCheck,
    extra: dict[str, Raw],
    position: PagePosition,
    stored: StoredPage,
    new_snapshot: NewSnapshot | None,
    diff: PageDiff,
    comparison: Comparison,
) -> MessageOutcome:
    text = diff.changes["text"] | {"jaccard": round(comparison.jaccard, 4)}
    answer = msgspec.structs.replace(
        judge.answer(message, position.version),
        has_changes=True,
        diff=_summary_diff(diff, comparison.fields),
        changes=diff.changes | {"text": text},
    )
    outgoing = [
        Outgoing(judge.ids(), judge.queues.notify, encode(answer, extra)),
        Outgoing(judge.ids(), judge.queues.storage, encode(with_page(answer, extra), extra)),
    ]
    if is_product(message) and (found := prices(message)):
        priced = encode(msgspec.structs.replace(answer, prices=found), extra)
        outgoing.insert(0, Outgoing(judge.ids(), judge.queues.price_update, priced))
    version = {"previous": position.version, "current": message.version}
    return msgspec.structs.replace(
        judge.minimal_outcome(key, message, position),
        new_snapshot=new_snapshot,
        previous_snapshot_id=stored.snapshot_id,
        findings=tuple(_versioned(finding, key.url, version) for finding in diff.findings),
        suppressed=diff.suppressed,
        outgoing=tuple(outgoing),
    )


def _new_snapshot(judge: Judge, page: ParsedPage, position: PagePosition) -> NewSnapshot:
    packed = KIND.pack(page, judge.features)
    return NewSnapshot(
        item_id=position.item_id or judge.ids(),
        snapshot_id=judge.ids(),
        title=page.title,
        fingerprint=digest(page.signature),
        state=packed.state,
        text=packed.text,
        blocks=packed.blocks,
        content_hash=packed.content_hash,
    )


def _summary_diff(diff: PageDiff, fields: dict[str, Any]) -> Diff:
    """The short `diff` field; its metadata lists every field that differs, even one that repeats the title."""
    changes = diff.changes
    images = changes["images"]
    return Diff(
        title_changed=changes["title"]["changed"],
        text_diff=changes["text"]["diffSnippet"],
        metadata_changes=fields,
        image_changes={name: images[name] for name in ("added", "removed", "hero") if images[name] is not None},
        price_changed="price" in changes or PRICES in changes["metadata"],
    )


def _versioned(finding: Finding, url: str, version: dict[str, int | None]) -> Finding:
    return msgspec.structs.replace(finding, key=url, diff={**(finding.diff or {}), "version": version})
