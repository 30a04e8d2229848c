"""Whether every difference between two versions is reported, recorded, or dropped by a rule that has a reason (law 10)."""

from __future__ import annotations

from driftline.kinds.page.compare.fields import hero_change, image_changes, link_changes, metadata_changes
from driftline.kinds.page.compare.lines import line_differences
from driftline.kinds.page.judge.dropped import REASONS
from driftline.kinds.page.judge.masks import ActiveMasks
from driftline.kinds.page.judge.moments import Times
from driftline.kinds.page.judge.page import JudgedPage, judge_pages
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.change import Suppressed


def unexplained(before: ParsedPage, after: ParsedPage) -> int:
    """How many differences nobody names; a rule without a reason for people names none."""
    if before.signature == after.signature:
        return 0
    judged = judge_pages(before, after, PageRules(), ActiveMasks(()), Times())
    raw = _raw(before, after)
    named = _kept(judged) + sum(_count(one) for one in judged.suppressed if one.rule in REASONS)
    return max(raw - named, int(not raw and not judged.suppressed))


def _raw(before: ParsedPage, after: ParsedPage) -> int:
    """All that compare/ finds, before anything is judged."""
    found = (line_differences, metadata_changes, link_changes, image_changes)
    single = (before.title != after.title) + (hero_change(before, after) is not None)
    return single + sum(len(differences(before, after)) for differences in found)


def _kept(judged: JudgedPage) -> int:
    many = (judged.lines, judged.quiet, judged.metadata, judged.links, judged.quiet_links, judged.images)
    return (judged.title is not None) + (judged.hero is not None) + sum(map(len, many))


def _count(one: Suppressed) -> int:
    number, _, more = one.place.partition(" ")
    return int(number) if more == "more" and number.isdecimal() else 1
