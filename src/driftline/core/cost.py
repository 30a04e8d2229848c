"""How much work a user's expression may be on a tree, told before it runs: neither lexbor nor libxml2 can be interrupted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

MAX_STEPS = 50_000_000  # a second or so
_QUICK = 16  # a node's look into the set of those found already, as often as elements nest: so much quicker than a step


class Shape(msgspec.Struct, frozen=True):
    """A tree's measures."""

    nodes: int
    depth: int  # of the deepest element
    siblings: int  # of the widest element's children
    tags: Mapping[str, int] = {}  # how many elements there are of each


class Cost(msgspec.Struct, frozen=True):
    """An upper bound: every node once, times these powers of the tree's measures."""

    nodes: int = 0
    depth: int = 0
    siblings: int = 0
    tags: tuple[str, ...] = ()  # descents from all of these elements; `*` is any node

    def __add__(self, other: Cost) -> Cost:
        """Both for every node: one inside the other."""
        return Cost(self.nodes + other.nodes, self.depth + other.depth, self.siblings + other.siblings, self.tags + other.tags)


def affordable(costs: Sequence[Cost], shape: Shape, *, among: int = 1) -> bool:
    """Whether evaluating all of them on such a tree is safe in this process, as one of so many expressions."""
    return sum(_steps(cost, shape) for cost in costs) <= MAX_STEPS // among


def _steps(cost: Cost, shape: Shape) -> int:
    steps: int = shape.nodes ** (1 + cost.nodes) * shape.depth**cost.depth * shape.siblings**cost.siblings
    for tag in cost.tags:
        starts = shape.nodes if tag == "*" else shape.tags.get(tag, 0)
        steps *= max(1, starts * shape.depth // _QUICK)
    return steps
