"""Laws that hold on every real page: printed as passed or broken, with the pages that broke them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from bench.real.explained import unexplained
from bench.real.material import VISITS, History
from driftline import ParsedPage, compare_pages, read_page
from driftline.core.diff.lines import align

_LISTED: Final = re.compile(r"(?:<li\b[^<>]*>(?:[^<]|<(?!/?(?:li|ul|ol)\b)){0,2000}</li>\s*){3,60}", re.IGNORECASE)
_ENTRY: Final = re.compile(r"<li\b.*?</li>\s*", re.IGNORECASE | re.DOTALL)
TABLE: Final = ("| law, on real pages | pages or steps | broken |", "|---|--:|--:|")
LAWS: Final = (
    "the same page twice: nothing",
    "its list entries in another order: nothing",
    "the diff applied to before gives after",
    "every dropped difference has a rule",
)


def tried(some: Iterable[History]) -> list[str]:
    """All laws over some histories, as rows of the table."""
    laws = Laws()
    for history in some:
        bodies = [history.body(visit) for visit in range(VISITS)]
        laws.page(str(history.number), bodies[0])
        pages = [read_page(body) for body in bodies]
        for visit, (before, after) in enumerate(pairwise(pages), 1):
            if before.signature != after.signature:
                laws.step(f"{history.number} visit {visit}", before, after)
    return list(laws.rows())


class Laws:
    """Counts what was tried and what broke."""

    def __init__(self) -> None:
        self._tried = dict.fromkeys(LAWS, 0)
        self.broken: list[tuple[str, str]] = []

    def page(self, name: str, body: bytes) -> None:
        """One version for itself."""
        page = read_page(body)
        self._hold(LAWS[0], name, ok=not compare_pages(page, read_page(body)).different)
        source = body.decode("utf-8", "replace")
        shuffled = _LISTED.sub(lambda found: "".join(reversed(_ENTRY.findall(found[0]))), source)
        if shuffled != source:
            self._hold(LAWS[1], name, ok=not compare_pages(read_page(source), read_page(shuffled)).meaningful)

    def step(self, name: str, before: ParsedPage, after: ParsedPage) -> None:
        """Two versions in a row."""
        self._hold(LAWS[2], name, ok=_applied(before.lines, after.lines) == list(after.lines))
        self._hold(LAWS[3], name, ok=not unexplained(before, after))

    def _hold(self, law: str, name: str, *, ok: bool) -> None:
        self._tried[law] += 1
        if not ok:
            self.broken.append((law, name))

    def rows(self) -> Iterable[str]:
        """For the table."""
        for law, tried in self._tried.items():
            names = [name for broken, name in self.broken if broken == law]
            yield f"| {law} | {tried:,} | {len(names)}{': ' + ', '.join(names[:5]) if names else ''} |"


def _applied(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What an alignment makes of the lines before."""
    made: list[str] = []
    for op in align(before, after):
        if op.action in ("equal", "moved"):
            made += before[op.before : op.before_end]
        elif op.action in ("changed", "added"):
            made += after[op.after : op.after_end]
    return made
