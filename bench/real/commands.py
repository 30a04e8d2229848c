"""The histories through commands, as people run them: one process a visit, driftline beside the floor and the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.changedetection import changedetection
from bench.contenders import Contender, driftline, floor, urlwatch_like
from bench.real.material import VISITS, History, Player
from bench.report import FLOOR

ALONE: Final = 5  # runs of one page, of which the cheapest is the start-up


class Row(NamedTuple):
    """One contender over all visits after the first."""

    name: str
    cpu_ms: float  # per check, start-up not counted
    whole_ms: float  # per check, start-up and all
    start_up_ms: float
    false_alarms: int
    quiet: int
    missed: int
    changed: int

    def line(self, floor_ms: float) -> str:
        return (
            f"| {self.name} | {self.cpu_ms:.2f} | {self.cpu_ms / floor_ms:.1f} | {self.whole_ms:.2f} "
            f"| {self.start_up_ms:,.0f} ms | {self.false_alarms} / {self.quiet:,} | {self.missed} / {self.changed} |"
        )


def contenders(*, peers: bool) -> Iterator[Contender]:
    yield floor("parse", FLOOR)
    yield driftline(lambda folder: f"sqlite:///{folder / 'driftline.db'}", "driftline")
    if peers:
        yield urlwatch_like("urlwatch", "urlwatch", selector=False)
        yield urlwatch_like("webchanges", "webchanges", selector=False)
        yield changedetection("changedetection.io")


def row_of(contender: Contender, player: Player, some: Sequence[History], folder: Path) -> Row:
    """One command a visit for all pages, and some for a single page, which are its start-up."""
    urls = {one.number: player.url(one.number) for one in some}
    usual = sorted(some, key=lambda one: len(one.body(0)))[len(some) // 2]
    player.go_to(0)
    one, whole = folder / "one", folder / "whole"
    for place, wanted in ((one, [urls[usual.number]]), (whole, list(urls.values()))):
        place.mkdir(parents=True)
        contender.prepare(place, wanted)
        contender.check(place)
    start_up = min(contender.check(one)[0].cpu for _ in range(ALONE))
    spent = 0.0
    false_alarms = missed = quiet = changed = 0
    for visit in range(1, VISITS):
        player.go_to(visit)
        cost, said = contender.check(whole)
        spent += cost.cpu
        for label, wrong in (("quiet", True), ("change", False)):
            labelled = [urls[one.number] for one in some if one.labels[visit - 1] == label]
            wrongs = sum((url in said) == wrong for url in labelled)
            quiet, changed = quiet + len(labelled) * wrong, changed + len(labelled) * (not wrong)
            false_alarms, missed = false_alarms + wrongs * wrong, missed + wrongs * (not wrong)
    checks = len(some) * (VISITS - 1)
    name = f"{contender.name} {contender.version()}".strip()
    own = (spent - start_up * (VISITS - 1)) / checks
    return Row(name, own * 1000, spent / checks * 1000, start_up * 1000, false_alarms, quiet, missed, changed)
