"""The severity of a content change, by its meaning and not by its size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from driftline.core.identity.timestamps import instant
from driftline.core.text.language.critical_words import critical_tokens, differs_critically
from driftline.core.text.language.dates import units
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.window import differing_part
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.frame import is_framed
from driftline.kinds.page.judge.masks import is_protected
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.judge.spans import Span, spans
from driftline.kinds.page.parsed import NO_ENTRY, ParsedPage
from driftline.model.change import Block, Severity

REPLACED: Final = 0.5  # similarity below which a text counts as replaced
_GONE: Final = 0.2  # of the previous text, in one run of removed lines
_AROUND: Final = 120  # characters around a difference: what a term or a date is written with
_RUNNING: Final = 40  # characters of a line that is a sentence
_FEW: Final = 4  # words on a button
_PLAIN: Final = re.compile(r"\w+")
_FOR: Final = lazy_regex(lambda: rf"(?<!\d)\d{{1,9}}[ -]?(?:{units()})(?!\w)")  # a term: 14 days


def content_severity(
    judged: JudgedPage,
    blocks: Sequence[Block],
    before: ParsedPage,
    after: ParsedPage,
    *,
    similarity: float,
    released: bool = False,
    at: datetime | None = None,
) -> Severity:
    """`high` for what nobody should miss, `low` for mere typography, else `medium`; `at`: when the page was fetched."""
    lines = [one for one in judged.lines if one.action != "moved" and not is_framed(one, after)]
    if released or (lines and (similarity < REPLACED or _removed_share(lines, before) > _GONE)):
        return "high"
    if after.article and any(_changes_terms(one, at) for one in lines):
        return "high"
    if any(_asks_another_price(one) for one in lines):
        return "high"
    if judged.title is not None or any(block.action != "modified" for block in blocks):
        return "medium"
    if any(not (_is_typography(one) or _is_button(one)) for one in lines):
        return "medium"
    return "low"


def _asks_another_price(one: LineDifference) -> bool:
    """Whether a line says nothing but another amount of money."""
    if one.before is None or one.after is None:
        return False
    part = differing_part(one.before.text or "", one.after.text or "", around=_AROUND)
    olds, news = (list(spans(side)) for side in (part.before, part.after))
    if len(olds) != len(news) or _without(part.before, olds) != _without(part.after, news):
        return False
    moved = [(a, b) for a, b in zip(olds, news, strict=True) if a.text != b.text]
    return bool(moved) and all(a.type == b.type == "amount" and "%" not in f"{a.text}{b.text}" for a, b in moved)


def _without(text: str, found: Sequence[Span]) -> str:
    ends = [0, *(span.end for span in found)]
    starts = [*(span.start for span in found), len(text)]
    return "\x01".join([text[end:start] for end, start in zip(ends, starts, strict=True)])


def _changes_terms(one: LineDifference, at: datetime | None) -> bool:
    """Whether a sentence changed an amount, a term, a deadline or a negation; counts and dates of reports are none of these."""
    if one.before is None or one.after is None or not one.before.text or not one.after.text:
        return False
    old, new = one.before.text, one.after.text
    if min(len(old), len(new)) < _RUNNING or not differs_critically(old, new):
        return False
    part = differing_part(old, new, around=_AROUND)
    return _binding(part.before, at) != _binding(part.after, at)


def _binding(text: str, at: datetime | None) -> list[str]:
    """Amounts, terms, future dates and negations of a sentence, sorted."""
    found = list(spans(text))
    said = [span.text for span in found if span.type == "amount" or (span.type == "moment" and _is_ahead(span.text, at))]
    said += _FOR.findall(text.lower())
    rest = _without(text, found).replace("\x01", "")
    return sorted([*said, *(token for token in critical_tokens(rest).elements() if not any(map(str.isdigit, token)))])


def _is_ahead(moment: str, at: datetime | None) -> bool:
    when = instant(moment) if at is not None else None
    return when is not None and at is not None and when > at


def _is_button(one: LineDifference) -> bool:
    """Whether the label of a button-like link changed: a few words, outside of entries."""
    if one.before is None or one.after is None or not (one.before.linked and one.after.linked) or one.after.heading:
        return False
    texts = one.before.text or "", one.after.text or ""
    few = max(text.count(" ") for text in texts) < _FEW
    return few and one.after.entry == NO_ENTRY and not differs_critically(*texts) and not is_protected(*texts)


def _is_typography(one: LineDifference) -> bool:
    if one.before is None or one.after is None or one.before.text is None or one.after.text is None:
        return False
    return _PLAIN.findall(one.before.text.lower()) == _PLAIN.findall(one.after.text.lower())


def _removed_share(lines: Sequence[LineDifference], before: ParsedPage) -> float:
    """The largest run of removed lines outside of entries, as a share of the previous text."""
    if not before.text:
        return 0.0
    largest = run = 0
    last = -2
    for one in sorted((one for one in lines if one.action == "removed" and one.line.entry == NO_ENTRY), key=lambda one: one.at):
        run = (run if one.at == last + 1 else 0) + len(one.before.text or "" if one.before else "")
        last = one.at
        largest = max(largest, run)
    return largest / len(before.text)
