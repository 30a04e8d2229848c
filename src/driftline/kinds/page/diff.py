"""Two pages compared at every level: find the difference, judge only the difference, report what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from driftline.core.diff.lines import below, critical_tokens, jaccard, similarity
from driftline.core.diff.rows import Row, rows
from driftline.core.identity.severity import CHANGE_TYPES, worst
from driftline.core.select.patterns import any_found, parse_patterns
from driftline.kinds.page import flips
from driftline.kinds.page.compare.fields import OfferChange
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.compare.same_rows import without_same_rows
from driftline.kinds.page.extract.files import replaced
from driftline.kinds.page.file_looks import looks_of
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
    old, new = before, after  # whole
    before, after = without_same_rows(before, after)
    judged = judge_pages(before, after, rules, ActiveMasks(() if after.literal else masks, seen), times)
    habits = habits_of(judged, before, after, known, masks, at=times.after_at) if times.after_at is not None else None
    if habits is not None and habits.masks:
        judged = judge_pages(before, after, rules, ActiveMasks((*masks, *habits.masks), seen), times)
    lines = [one for one in judged.lines if one.action != "moved"] or judged.lines
    alike = _alike(old, new, judged) if before is old else _rows_alike(old, new, before, after, judged)
    reordered = before is not old and before.text == after.text and old.text != new.text
    suppressed = [Suppressed(rule="same rows in another order", place="text")] if reordered else list(judged.suppressed)
    # Edits that do not count yet leave the reported version in place: they add up until they do.
    creeps = bool(lines) and not _counts(lines, old, new, alike, rules)
    if creeps:
        suppressed.append(Suppressed(rule=f"similarity {alike:.3f} is not below {rules.text_threshold:g}", place="text"))
        judged = judged._replace(lines=[])
    content = bool(judged.lines or judged.besides_text)
    if content and rules.trigger_text and not _triggered(judged.lines, rules):
        suppressed.append(Suppressed(rule="trigger_text did not match"))
        content = False
    sides = flips.content_sides(judged, before, after) if content else []
    moved = [*(side.moved for side in sides), *map(flips.offer_side, judged.offers)]
    step = limit(moved)
    decided = step.decisions[: len(sides)]
    if not all(isinstance(one, HoldBack) for one in decided):
        judged = flips.without_held(judged, sides, decided)
    suppressed += flips.suppressed(moved, step.decisions)
    findings = [
        flips.as_sent(_offer_finding(change, after), [flips.offer_side(change)], [decision])
        for change, decision in zip(judged.offers, step.decisions[len(sides) :], strict=True)
    ]
    shown = tuple(diff_rows(before, after, judged)) if content and judged.lines else ()
    changes = document(before, after, judged, shown, alike)
    blocks: list[Block] = []
    if content:
        told = changed_blocks(before, after, judged.lines)
        blocks = told.blocks
        released = new_versions(judged, blocks, before, after) if before is old else frozenset[str]()  # a table has numbers
        replaced = bool(judged.lines) and alike < REPLACED
        severity = content_severity(judged, blocks, old, new, similarity=alike, released=bool(released), at=times.after_at)
        finding = Finding(
            type="content",
            severity=severity,
            headline=headline.of_content(judged, told, before, after, released=released, replaced=replaced),
            url=after.url,
            before={"title": before.title},
            after={"title": after.title},
            diff={"changes": changes, "rows": rows_document(shown)},
            blocks=tuple(blocks),
        )
        findings.append(flips.as_sent(finding, [side.moved for side in sides], decided))
    quiet = judged.is_quiet and not rules.trigger_text and not creeps
    if quiet:
        findings.append(_frame_finding(before, after, judged, changes))
    meaningful = [finding for finding in findings if "muted" not in finding.flags]
    different = bool(lines or judged.besides_text or judged.offers or judged.quiet or judged.quiet_links)
    return PageDiff(
        meaningful=bool(meaningful),
        different=different,
        stored=different and (not creeps or bool(judged.besides_text or judged.offers)),
        severity=worst([finding.severity for finding in findings]),
        headline="; ".join(finding.headline for finding in meaningful) or "Nothing changed",
        similarity=alike,
        changes=changes,
        findings=tuple(findings),
        blocks=tuple(blocks),
        suppressed=tuple(suppressed),
        rows=shown,
        places=tuple(path_of(one, before, after) for one in judged.lines) if content else (),
        texts=(old.text, new.text or "") if lines and old.text is not None else None,
        step=step,
        habits=habits,
    )


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


def _alike(before: ParsedPage, after: ParsedPage, judged: JudgedPage) -> float:
    """Similarity of the texts; where the old one was not kept, the part of lines that stayed."""
    if not judged.lines:
        return 1.0
    if before.text is not None:
        return similarity(before.text, after.text or "")
    old, new = (Counter(line.hash for line in page.line_details) for page in (before, after))
    return (old & new).total() / max(old.total(), new.total(), 1)


def _rows_alike(old: ParsedPage, new: ParsedPage, before: ParsedPage, after: ParsedPage, judged: JudgedPage) -> float:
    """The same of two tables, of which only the rows that differ have to be compared."""
    longer = max(len(old.text or ""), len(new.text or ""))
    if not judged.lines or not longer:
        return 1.0
    rest = max(len(before.text or ""), len(after.text or ""))
    return 1.0 - (1.0 - similarity(before.text or "", after.text or "")) * rest / longer


def _counts(lines: Sequence[LineDifference], before: ParsedPage, after: ParsedPage, alike: float, rules: PageRules) -> bool:
    """Whether the text counts as changed under the watch's sensitivity."""
    if rules.sensitivity == "any":
        return True
    actions = Counter(one.action for one in lines)
    if before.text is None:  # lines that changed cannot be paired by what they said: as many went as came
        return actions["added"] != actions["removed"] or alike < rules.text_threshold
    if actions["added"] or actions["removed"]:
        return True
    if alike < rules.text_threshold if before.format == "table" else below(before.text, after.text or "", rules.text_threshold):
        return True
    old: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for one in lines:
        old += critical_tokens((one.before.text or "") if one.before else "")
        new += critical_tokens((one.after.text or "") if one.after else "")
    return old != new


def _triggered(lines: Sequence[LineDifference], rules: PageRules) -> bool:
    patterns = parse_patterns(rules.trigger_text)
    sides = [line.text for one in lines if one.action != "moved" for line in (one.before, one.after) if line and line.text]
    return any(any_found(patterns, side) is not None for side in sides)


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
