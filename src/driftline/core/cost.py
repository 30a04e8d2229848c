"""How much work a user's expression may be on a tree, told before it runs: neither lexbor nor libxml2 can be interrupted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

MAX_STEPS = 50_000_000  # under a second


class Shape(msgspec.Struct, frozen=True):
    """A tree's measures."""

    nodes: int
    depth: int  # of the deepest element
    siblings: int  # of the widest element's children


class Cost(msgspec.Struct, frozen=True):
    """An upper bound: every node once, times these powers of the tree's measures."""

    nodes: int = 0
    depth: int = 0
    siblings: int = 0


def affordable(costs: Sequence[Cost], shape: Shape) -> bool:
    """Whether evaluating all of them on such a tree is safe in this process."""
    return sum(_steps(cost, shape) for cost in costs) <= MAX_STEPS


def _steps(cost: Cost, shape: Shape) -> int:
    steps: int = shape.nodes ** (1 + cost.nodes) * shape.depth**cost.depth * shape.siblings**cost.siblings
    return steps
