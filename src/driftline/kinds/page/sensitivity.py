"""How much of a difference counts: the watch's sensitivity and its trigger, over what the judge left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from driftline.core.diff.lines import below, critical_tokens, similarity
from driftline.core.select.patterns import any_found, parse_patterns
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.change import Suppressed


class PagePair(NamedTuple):
    """Two versions: whole, and of tables without the rows that are the same on both sides."""

    whole_before: ParsedPage
    whole_after: ParsedPage
    before: ParsedPage
    after: ParsedPage

    @property
    def narrowed(self) -> bool:
        """Whether rows of a table were left out."""
        return self.before is not self.whole_before


class Significance(NamedTuple):
    """What was judged, and how much of it counts under the watch's rules."""

    judged: JudgedPage
    lines: Sequence[LineDifference]  # that differ, whether they count or not
    similarity: float
    creeps: bool  # edits that do not count yet: they add up until they do
    content: bool  # something counts besides price and stock
    suppressed: Sequence[Suppressed]


def apply_sensitivity(judged: JudgedPage, pages: PagePair, rules: PageRules) -> Significance:
    """Apply the watch's sensitivity and its trigger."""
    old, new = pages.whole_before, pages.whole_after
    lines = [one for one in judged.lines if one.action != "moved"] or judged.lines
    alike = _rows_similarity(pages, judged) if pages.narrowed else _text_similarity(old, new, judged)
    suppressed = list(judged.suppressed)
    if pages.narrowed and pages.before.text == pages.after.text and old.text != new.text:
        suppressed = [Suppressed(rule="same rows in another order", place="text")]
    creeps = bool(lines) and not _counts(lines, old, new, alike, rules)
    if creeps:  # the reported version stays the one that is compared with
        suppressed.append(Suppressed(rule=f"similarity {alike:.3f} is not below {rules.text_threshold:g}", place="text"))
        judged = judged._replace(lines=[])
    content = bool(judged.lines or judged.besides_text)
    if content and rules.trigger_text and not _triggered(judged.lines, rules):
        suppressed.append(Suppressed(rule="trigger_text did not match"))
        content = False
    return Significance(judged, lines, alike, creeps, content, suppressed)


def _text_similarity(before: ParsedPage, after: ParsedPage, judged: JudgedPage) -> float:
    """Similarity of the texts; where the old one was not kept, the part of lines that stayed."""
    if not judged.lines:
        return 1.0
    if before.text is not None:
        return similarity(before.text, after.text or "")
    old, new = (Counter(line.hash for line in page.line_details) for page in (before, after))
    return (old & new).total() / max(old.total(), new.total(), 1)


def _rows_similarity(pages: PagePair, judged: JudgedPage) -> float:
    """The same of two tables, of which only the rows that differ have to be compared."""
    longer = max(len(pages.whole_before.text or ""), len(pages.whole_after.text or ""))
    if not judged.lines or not longer:
        return 1.0
    old, new = pages.before.text or "", pages.after.text or ""
    return 1.0 - (1.0 - similarity(old, new)) * max(len(old), len(new)) / longer


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
