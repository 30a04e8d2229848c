"""Two pages compared at every level: what counts, how much, and what to tell people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec

from driftline.core.diff import below, critical_tokens, jaccard, similarity
from driftline.core.diff_rows import Row, rows
from driftline.core.patterns import any_found, parse_patterns
from driftline.core.severity import CHANGE_TYPES, ContentFacts, content_severity, worst
from driftline.kinds.page import aside, headline
from driftline.kinds.page.block_diff import block_changes
from driftline.kinds.page.diff import TextDiff, text_diff
from driftline.kinds.page.document import document, rows_document
from driftline.kinds.page.levels import Levels, OfferChange, levels
from driftline.kinds.page.masks import Cover, Edit, learn
from driftline.kinds.page.metadata_masks import masks_of_metadata
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.told import untold
from driftline.model.change import Block, Finding, Severity, Suppressed
from driftline.model.item import Mask


class PageDiff(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What changed between two pages."""

    meaningful: bool  # something is worth telling
    different: bool  # something besides noise differs, told or not: the next version is stored
    severity: Severity
    headline: str
    similarity: float  # of the texts, noise removed
    changes: dict[str, Any]  # the structured document
    findings: tuple[Finding, ...] = ()
    blocks: tuple[Block, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # raw differences that were not told, and why
    rows: tuple[Row, ...] = ()  # the diff for people; core.render_diff makes text, HTML and Markdown of it
    texts: tuple[str, str] | None = None  # as they were compared, noise replaced; None: equal, or the old one was not kept

    @cached_property
    def jaccard(self) -> float:
        """Shared 3-word shingles of the texts; of their lines where the old text was not kept."""
        return jaccard(*self.texts) if self.texts is not None else self.similarity


def compare(before: ParsedPage, after: ParsedPage, rules: PageRules, masks: Sequence[Mask] = ()) -> PageDiff:
    """The difference of two complete pages."""
    cover = Cover(() if after.literal else masks)
    text = text_diff(before, after, cover)
    level = levels(before, after, cover)
    edits = [*untold(text.edits, level.offers), *aside.rewritten(before, after)]
    alike = _alike(text, before, after)
    suppressed = [*text.suppressed, *level.suppressed]
    counted = edits if _counts(edits, text, alike, rules) else []
    if edits and not counted:
        suppressed.append(Suppressed(rule=f"similarity {alike:.3f} is not below {rules.text_threshold:g}", place="text"))
    content = bool(counted or level.besides_offers)
    if content and rules.trigger_text and not _triggered(counted, rules):
        suppressed.append(Suppressed(rule="trigger_text did not match"))
        content = False
    shown = tuple(rows(*text.lines, ops=text.ops)) if counted else ()
    changes = document(before, after, level, counted, shown, alike)
    findings = [_offer_finding(change, after) for change in level.offers]
    blocks: tuple[Block, ...] = ()
    if content:
        blocks, others = block_changes(before.blocks, after.blocks, counted, literal=after.literal)
        findings.append(
            Finding(
                type="content",
                severity=content_severity(_facts(counted, level, alike, before, rules)),
                headline=headline.of_content(level, others, blocks, text.lines),
                url=after.url,
                before={"title": before.title},
                after={"title": after.title},
                diff={"changes": changes, "rows": rows_document(shown)},
                blocks=blocks,
            )
        )
    return PageDiff(
        meaningful=bool(findings),
        different=bool(edits or level.besides_offers or level.offers),
        severity=worst([finding.severity for finding in findings]),
        headline="; ".join(finding.headline for finding in findings) or "Nothing changed",
        similarity=alike,
        changes=changes,
        findings=tuple(findings),
        blocks=blocks,
        suppressed=tuple(suppressed),
        rows=shown,
        texts=(text.before, text.after) if text.edits and text.before is not None else None,
    )


def learn_masks(one: ParsedPage, other: ParsedPage, *, evidence: str, at: datetime) -> list[Mask]:
    """Masks for whatever differs between two states of a page that should be the same; none on a part that was selected."""
    if one.literal or other.literal or one.text is None or other.text is None:
        return []
    text = text_diff(one, other, Cover(()))
    masks = learn(one, other, text.edits, text.sides, evidence=evidence, at=at)
    return [*masks, *masks_of_metadata(one, other, evidence=evidence, at=at)]


def _alike(text: TextDiff, before: ParsedPage, after: ParsedPage) -> float:
    """Similarity of the texts; where the old one was not kept, the part of lines that stayed."""
    if not text.edits:
        return 1.0
    if text.before is not None:
        size = max(len(text.before), len(text.after), 1)  # what masks cover is as long as it was, and alike
        return 1.0 - (1.0 - similarity(text.before, text.after)) * size / (size + text.covered)
    old, new = Counter(_eights(before.marks)), Counter(_eights(after.marks))
    return (old & new).total() / max(old.total(), new.total(), 1)


def _eights(marks: bytes) -> list[bytes]:
    return [marks[at : at + 8] for at in range(0, len(marks), 8)]


def _counts(edits: Sequence[Edit], text: TextDiff, alike: float, rules: PageRules) -> bool:
    """Whether the text counts as changed under the watch's sensitivity."""
    if not edits or rules.sensitivity == "any":
        return bool(edits)
    if text.before is None:
        return alike < rules.text_threshold or any(edit.after and critical_tokens(edit.after) for edit in edits)
    if below(text.before, text.after, rules.text_threshold):
        return True
    old: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for edit in edits:
        old += critical_tokens(edit.before or "")
        new += critical_tokens(edit.after or "")
    return old != new


def _triggered(edits: Sequence[Edit], rules: PageRules) -> bool:
    patterns = parse_patterns(rules.trigger_text)
    sides = [side for edit in edits if edit.action != "moved" for side in (edit.before, edit.after) if side]
    return any(any_found(patterns, side) is not None for side in sides)


def _facts(edits: Sequence[Edit], level: Levels, alike: float, before: ParsedPage, rules: PageRules) -> ContentFacts:
    return ContentFacts(
        similarity=alike,
        threshold=rules.text_threshold,
        title=level.title is not None,
        text=bool(edits),
        removed_share=_removed_share(edits, before),
        edits=len(edits),
        links=sum(len(pointers.added) + len(pointers.removed) for pointers in level.links.values()),
        images=len(level.images.added) + len(level.images.removed) + len(level.images.alts),
        metadata=len(level.metadata),
    )


def _removed_share(edits: Sequence[Edit], before: ParsedPage) -> float:
    """The largest run of removed lines, as a part of the text before."""
    if not before.text:
        return 0.0
    largest = run = 0
    for edit in edits:
        run = run + len(edit.before or "") if edit.action == "removed" else 0
        largest = max(largest, run)
    return largest / len(before.text)


def _offer_finding(change: OfferChange, page: ParsedPage) -> Finding:
    changed = {"before": change.before, "after": change.after, "changed": True}
    return Finding(
        type=change.type,
        severity=CHANGE_TYPES[change.type].severity,
        headline=headline.of_offer(change),
        url=page.url,
        before=dict(change.before),
        after=dict(change.after),
        diff={"changes": {change.level: changed}},
    )
