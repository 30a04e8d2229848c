"""Two pages compared at every level: what counts, how much, and what to tell people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from driftline.core.diff import below, critical_tokens, jaccard, mark_words, similarity
from driftline.core.patterns import any_found, parse_patterns
from driftline.core.severity import CHANGE_TYPES, ContentFacts, content_severity, worst
from driftline.kinds.page import headline
from driftline.kinds.page.block_diff import block_changes
from driftline.kinds.page.diff import TextDiff, text_diff
from driftline.kinds.page.levels import (
    OfferChange,
    Pair,
    Pictures,
    Pointers,
    image_changes,
    link_changes,
    metadata_changes,
    offer_changes,
    title_change,
    without_offer,
)
from driftline.kinds.page.masks import Cover, Edit, learn
from driftline.kinds.page.page import ParsedPage, Role
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.told import untold
from driftline.model.change import Block, Finding, Severity, Suppressed
from driftline.model.item import Mask

MAX_TEXT: Final = 20_000  # characters of each side's text that a document carries
MAX_SNIPPET: Final = 2_000
MAX_LISTED: Final = 200  # addresses of a kind


class PageDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What changed between two pages."""

    meaningful: bool  # something is worth telling
    different: bool  # something besides noise differs, told or not: the next version is stored
    severity: Severity
    headline: str
    similarity: float  # of the texts, noise removed
    jaccard: float
    changes: dict[str, Any]  # the structured document
    findings: tuple[Finding, ...] = ()
    blocks: tuple[Block, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # raw differences that were not told, and why


def compare(before: ParsedPage, after: ParsedPage, rules: PageRules, masks: Sequence[Mask] = ()) -> PageDiff:
    """The difference of two complete pages."""
    cover = Cover(() if after.literal else masks)
    text = text_diff(before, after, cover)
    title, quiet = title_change(before, after)
    metadata, muted = metadata_changes(before, after)
    images, unseen = image_changes(before, after, cover)
    links, unfollowed = link_changes(before, after, cover)
    offers = offer_changes(before.offer, after.offer)
    edits = untold(text.edits, offers)
    metadata = without_offer(metadata, offers)
    alike = _alike(text, before, after)
    counted = _counts(edits, text, alike, rules)
    suppressed = [*text.suppressed, *quiet, *muted, *unseen, *unfollowed]
    if edits and not counted:
        suppressed.append(Suppressed(rule=f"similarity {alike:.3f} is not below {rules.text_threshold:g}", place="text"))
    told = edits if counted else []
    blocks = block_changes(
        before.blocks,
        after.blocks,
        [side for edit in told for side in (edit.before, edit.after) if side],
        literal=after.literal,
    )
    content = bool(told or title or metadata or images or links)
    if content and rules.trigger_text and not _triggered(told, rules):
        suppressed.append(Suppressed(rule="trigger_text did not match"))
        content = False
    document = _document(
        before,
        after,
        text=text,
        edits=told,
        title=title,
        metadata=metadata,
        images=images,
        links=links,
        offers=offers,
        alike=alike,
    )
    findings = [_offer_finding(change, after, document) for change in offers]
    if content:
        facts = ContentFacts(
            similarity=alike,
            threshold=rules.text_threshold,
            title=title is not None,
            text=bool(told),
            removed_share=_removed_share(told, before),
            edits=len(told),
            links=sum(len(pointers.added) + len(pointers.removed) for pointers in links.values()),
            images=len(images.added) + len(images.removed),
            metadata=len(metadata),
        )
        line = headline.of_content(title=title, edits=told, blocks=blocks, images=images, links=links, metadata=metadata)
        findings.append(_content_finding(line, content_severity(facts), before, after, document, blocks))
    return PageDiff(
        meaningful=bool(findings),
        different=bool(edits or title or metadata or images or links or offers),
        severity=worst([finding.severity for finding in findings]),
        headline="; ".join(finding.headline for finding in findings) or "Nothing changed",
        similarity=alike,
        jaccard=1.0 if text.before is None else jaccard(text.before, text.after),
        changes=document,
        findings=tuple(findings),
        blocks=blocks,
        suppressed=tuple(suppressed),
    )


def learn_masks(one: ParsedPage, other: ParsedPage, *, evidence: str, at: datetime) -> list[Mask]:
    """Masks for whatever differs between two states of a page that should be the same; none on a part that was selected."""
    if one.literal or other.literal or one.text is None or other.text is None:
        return []
    text = text_diff(one, other, Cover(()))
    return learn(one, other, text.edits, text.sides, evidence=evidence, at=at)


def _alike(text: TextDiff, before: ParsedPage, after: ParsedPage) -> float:
    """Similarity of the texts; where the old one was not kept, the part of lines that stayed."""
    if not text.edits:
        return 1.0
    if text.before is not None:
        return similarity(text.before, text.after)
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
    return any(
        any_found(patterns, side) is not None
        for edit in edits
        if edit.action != "moved"
        for side in (edit.before, edit.after)
        if side
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


def _offer_finding(change: OfferChange, page: ParsedPage, document: Mapping[str, Any]) -> Finding:
    return Finding(
        type=change.type,
        severity=CHANGE_TYPES[change.type].severity,
        headline=headline.of_offer(change),
        url=page.url,
        before=dict(change.before),
        after=dict(change.after),
        diff={
            "changes": {
                "price" if change.type.startswith("price") else "availability": {
                    "before": change.before,
                    "after": change.after,
                    "changed": True,
                }
            }
        },
    )


def _content_finding(
    line: str, severity: Severity, before: ParsedPage, after: ParsedPage, document: dict[str, Any], blocks: tuple[Block, ...]
) -> Finding:
    return Finding(
        type="content",
        severity=severity,
        headline=line,
        url=after.url,
        before={"title": before.title},
        after={"title": after.title},
        diff={"changes": document},
        blocks=blocks,
    )


def _document(
    before: ParsedPage,
    after: ParsedPage,
    *,
    text: TextDiff,
    edits: Sequence[Edit],
    title: Pair | None,
    metadata: Mapping[str, Pair],
    images: Pictures,
    links: Mapping[Role, Pointers],
    offers: Sequence[OfferChange],
    alike: float,
) -> dict[str, Any]:
    """The structured document: every level with before, after and whether it changed."""
    content = links.get("content", Pointers())
    document: dict[str, Any] = {
        "title": {"before": before.title, "after": after.title, "changed": title is not None},
        "description": {"before": before.description, "after": after.description, "changed": "description" in metadata},
        "text": {
            "before": None if before.text is None else _cut(before.text) if edits else _cut(before.text),
            "after": _cut(after.text or ""),
            "diffSnippet": _snippet(edits),
            "changed": bool(edits),
            "similarity": round(alike, 4),
            "lines": dict(Counter(edit.action for edit in edits)),
        },
        "images": {
            "added": list(images.added[:MAX_LISTED]),
            "removed": list(images.removed[:MAX_LISTED]),
            "hero": None if images.hero is None else images.hero._asdict(),
            "changed": bool(images),
        },
        "metadata": {key: pair._asdict() for key, pair in metadata.items()},
        "links": {
            "added": list(content.added[:MAX_LISTED]),
            "removed": list(content.removed[:MAX_LISTED]),
            "changed": bool(links),
            **{
                role: {"added": list(pointers.added[:MAX_LISTED]), "removed": list(pointers.removed[:MAX_LISTED])}
                for role, pointers in links.items()
                if role != "content"
            },
        },
    }
    for change in offers:
        name = "price" if change.type.startswith("price") else "availability"
        document[name] = {"before": change.before, "after": change.after, "changed": True}
    return document


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def _snippet(edits: Sequence[Edit]) -> str:
    """What came and went, as in `[+ new text - old text]`."""
    parts: list[str] = []
    size = 0
    for edit in edits:
        if edit.action == "moved":
            continue
        new, old = edit.after or "", edit.before or ""
        if edit.action == "changed":
            marks = mark_words(old[:MAX_SNIPPET], new[:MAX_SNIPPET])
            new = "".join(mark.text for mark in marks if mark.action == "added").strip()
            old = "".join(mark.text for mark in marks if mark.action == "removed").strip()
        part = " ".join(piece for piece in (f"+ {new}" if new else "", f"- {old}" if old else "") if piece)
        parts.append(f"[{part}]")
        size += len(part)
        if size > MAX_SNIPPET:
            parts.append("…")
            break
    return " ".join(parts)
