"""The diff for people, from the line differences that count; what was dropped as noise stands on neither side."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from driftline.core.diff.lines import Action, Op
from driftline.core.diff.rows import Row, rows
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import ParsedPage


def diff_rows(before: ParsedPage, after: ParsedPage, judged: JudgedPage) -> list[Row]:
    """Lines are numbered among those that are shown; where the old text was not kept, all that came is shown."""
    if before.text is None:
        return rows([], [line.text or "" for line in (one.after for one in judged.lines) if line is not None])
    told = judged.lines
    olds = sorted({at for at, _ in judged.same}.union(one.at for one in told if one.at >= 0))
    news = sorted({to for _, to in judged.same}.union(one.to for one in told if one.to >= 0))
    ops = list(_joined(judged, {at: number for number, at in enumerate(olds)}, {to: number for number, to in enumerate(news)}))
    one, other = before.line_details, after.line_details
    return rows([one[at].text or "" for at in olds], [other[to].text or "" for to in news], ops=ops)


def _joined(judged: JudgedPage, olds: dict[int, int], news: dict[int, int]) -> Iterator[Op]:
    """Neighbours of one action together, as an alignment has them; a changed line is alone."""
    last: Op | None = None
    for action, at, to in _in_order(judged):
        start, place = olds.get(at, last.before_end if last else 0), news.get(to, last.after_end if last else 0)
        op = Op(action, start, start + (at >= 0), place, place + (to >= 0))
        if last and action != "changed" and (last.action, last.before_end, last.after_end) == (action, op.before, op.after):
            last = last._replace(before_end=op.before_end, after_end=op.after_end)
            continue
        if last:
            yield last
        last = op
    if last:
        yield last


def _in_order(judged: JudgedPage) -> Iterator[tuple[Action, int, int]]:
    """Every line that is shown by the order of the after side; a removed one behind the line that it stood behind."""
    same, done = judged.same, 0
    for one in judged.lines:
        until = bisect_left(same, one.to, done, key=_to) if one.to >= 0 else max(done, bisect_left(same, (one.at,)))
        for at, to in same[done:until]:
            yield "equal", at, to
        done = until
        yield one.action, one.at, one.to
    for at, to in same[done:]:
        yield "equal", at, to


def _to(pair: tuple[int, int]) -> int:
    return pair[1]
