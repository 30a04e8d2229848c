"""The labelled pairs through the library: what is said of them, and what reading and comparing the newer one costs."""

from __future__ import annotations

import time
from collections.abc import Iterable

from bench.floors import hash_text
from bench.real.explained import unexplained
from bench.real.figures import Cost, Tally, Versions
from bench.real.material import Pair, Part
from bench.real.truth import seen
from driftline import compare_pages, read_page


def judge(some: Iterable[Pair], part: Part) -> tuple[list[Tally], Cost]:
    """A tally a corpus; the cost is that of reading the newer version and comparing it with the older one."""
    tallies: dict[str, Tally] = {}
    cost = Cost()
    for pair in some:
        tally = tallies.setdefault(pair.corpus, Tally(pair.corpus, part))
        body = pair.after.encode()
        before = read_page(pair.before, url=pair.url)
        began = time.process_time()
        hash_text(body)
        floored = time.process_time()
        diff = compare_pages(before, body, url=pair.url)
        cost.add(1, time.process_time() - floored, floored - began)
        sides = seen(pair.before), seen(pair.after)
        newer = read_page(pair.after, url=pair.url)
        tally.unexplained += unexplained(before, newer)
        tally.muted += bool(diff.findings) and not diff.meaningful
        tally.verdict(pair.id, pair.label, reported=diff.meaningful, said=diff.headline, sides=sides)
        if diff.meaningful:
            tally.report(pair.id, diff.headline, sides)
            tally.listed(pair.id, diff, Versions((pair.before, pair.after), (before, newer)), sides)
    return [tallies[name] for name in sorted(tallies)], cost
