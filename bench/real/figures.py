"""What is counted, and how it is written down."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from bench.real.material import Part
from bench.real.truth import Seen, differing, names_nothing, standing, stands_on_both
from driftline import ParsedPage
from driftline.kinds.page.diff import PageDiff


class Cost(msgspec.Struct):
    """CPU of some checks, and of the floor over the same bytes."""

    checks: int = 0
    seconds: float = 0.0
    floor: float = 0.0

    def add(self, checks: int, seconds: float, floor: float) -> None:
        self.checks += checks
        self.seconds += seconds
        self.floor += floor

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.checks + other.checks, self.seconds + other.seconds, self.floor + other.floor)

    def cells(self) -> str:
        if not self.checks:
            return "0 | | | "
        per = 1000 / self.checks
        return f"{self.checks:,} | {self.floor * per:.2f} | {self.seconds * per:.2f} | {self.seconds / self.floor:.1f}"


class Versions(NamedTuple):
    """Both sides of a step, as they came and as they were read."""

    sources: tuple[str, str]
    pages: tuple[ParsedPage, ParsedPage]


class Wrong(msgspec.Struct):
    """A verdict that the label, or what differs, contradicts."""

    corpus: str
    part: Part
    name: str
    what: str  # false alarm, missed, names nothing, false added, not read
    said: str
    before: list[str]  # texts that stand on one side only
    after: list[str]

    def text(self) -> str:
        sides = [*(f"  - {line[:300]}" for line in self.before[:40]), *(f"  + {line[:300]}" for line in self.after[:40])]
        return "\n".join((f"{self.corpus} {self.name} ({self.part}): {self.what}: {self.said}", *sides, ""))


class Tally(msgspec.Struct):
    """The verdicts on one corpus."""

    corpus: str
    part: Part
    quiet: int = 0
    changed: int = 0
    reported: int = 0
    muted: int = 0  # changes that are recorded and not sent
    entries: int = 0
    unexplained: int = 0  # differences that neither a report nor a rule names
    wrong: list[Wrong] = []

    def count(self, what: str) -> int:
        return sum(one.what == what for one in self.wrong)

    def verdict(self, name: str, label: str, *, reported: bool, said: str, sides: tuple[Seen, Seen]) -> None:
        """One step, held against its label."""
        self.quiet += label in ("quiet", "noise")
        self.changed += label == "change"
        if reported and label in ("quiet", "noise"):
            self.note(name, "false alarm", said, sides)
        elif not reported and label == "change":
            self.note(name, "missed", said, sides)

    def report(self, name: str, headline: str, sides: tuple[Seen, Seen]) -> None:
        """What was told, held against what differs."""
        self.reported += 1
        if names_nothing(headline, *sides):
            self.note(name, "names nothing", headline, sides)

    def listed(self, name: str, diff: PageDiff, versions: Versions, sides: tuple[Seen, Seen]) -> None:
        """The entries that were called added or removed, held against both versions."""
        found = [block for block in diff.blocks if block.action != "modified"]
        if not found:
            return
        self.entries += len(found)
        texts = [{block.key: block.text for block in page.blocks or ()} for page in versions.pages]
        stood = [standing(source, versions.pages[0].url) for source in versions.sources]
        for block in found:
            text = texts[block.action == "added"].get(block.block_key, block.text_excerpt)
            if stands_on_both(block, text, *stood):
                self.note(name, "false added or removed", f"{block.action} {block.title} ({block.block_key})", sides)

    def note(self, name: str, what: str, said: str, sides: tuple[Seen, Seen]) -> None:
        before, after = differing(*sides)
        self.wrong.append(Wrong(self.corpus, self.part, name, what, said, before, after))

    def row(self) -> str:
        return (
            f"| {self.corpus} | {self.part} | {_of(self.count('false alarm'), self.quiet)} "
            f"| {_of(self.count('missed'), self.changed)} | {self.muted} | {_of(self.count('names nothing'), self.reported)} "
            f"| {_of(self.count('false added or removed'), self.entries)} | {self.unexplained} | {self.count('not read')} |"
        )


def _of(some: int, all_of_them: int) -> str:
    return f"{some} / {all_of_them:,}" + (f" ({some / all_of_them:.1%})" if some else "")
