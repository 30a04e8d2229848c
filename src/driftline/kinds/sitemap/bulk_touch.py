"""Recognizes lastmods that changed together: by a site build, another time zone, or another format. None of this is news."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from driftline.core.identity.timestamps import micros
from driftline.kinds.sitemap.article import Article
from driftline.model.delta import Entry
from driftline.model.item import SnapshotState

MIN_ARTICLES: Final = 20  # articles
SHARE: Final = 0.8  # of the known articles
WITHIN: Final = 3_600_000_000  # microseconds: the build of a large site takes time

MIN_ALIKE: Final = 5  # articles that changed in the same way
_JUST_NOW: Final = 300_000_000  # microseconds
_QUARTER: Final = 900_000_000  # microseconds: zone offsets are multiples of a quarter of an hour
_ZONES: Final = 14 * 4 * _QUARTER  # the largest offset
_DAY: Final = 86_400_000_000


def touched_together(
    moved: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]], *, known: int, read_at: str
) -> dict[str, Article]:
    """The articles whose lastmods moved together, by key, if they are most of those known; else none.

    Articles without a lastmod always move together, to the time when the file was read: no build moved them.
    """
    listed = [entry for entry in moved if by_lastmod(entry.observed.state)]
    found: dict[str, Article] = {}
    enough = max(MIN_ARTICLES, SHARE * known)
    if len(listed) >= enough:
        groups = (_at_one_instant(listed), _with_one_text(listed), _reformatted(listed, past))
        for group in groups:
            found |= group if len(group) >= enough else {}
    for group in (_set_to_now(listed, past, read_at), _shifted_by_zone(listed, past), _time_added_or_removed(listed, past)):
        if len(group) >= max(MIN_ALIKE, SHARE * known):
            found |= group
    return found


def moved_alike(moved: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """A few articles or more that had one lastmod before and have one now. They may be updated; where their content is known
    to be the same, they are not.
    """
    groups: defaultdict[tuple[int, int], list[Entry[Article]]] = defaultdict(list)
    for entry in moved:
        state, known = entry.observed.state, past.get(entry.observed.key)
        was_at, is_at = micros(known.state.updated or "" if known else ""), micros(state.updated or "")
        if was_at is not None and is_at is not None and by_lastmod(state):
            groups[was_at, is_at].append(entry)
    return _states([entry for group in groups.values() if len(group) >= MIN_ALIKE for entry in group])


def by_lastmod(article: Article) -> bool:
    """Whether the article has a lastmod, and is compared by it."""
    return article.basis == "lastmod" and not article.assumed


def _states(entries: Sequence[Entry[Article]]) -> dict[str, Article]:
    return {entry.observed.key: entry.observed.state for entry in entries}


def _at_one_instant(listed: Sequence[Entry[Article]]) -> dict[str, Article]:
    """The largest group within an hour: a build."""
    dated = sorted(
        (at, entry.observed.key, entry.observed.state)
        for entry in listed
        if (at := micros(entry.observed.state.updated or "")) is not None
    )
    best: tuple[int, int] = (0, 0)
    start = 0
    for end, (at, _, _) in enumerate(dated, 1):
        while at - dated[start][0] > WITHIN:
            start += 1
        if end - start > best[1] - best[0]:
            best = (start, end)
    return {key: state for _, key, state in dated[slice(*best)]}


def _with_one_text(listed: Sequence[Entry[Article]]) -> dict[str, Article]:
    """The largest group with the same text that is no date."""
    groups: defaultdict[str, list[Entry[Article]]] = defaultdict(list)
    for entry in listed:
        updated = entry.observed.state.updated or ""
        if micros(updated) is None:
            groups[updated].append(entry)
    return _states(max(groups.values(), key=len, default=[]))


def _reformatted(listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """Those that moved by a zone offset, or kept their day and gained or lost a time."""
    moved = _moved(listed, past)
    return _states([entry for entry, gone, timed in moved if _is_zone(gone) or (timed and gone < _DAY + _ZONES)])


def _time_added_or_removed(listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """Those whose day had no time and has one now, or the reverse."""
    return _states([entry for entry, gone, timed in _moved(listed, past) if timed and gone < _DAY])


def _moved(
    listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]
) -> Iterator[tuple[Entry[Article], int, bool]]:
    """Those with a date before and now: the difference, and whether a time was gained or lost."""
    for entry in listed:
        before = past.get(entry.observed.key)
        old, new = before.state.updated or "" if before else "", entry.observed.state.updated or ""
        was_at, is_at = micros(old), micros(new)
        if was_at is not None and is_at is not None:
            yield entry, abs(is_at - was_at), (":" in old) != (":" in new)


def _shifted_by_zone(listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """Those at different instants that moved by the same zone offset."""
    groups: defaultdict[int, list[Entry[Article]]] = defaultdict(list)
    before: defaultdict[int, set[int]] = defaultdict(set)
    for entry in listed:
        known = past.get(entry.observed.key)
        was_at, is_at = micros(known.state.updated or "" if known else ""), micros(entry.observed.state.updated or "")
        if was_at is not None and is_at is not None and _is_zone(is_at - was_at):
            groups[is_at - was_at].append(entry)
            before[is_at - was_at].add(was_at)
    best = max(groups, key=lambda shift: len(groups[shift]), default=0)
    return _states(groups[best]) if len(before[best]) >= MIN_ALIKE else {}


def _is_zone(shift: int) -> bool:
    return abs(shift) <= _ZONES and shift % _QUARTER == 0


def _set_to_now(
    listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]], read_at: str
) -> dict[str, Article]:
    """Those whose lastmod is the time of the answer, and was so before."""
    found = []
    for entry in listed:
        item, before = entry.observed, past.get(entry.observed.key)
        if before is None or not _just_then(item.state.updated, read_at):
            continue
        if _just_then(before.state.updated, before.at.isoformat()):
            found.append(entry)
    return _states(found)


def _just_then(updated: str | None, read_at: str) -> bool:
    at, then = micros(updated or ""), micros(read_at)
    return at is not None and then is not None and abs(at - then) <= _JUST_NOW
