"""Lastmods that moved together: by a build, by another clock, by another way to write them. None of it is news by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from driftline.core.identity.timestamps import micros
from driftline.kinds.sitemap.article import Article
from driftline.model.delta import Entry
from driftline.model.item import SnapshotState

AT_LEAST: Final = 20  # articles
SHARE: Final = 0.8  # of those that were known before
WITHIN: Final = 3_600_000_000  # microseconds: a build of a large site takes its time

FEW: Final = 5  # articles: enough where nothing else explains how they moved
_JUST_NOW: Final = 300_000_000  # microseconds
_QUARTER: Final = 900_000_000  # microseconds: zones are whole quarters of an hour apart
_ZONES: Final = 14 * 4 * _QUARTER  # and at most so far
_DAY: Final = 86_400_000_000


def stamped(
    moved: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]], *, known: int, read_at: str
) -> dict[str, Article]:
    """The articles whose lastmods moved together, by key, if they are most of those known; else none.

    Articles without a lastmod always move together, to the time when the file was read: no build moved them.
    """
    listed = [entry for entry in moved if by_lastmod(entry.observed.state)]
    found: dict[str, Article] = {}
    enough = max(AT_LEAST, SHARE * known)
    if len(listed) >= enough:
        groups = (_at_one_instant(listed), _with_one_text(listed), _rewritten(listed, past))
        for group in groups:
            found |= group if len(group) >= enough else {}
    for group in (_generated(listed, past, read_at), _shifted(listed, past), _respelled(listed, past)):
        if len(group) >= max(FEW, SHARE * known):
            found |= group
    return found


def alike(moved: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """A few articles or more that had one lastmod before and have one now. They may be updated; where their content is known
    to be the same, they are not.
    """
    groups: defaultdict[tuple[int, int], list[Entry[Article]]] = defaultdict(list)
    for entry in moved:
        state, known = entry.observed.state, past.get(entry.observed.key)
        was_at, is_at = micros(known.state.updated or "" if known else ""), micros(state.updated or "")
        if was_at is not None and is_at is not None and by_lastmod(state):
            groups[was_at, is_at].append(entry)
    return _states([entry for group in groups.values() if len(group) >= FEW for entry in group])


def by_lastmod(article: Article) -> bool:
    """Whether a file gives it a lastmod, and that is what is compared."""
    return article.basis == "lastmod" and not article.assumed


def _states(entries: Sequence[Entry[Article]]) -> dict[str, Article]:
    return {entry.observed.key: entry.observed.state for entry in entries}


def _at_one_instant(listed: Sequence[Entry[Article]]) -> dict[str, Article]:
    """The most that lie within an hour: a build."""
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
    """The most that say the same in words that are no date."""
    groups: defaultdict[str, list[Entry[Article]]] = defaultdict(list)
    for entry in listed:
        updated = entry.observed.state.updated or ""
        if micros(updated) is None:
            groups[updated].append(entry)
    return _states(max(groups.values(), key=len, default=[]))


def _rewritten(listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """Those that moved by whole quarters of an hour, as zones do, or are the same day with a time more or less."""
    moved = _moved(listed, past)
    return _states([entry for entry, gone, timed in moved if _is_zone(gone) or (timed and gone < _DAY + _ZONES)])


def _respelled(listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """Those whose day had no time and has one now, or the other way round."""
    return _states([entry for entry, gone, timed in _moved(listed, past) if timed and gone < _DAY])


def _moved(
    listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]
) -> Iterator[tuple[Entry[Article], int, bool]]:
    """Those that had a date and have one: by how much it moved, and whether it gained or lost its time."""
    for entry in listed:
        before = past.get(entry.observed.key)
        old, new = before.state.updated or "" if before else "", entry.observed.state.updated or ""
        was_at, is_at = micros(old), micros(new)
        if was_at is not None and is_at is not None:
            yield entry, abs(is_at - was_at), (":" in old) != (":" in new)


def _shifted(listed: Sequence[Entry[Article]], past: Mapping[str, SnapshotState[Article]]) -> dict[str, Article]:
    """Those that lay at different instants and moved by the same zone."""
    groups: defaultdict[int, list[Entry[Article]]] = defaultdict(list)
    before: defaultdict[int, set[int]] = defaultdict(set)
    for entry in listed:
        known = past.get(entry.observed.key)
        was_at, is_at = micros(known.state.updated or "" if known else ""), micros(entry.observed.state.updated or "")
        if was_at is not None and is_at is not None and _is_zone(is_at - was_at):
            groups[is_at - was_at].append(entry)
            before[is_at - was_at].add(was_at)
    best = max(groups, key=lambda shift: len(groups[shift]), default=0)
    return _states(groups[best]) if len(before[best]) >= FEW else {}


def _is_zone(shift: int) -> bool:
    return abs(shift) <= _ZONES and shift % _QUARTER == 0


def _generated(
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
