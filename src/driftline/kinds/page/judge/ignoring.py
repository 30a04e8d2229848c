"""What masks would hide of a difference, what would still be reported, and the text rules that would cover that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from driftline.kinds.page.judge.masks import IGNORED, ActiveMasks
from driftline.kinds.page.judge.moments import Times
from driftline.kinds.page.judge.page import JudgedPage, judge_pages, path_of
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.change import Suppressed
from driftline.model.noise.mask import Ignoring, Mask

_DIGITS: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_SHORTEST: Final = 3  # letters of a text that names a line
_LONGEST: Final = 300  # characters of an offered pattern
_MOST: Final = 10
_LETTER: Final = re.compile(r"[^\W\d_]")


def ignoring(before: ParsedPage, after: ParsedPage, rules: PageRules, masks: Sequence[Mask]) -> Ignoring:
    """Both lists by place and values; a pattern is offered for each line that masks leave."""
    judged = judge_pages(before, after, rules, ActiveMasks(masks), Times())
    hidden = tuple(one for one in judged.suppressed if one.rule.startswith(IGNORED))
    patterns = dict.fromkeys(
        pattern
        for line in judged.lines
        for pattern in _patterns(line.before.text if line.before else None, line.after.text if line.after else None)
    )
    return Ignoring(hidden=hidden, left=tuple(_left(judged, before, after)), ignore_text=tuple(patterns)[:_MOST])


def _left(judged: JudgedPage, before: ParsedPage, after: ParsedPage) -> Iterator[Suppressed]:
    for line in judged.lines:
        if line.action != "moved":
            texts = (side.text if side else None for side in (line.before, line.after))
            yield _one(path_of(line, before, after), *texts)
    if judged.title is not None:
        yield _one("title", *judged.title)
    for key, pair in judged.metadata.items():
        yield _one(key, *pair)
    for name, changes in (("link", judged.links), ("picture", judged.images)):
        for change in changes:
            yield _one(name, *(side.url if side else None for side in change))
    for offer in judged.offers:
        yield _one(offer.level, *(" ".join(str(value) for value in side.values()) for side in (offer.before, offer.after)))


def _one(place: str, before: str | None, after: str | None) -> Suppressed:
    return Suppressed(rule="", place=place, before=(before or "")[:_LONGEST], after=(after or "")[:_LONGEST])


def _patterns(before: str | None, after: str | None) -> Iterator[str]:
    """Lines that differ in numbers alone are one expression; of others each side is offered as it stands."""
    if before and after and _DIGITS.sub("0", before) == _DIGITS.sub("0", after) and _is_telling(before):
        yield "/^" + r"\d+(?:[.,:]\d+)*".join(re.escape(part).replace("/", r"\/") for part in _DIGITS.split(before)) + "$/"
        return
    for side in (before, after):
        if side and _is_telling(side):
            yield side


def _is_telling(text: str) -> bool:
    return len(text) <= _LONGEST and len(_LETTER.findall(text)) >= _SHORTEST and not text.startswith("/")
