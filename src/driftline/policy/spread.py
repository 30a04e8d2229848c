"""Chance without dice: the same numbers always fall the same way."""

from __future__ import annotations

import xxhash


def spread(*parts: int) -> float:
    """A number in [0, 1), even over many watches and moments, and always the same for the same parts."""
    text = ",".join(map(str, parts)).encode()
    return (xxhash.xxh3_64_intdigest(text) >> 11) / (1 << 53)  # 53 bits: what a float holds exactly
