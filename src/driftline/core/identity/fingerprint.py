"""Hashes of canonical forms, and the recipe that made them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from xxhash import xxh3_64_intdigest, xxh3_128, xxh3_128_digest, xxh3_128_hexdigest

_ENCODER = msgspec.json.Encoder(order="deterministic")


digest: Callable[[bytes], bytes] = xxh3_128_digest  # XXH3-128 of the data, 16 bytes
hexdigest: Callable[[bytes], str] = xxh3_128_hexdigest  # the same as hexadecimal text


def fingerprint(parts: Iterable[bytes]) -> bytes:
    """One hash over many parts; each is length-prefixed, so that ("ab", "c") and ("a", "bc") differ."""
    state = xxh3_128()
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def recipe(kind: str, version: int, rules: msgspec.Struct) -> bytes:
    """What a stored fingerprint was made with: kind, parser version and rules. Another recipe, another fingerprint (law 6).

    Rules that only decide what is reported (`judging`) change neither states nor recipe.
    """
    judging: frozenset[str] = getattr(type(rules), "judging", frozenset())
    extraction_rules = {name: value for name, value in msgspec.to_builtins(rules).items() if name not in judging}
    return fingerprint((kind.encode(), str(version).encode(), _ENCODER.encode(extraction_rules)))


def spread(*parts: int) -> float:
    """A number in [0, 1), evenly distributed, and always the same for the same parts."""
    text = ",".join(map(str, parts)).encode()
    return (xxh3_64_intdigest(text) >> 11) / (1 << 53)  # 53 bits: the precision of a float
