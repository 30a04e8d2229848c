"""Leaves out the rows that both versions of a table share: of a long table, only rows that differ have to be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from driftline.kinds.page.parsed import ParsedPage, is_heading, packed_twos, twos


def without_same_rows(before: ParsedPage, after: ParsedPage) -> tuple[ParsedPage, ParsedPage]:
    """Both tables with only their headings, the rows that differ and the rows beside those; other pages unchanged."""
    if before.format != "table" or after.format != "table" or not before.text or not after.text:
        return before, after
    olds, news = before.text.split("\n"), after.text.split("\n")
    same = _in_both(olds, news)
    same -= {*_beside(olds, same), *_beside(news, same), *_headings(before, olds), *_headings(after, news)}
    return _without(before, olds, same), _without(after, news, same)


def _in_both(olds: list[str], news: list[str]) -> set[str]:
    """Rows that both sides have equally often."""
    one, other = set(olds), set(news)
    if len(one) == len(olds) and len(other) == len(news):
        return one & other
    counts = Counter(news)
    return {row for row, count in Counter(olds).items() if counts.get(row) == count}


def _beside(rows: list[str], same: set[str]) -> Iterator[str]:
    """The rows right before and after one that differs, by which its place is known."""
    last = len(rows) - 1
    for number, row in enumerate(rows):
        if row not in same:
            yield rows[number - 1 if number else 0]
            yield rows[number + 1 if number < last else last]


def _headings(page: ParsedPage, rows: list[str]) -> Iterator[str]:
    return (rows[number] for number, flag in enumerate(page.flags) if flag and is_heading(flag))


def _without(page: ParsedPage, rows: list[str], same: set[str]) -> ParsedPage:
    kept = [number for number, row in enumerate(rows) if row not in same]
    owners, places = twos(page.entry_of), twos(page.places)
    renumbered: dict[int, int] = {0: 0}
    mine = [renumbered.setdefault(owners[number], len(renumbered)) for number in kept] if owners else []
    return msgspec.structs.replace(
        page,
        text="\n".join([rows[number] for number in kept]),
        places=packed_twos([places[number] for number in kept]) if places else b"",
        flags=bytes([page.flags[number] for number in kept]) if page.flags else b"",
        entry_of=packed_twos(mine),
        entries=tuple(page.entries[owner - 1] for owner in list(renumbered)[1:]),
    )
