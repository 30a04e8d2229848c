"""How much work a user's expressions may be, told before they run: neither lexbor nor libxml2 can be interrupted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

MAX_STEPS = 50_000_000  # a second or so, for all expressions of a watch together
_QUICK = 16  # a node's look into the set of those found already, as often as elements nest: so much quicker than a step


class TreeMeasures(msgspec.Struct, frozen=True):
    """A tree's measures."""

    nodes: int
    depth: int  # of the deepest element
    siblings: int  # of the widest element's children
    tags: Mapping[str, int] = {}  # how many elements there are of each


class Cost(msgspec.Struct, frozen=True):
    """An upper bound: every node so many times, times these powers of the tree's measures."""

    nodes: int = 0
    depth: int = 0
    siblings: int = 0
    tags: tuple[str, ...] = ()  # descents from all of these elements; `*` is any node
    times: int = 1

    def __add__(self, other: Cost) -> Cost:
        """Both for every node: one inside the other."""
        return Cost(
            self.nodes + other.nodes,
            self.depth + other.depth,
            self.siblings + other.siblings,
            self.tags + other.tags,
            self.times * other.times,
        )


def steps(costs: Sequence[Cost], shape: TreeMeasures) -> int:
    """What evaluating all of them on such a tree takes at most, a fiftieth of a microsecond each."""
    return sum(_steps(cost, shape) for cost in costs)


def _steps(cost: Cost, shape: TreeMeasures) -> int:
    found: int = cost.times * shape.nodes ** (1 + cost.nodes) * shape.depth**cost.depth * shape.siblings**cost.siblings
    for tag in cost.tags:
        starts = shape.nodes if tag == "*" else shape.tags.get(tag, 0)
        found *= max(1, starts * shape.depth // _QUICK)
    return found
