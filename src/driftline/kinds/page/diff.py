"""Two pages compared at every level: find the difference, judge only the difference, report what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from driftline.core.diff.lines import jaccard
from driftline.core.diff.rows import Row, rows
from driftline.core.identity.severity import CHANGE_TYPES, worst
from driftline.kinds.page import flips
from driftline.kinds.page.compare.fields import OfferChange
from driftline.kinds.page.compare.same_rows import without_same_rows
from driftline.kinds.page.documents.file_looks import looks_of
from driftline.kinds.page.documents.files import replaced
from driftline.kinds.page.judge.habits import Habits, habits_of
from driftline.kinds.page.judge.masks import ActiveMasks
from driftline.kinds.page.judge.moments import Times
from driftline.kinds.page.judge.page import JudgedPage, judge_pages, path_of
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.report import headline
from driftline.kinds.page.report.blocks import changed_blocks
from driftline.kinds.page.report.diff_rows import diff_rows
from driftline.kinds.page.report.document import document, rows_document
from driftline.kinds.page.report.releases import new_versions
from driftline.kinds.page.report.severity import REPLACED, content_severity
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.sensitivity import PagePair, Significance, apply_sensitivity
from driftline.model.change import Block, Finding, Severity, Suppressed
from driftline.model.noise.flapping import FlapStep, HoldBack, Send, Transition
from driftline.model.noise.habit import Habit
from driftline.model.noise.mask import Mask

NAVIGATION: Final = "navigation"  # why a change of the page's frame alone is not sent


class PageDiff(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What changed between two pages."""

    meaningful: bool  # something is worth a message
    different: bool  # something besides noise differs, reported or not
    stored: bool  # it takes the place of the version before; edits that do not count yet are compared with that one again
    severity: Severity
    headline: str
    similarity: float  # of the texts
    changes: dict[str, Any]  # the structured document
    findings: tuple[Finding, ...] = ()
    blocks: tuple[Block, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # differences that were dropped, and why
    rows: tuple[Row, ...] = ()  # the diff for people; core.render_diff makes text, HTML and Markdown of it
    places: tuple[str, ...] = ()  # structural paths of the lines that count
    texts: tuple[str, str] | None = None  # as they were compared; None: equal, or the old one was not kept
    step: FlapStep | None = None  # which of its differences are sent
    habits: Habits | None = None  # what differs again and again; None: nobody knows when the pages were fetched

    @cached_property
    def jaccard(self) -> float:
        """Shared 3-word shingles of the texts; of their lines where the old text was not kept."""
        return jaccard(*self.texts) if self.texts is not None else self.similarity


def _send_all(moved: Sequence[Transition]) -> FlapStep:
    return FlapStep(decisions=tuple(Send() for _ in moved))


def compare(
    before: ParsedPage,
    after: ParsedPage,
    rules: PageRules,
    masks: Sequence[Mask] = (),
    *,
    times: Times = Times(),  # noqa: B008 - a value
    limit: Callable[[Sequence[Transition]], FlapStep] = _send_all,
    known: Sequence[Habit] = (),
    seen: frozenset[int] = frozenset(),
) -> PageDiff:
    """The difference of two complete pages.

    `limit` decides which of its flips are sent, `known` is what differed lately, `seen` what other rules dropped before.
    """
    if before.file is not None or after.file is not None:
        return _files(before, after, limit)
    pages = PagePair(before, after, *without_same_rows(before, after))
    judged, habits = _judge(pages, rules, masks, times, known, seen)
    counted = apply_sensitivity(judged, pages, rules)
    decided = _decide(counted, pages, limit)
    judged = decided.judged
    shown = tuple(diff_rows(pages.before, pages.after, judged)) if counted.content and judged.lines else ()
    changes = document(pages.before, pages.after, judged, shown, counted.similarity)
    findings = _offer_findings(decided, pages.after)
    if counted.content:
        findings.append(_content_finding(decided, pages, changes, shown, counted.similarity, times))
    if judged.is_quiet and not rules.trigger_text and not counted.creeps:
        findings.append(_frame_finding(pages.before, pages.after, judged, changes))
    meaningful = [finding for finding in findings if "muted" not in finding.flags]
    lines = counted.lines
    different = bool(lines or judged.besides_text or judged.offers or judged.quiet or judged.quiet_links)
    return PageDiff(
        meaningful=bool(meaningful),
        different=different,
        stored=different and (not counted.creeps or bool(judged.besides_text or judged.offers)),
        severity=worst([finding.severity for finding in findings]),
        headline="; ".join(finding.headline for finding in meaningful) or "Nothing changed",
        similarity=counted.similarity,
        changes=changes,
        findings=tuple(findings),
        blocks=next((finding.blocks for finding in findings if finding.blocks), ()),
        suppressed=(*counted.suppressed, *flips.suppressed(decided.moved, decided.step.decisions)),
        rows=shown,
        places=tuple(path_of(one, pages.before, pages.after) for one in judged.lines) if counted.content else (),
        texts=(before.text, after.text or "") if lines and before.text is not None else None,
        step=decided.step,
        habits=habits,
    )


class _Decided(NamedTuple):
    """What was judged without what is held back, and the decision on each transition."""

    judged: JudgedPage
    sides: Sequence[flips.Sides]  # of the content; the transitions of price and stock follow them
    moved: Sequence[Transition]
    step: FlapStep


def _judge(
    pages: PagePair, rules: PageRules, masks: Sequence[Mask], times: Times, known: Sequence[Habit], seen: frozenset[int]
) -> tuple[JudgedPage, Habits | None]:
    """The verdict on each difference; once more if a place turned out to differ again and again."""
    before, after = pages.before, pages.after
    judged = judge_pages(before, after, rules, ActiveMasks(() if after.literal else masks, seen), times)
    habits = habits_of(judged, before, after, known, masks, at=times.after_at) if times.after_at is not None else None
    if habits is not None and habits.masks:
        judged = judge_pages(before, after, rules, ActiveMasks((*masks, *habits.masks), seen), times)
    return judged, habits


def _decide(counted: Significance, pages: PagePair, limit: Callable[[Sequence[Transition]], FlapStep]) -> _Decided:
    """Ask which transitions are sent; what is held back goes, unless nothing would be left."""
    judged = counted.judged
    sides = flips.content_sides(judged, pages.before, pages.after) if counted.content else []
    moved = [*(side.moved for side in sides), *map(flips.offer_side, judged.offers)]
    step = limit(moved)
    decisions = step.decisions[: len(sides)]
    if not all(isinstance(one, HoldBack) for one in decisions):
        judged = flips.without_held(judged, sides, decisions)
    return _Decided(judged, sides, moved, step)


def _offer_findings(decided: _Decided, after: ParsedPage) -> list[Finding]:
    decisions = decided.step.decisions[len(decided.sides) :]
    return [
        flips.as_sent(_offer_finding(change, after), [flips.offer_side(change)], [decision])
        for change, decision in zip(decided.judged.offers, decisions, strict=True)
    ]


def _content_finding(
    decided: _Decided, pages: PagePair, changes: dict[str, Any], shown: Sequence[Row], alike: float, times: Times
) -> Finding:
    """The one content change of a run, with all levels."""
    before, after, judged = pages.before, pages.after, decided.judged
    parts = changed_blocks(before, after, judged.lines)
    released = frozenset[str]() if pages.narrowed else new_versions(judged, parts.blocks, before, after)  # a table has numbers
    finding = Finding(
        type="content",
        severity=content_severity(
            judged,
            parts.blocks,
            pages.whole_before,
            pages.whole_after,
            similarity=alike,
            released=bool(released),
            at=times.after_at,
        ),
        headline=headline.of_content(
            judged, parts, before, after, released=released, replaced=bool(judged.lines) and alike < REPLACED
        ),
        url=after.url,
        before={"title": before.title},
        after={"title": after.title},
        diff={"changes": changes, "rows": rows_document(shown)},
        blocks=tuple(parts.blocks),
    )
    return flips.as_sent(finding, [side.moved for side in decided.sides], decided.step.decisions[: len(decided.sides)])


def _files(before: ParsedPage, after: ParsedPage, limit: Callable[[Sequence[Transition]], FlapStep]) -> PageDiff:
    """Two answers that are no text, by how they look where both can be seen, else by type, size and hash."""
    said, visual = replaced(before, after), None
    if said and (looks := looks_of(before, after)) is not None:
        said, visual = looks.said, looks.document
    same = bool(replaced(before, after)) and not said
    moved = [flips.file_side(before, after)] if said else []
    step = limit(moved)
    shown = tuple(rows(before.lines, after.lines)) if said else ()
    changes = document(before, after, JudgedPage(lines=[], quiet=[]), shown, 0.0 if said else 1.0)
    finding = Finding(
        type="content",
        severity="medium",
        headline=said,
        url=after.url,
        before={"title": before.title},
        after={"title": after.title},
        diff={"changes": changes, "rows": rows_document(shown)} | ({"visual": visual} if visual else {}),
    )
    return PageDiff(
        meaningful=bool(said),
        different=bool(said),
        stored=bool(said),
        severity="medium" if said else "low",
        headline=said or "Nothing changed",
        similarity=0.0 if said else 1.0,
        changes=changes,
        findings=(flips.as_sent(finding, moved, step.decisions),) if said else (),
        suppressed=(Suppressed(rule="looks the same, other bytes", place="file"),) if same else (),
        rows=shown,
        step=step,
    )


def _frame_finding(before: ParsedPage, after: ParsedPage, judged: JudgedPage, changes: dict[str, Any]) -> Finding:
    return Finding(
        type="content",
        severity="low",
        headline=headline.of_frame(judged),
        url=after.url,
        before={"title": before.title},
        after={"title": after.title},
        diff={"changes": changes, "rows": []},
        flags={"muted": NAVIGATION},
    )


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
