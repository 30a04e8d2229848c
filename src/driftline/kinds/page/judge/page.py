"""Judges all differences between two pages: each counts, is recorded only (navigation), or is dropped with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from driftline.core.select.patterns import any_found, check_price, parse_patterns
from driftline.kinds.page.compare.fields import ImageChange, LinkChange, OfferChange, Pair, offer_changes
from driftline.kinds.page.compare.lines import LineDifference, align_lines
from driftline.kinds.page.judge.calendars import Calendars
from driftline.kinds.page.judge.dropped import Reasons
from driftline.kinds.page.judge.fields import (
    REPORTED_ELSEWHERE,
    FieldStep,
    judge_hero,
    judge_images,
    judge_links,
    judge_metadata,
    judge_title,
    texts_of,
)
from driftline.kinds.page.judge.frame import consent_boxes, is_framed
from driftline.kinds.page.judge.lines import noise_reason
from driftline.kinds.page.judge.logs import rotated
from driftline.kinds.page.judge.masks import ActiveMasks
from driftline.kinds.page.judge.moments import Times
from driftline.kinds.page.judge.offers import says_more
from driftline.kinds.page.judge.spans import quieted
from driftline.kinds.page.parsed import ParsedPage, line_hash
from driftline.kinds.page.rules import PageRules
from driftline.model.change import Suppressed


class JudgedPage(NamedTuple):
    """The differences that count, by level."""

    lines: list[LineDifference]
    quiet: list[LineDifference]  # navigation, footer, breadcrumb, language switch
    same: Sequence[tuple[int, int]] = ()  # lines that stand where they stood: their numbers before and after
    title: Pair | None = None
    metadata: Mapping[str, Pair] = MappingProxyType({})
    links: Sequence[LinkChange] = ()
    quiet_links: Sequence[LinkChange] = ()
    images: Sequence[ImageChange] = ()
    hero: Pair | None = None
    offers: Sequence[OfferChange] = ()
    suppressed: Sequence[Suppressed] = ()

    @property
    def besides_text(self) -> bool:
        """Whether anything counts besides lines, price and stock."""
        return bool(self.title or self.metadata or self.links or self.images or self.hero)

    @property
    def is_quiet(self) -> bool:
        """Whether only the page's frame differs."""
        return bool(self.quiet or self.quiet_links) and not (self.lines or self.besides_text or self.offers)


def judge_pages(before: ParsedPage, after: ParsedPage, rules: PageRules, masks: ActiveMasks, times: Times) -> JudgedPage:
    """Judge everything that differs between two pages."""
    reasons = Reasons()
    aligned = align_lines(before, after)
    lines, quiet, dropped = _lines(aligned.differences, before, after, rules, masks, times, reasons)
    offers = offer_changes(before.offer, after.offer)
    if offers:
        more: list[LineDifference] = []
        for one in lines:
            if says_more(_still(one), offers):
                more.append(one)
            else:
                reasons.note(REPORTED_ELSEWHERE, path_of(one, before, after), *texts_of(one))
        lines = more
    step = FieldStep(before, after, offers, masks, times, reasons)
    touched = [*lines, *quiet, *dropped]
    links, quiet_links = judge_links(step, touched)
    images = judge_images(step, touched)
    judged = JudgedPage(
        lines=lines,
        quiet=quiet,
        same=aligned.same,
        title=judge_title(step),
        metadata=judge_metadata(step),
        links=links,
        quiet_links=quiet_links,
        images=images,
        hero=judge_hero(step, images),
        offers=offers,
    )
    if not (reasons.any or judged.lines or judged.besides_text or judged.offers or judged.is_quiet):
        reasons.note("cleaned", "page", None, None)
    return judged._replace(suppressed=reasons.listed())


def _lines(
    found: Sequence[LineDifference],
    before: ParsedPage,
    after: ParsedPage,
    rules: PageRules,
    masks: ActiveMasks,
    times: Times,
    reasons: Reasons,
) -> tuple[list[LineDifference], list[LineDifference], list[LineDifference]]:
    """Lines that count, those of the page's frame, and those that were dropped."""
    ignored, wanted = parse_patterns(rules.ignore_text), parse_patterns(rules.keep_text)
    kept: list[LineDifference] = []
    quiet: list[LineDifference] = []
    dropped: list[LineDifference] = []
    unkept = _unkept(before, after)
    boxes = consent_boxes(found, before, after)
    older = rotated(found, before, after)
    calendars = Calendars(before, after)
    check_price([*rules.ignore_text, *rules.keep_text], [text for one in found for text in texts_of(one) if text])
    for one in found:
        texts = [text for text in texts_of(one) if text]
        rule: str | None
        if ignored and texts and all(any_found(ignored, text) is not None for text in texts):
            rule = "ignore_text"
        elif wanted and not any(any_found(wanted, text) is not None for text in texts):
            rule = "keep_text"
        elif one.after is None and one.at in older:
            rule = "log rotated"
        elif one.line.hash in unkept:
            rule = "moves by itself"
        elif one.action == "moved" and rules.order == "report":
            rule = None
        elif after.literal:
            rule = "order" if one.action == "moved" else None
        elif (one.at, one.to) in boxes:
            rule = "overlay"
        else:
            rule = masks.line(one, before, after) or noise_reason(one, before, after, times, calendars)
        if rule is not None:
            dropped.append(one)
            reasons.note(rule, path_of(one, before, after), *texts_of(one))
        elif not after.literal and rules.navigation == "record" and is_framed(one, after):
            quiet.append(one)
        else:
            kept.append(one)
    return kept, quiet, dropped


def _still(one: LineDifference) -> LineDifference:
    """A changed line without its counts and ages."""
    if one.before is None or one.after is None:
        return one
    before, after = (line._replace(text=line.text and quieted(line.text)) for line in (one.before, one.after))
    return one._replace(before=before, after=after)


def _unkept(before: ParsedPage, after: ParsedPage) -> set[int]:
    """Where the old text was not kept: hashes of lines that differ in ages, counts and tokens alone."""
    if before.text is not None or after.text is None:
        return set()
    olds = {line.hash: line.blanked for line in before.line_details}
    known = set(olds.values())
    fresh = {line.hash: line_hash(quieted(line.text or "")) for line in after.line_details if line.hash not in olds}
    gone = olds.keys() - {line.hash for line in after.line_details}
    same = {loose for loose in fresh.values() if loose in known}
    return {exact for exact, loose in fresh.items() if loose in same} | {exact for exact in gone if olds[exact] in same}


def path_of(one: LineDifference, before: ParsedPage, after: ParsedPage) -> str:
    """The structural path of a changed line."""
    line, page = (one.after, after) if one.after is not None else (one.before, before)
    return page.paths[line.place] if line is not None and line.place < len(page.paths) else ""
