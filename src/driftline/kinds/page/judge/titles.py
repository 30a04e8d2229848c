"""Titles: another one counts, unless it is another writing, an unread counter, or with and without the name of the site."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.text.folding import title_key
from driftline.kinds.page.compare import fields
from driftline.kinds.page.compare.fields import Pair
from driftline.kinds.page.judge.fields import FieldStep, reported_with_offer
from driftline.kinds.page.judge.lines import same_meaning
from driftline.kinds.page.judge.masks import is_protected

_UNREAD: Final = re.compile(r"^\(\d{1,3}\+?\)\s")  # messages that wait for the reader: "(3) Inbox"
_PARTS: Final = re.compile(r"\s[|·•»:–—-]\s|\s?\|\s?")  # of a title


def judge_title(step: FieldStep) -> Pair | None:
    """Another title, unless it is another writing, an unread counter, or told with price or stock."""
    before, after, times = step.before, step.after, step.times
    pair = fields.title_change(before, after)
    if pair is None:
        if before.title != after.title:
            step.reasons.note("letter case of the title", "title", before.title, after.title)
        return None
    one, other = (_UNREAD.sub("", side or "") for side in pair)
    rule = (
        "counter"
        if title_key(one) == title_key(other)
        else _site_name(one, other)
        or same_meaning(one, other, times)
        or step.masks.value("title", pair)
        or reported_with_offer(pair, step.offers)
    )
    if rule is not None:
        step.reasons.note(rule, "title", *pair)
        return None
    return pair


def _site_name(before: str, after: str) -> str | None:
    """A title that is there on one side alone, or a part of it that stands behind a sign and says nothing to be missed."""
    one, other = ([part.strip() for part in _PARTS.split(side) if part.strip()] for side in (before, after))
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if len(longer) - len(shorter) > 1 or any(part not in longer for part in shorter) or (not shorter and len(longer) > 1):
        return None
    more = next((part for part in longer if part not in shorter), "")
    return None if is_protected(None, more) else "name of the site"
