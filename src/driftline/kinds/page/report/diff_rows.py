"""The diff for people, made of the line differences that count; noise is left out on both sides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from driftline.core.diff.lines import Op
from driftline.core.diff.rows import Row, rows
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import ParsedPage


def diff_rows(before: ParsedPage, after: ParsedPage, judged: JudgedPage) -> list[Row]:
    """The rows of the diff, numbered among the lines shown; if the old text was not kept, only added lines."""
    if before.text is None:
        return rows([], [line.text or "" for line in (one.after for one in judged.lines) if line is not None])
    told = judged.lines
    olds = sorted({at for at, _ in judged.same}.union(one.at for one in told if one.at >= 0))
    news = sorted({to for _, to in judged.same}.union(one.to for one in told if one.to >= 0))
    ops = list(_ops(judged, {at: number for number, at in enumerate(olds)}, {to: number for number, to in enumerate(news)}))
    one, other = before.line_details, after.line_details
    return rows([one[at].text or "" for at in olds], [other[to].text or "" for to in news], ops=ops)


def _ops(judged: JudgedPage, olds: Mapping[int, int], news: Mapping[int, int]) -> Iterator[Op]:
    """Operations in the order of the after side; a removed line follows the line that it followed before."""
    same, done = judged.same, 0
    at_old = at_new = 0  # one past the last line
    for one in judged.lines:
        until = bisect_left(same, one.to, done, key=_to) if one.to >= 0 else max(done, bisect_left(same, (one.at,)))
        for op in _equal(same[done:until], olds, news):
            yield op
            at_old, at_new = op.before_end, op.after_end
        done = until
        at_old, at_new = olds.get(one.at, at_old), news.get(one.to, at_new)
        op = Op(one.action, at_old, at_old + (one.at >= 0), at_new, at_new + (one.to >= 0))
        yield op
        at_old, at_new = op.before_end, op.after_end
    yield from _equal(same[done:], olds, news)


def _equal(same: Sequence[tuple[int, int]], olds: Mapping[int, int], news: Mapping[int, int]) -> Iterator[Op]:
    """Unchanged lines as the fewest possible runs."""
    while same:
        start, place = olds[same[0][0]], news[same[0][1]]
        size = len(same)
        if olds[same[-1][0]] - start != size - 1:
            size = next(count for count, (at, _) in enumerate(same) if olds[at] != start + count)
        yield Op("equal", start, start + size, place, place + size)
        same = same[size:]


def _to(pair: tuple[int, int]) -> int:
    return pair[1]
