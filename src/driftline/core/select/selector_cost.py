"""Estimates the cost of user-defined expressions before they run: neither lexbor nor libxml2 can be interrupted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

MAX_STEPS = 50_000_000  # about a second, for all expressions of a watch together
_LOOKUPS_PER_STEP = 16  # lookups in the set of found nodes that cost as much as one step


class TreeMeasures(msgspec.Struct, frozen=True):
    """The measures of a tree that determine costs."""

    nodes: int
    depth: int  # of the deepest element
    siblings: int  # of the element with the most children
    tags: Mapping[str, int] = {}  # number of elements by tag


class Cost(msgspec.Struct, frozen=True):
    """An upper bound: steps per node, times these powers of the tree's measures."""

    nodes: int = 0
    depth: int = 0
    siblings: int = 0
    tags: tuple[str, ...] = ()  # descends from all elements with these tags; `*` is any node
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
    """An upper bound for evaluating all of them on such a tree; a step takes 0.02 microseconds."""
    return sum(_steps(cost, shape) for cost in costs)


def _steps(cost: Cost, shape: TreeMeasures) -> int:
    found: int = cost.times * shape.nodes ** (1 + cost.nodes) * shape.depth**cost.depth * shape.siblings**cost.siblings
    for tag in cost.tags:
        starts = shape.nodes if tag == "*" else shape.tags.get(tag, 0)
        found *= max(1, starts * shape.depth // _LOOKUPS_PER_STEP)
    return found
