"""Strictly increasing UUIDv7s, whatever the clock does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID, SafeUUID

import msgspec

# The 74 free bits below the timestamp are read as one counter (RFC 9562, method 2): seeded at random in each new millisecond,
# increased by a random amount inside one. So ids strictly increase, and one does not reveal the next.
_FREE_BITS = 74
_LOW_BITS = 62
_LOW = (1 << _LOW_BITS) - 1
_STEP_BITS = 32
_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << _LOW_BITS
_LATEST_MS = (1 << 48) - 1
_NEW, _INT, _UNKNOWN = UUID.__new__, int.from_bytes, SafeUUID.unknown  # an enum would look up its members each time
_SET_INT: Final = vars(UUID)["int"].__set__
_SET_SAFE: Final = vars(UUID)["is_safe"].__set__


def uuid_of(number: int) -> UUID:
    """Like UUID(int=number), without its checks: in a third of the time, because ids are made very often."""
    made = _NEW(UUID)
    _SET_INT(made, number)
    _SET_SAFE(made, _UNKNOWN)
    return made


def uuid_from(raw: bytes) -> UUID:
    """Like UUID(bytes=raw) for 16 bytes, without its checks."""
    made = _NEW(UUID)
    _SET_INT(made, _INT(raw, "big"))
    _SET_SAFE(made, _UNKNOWN)
    return made


def make_ids(now_ms: Callable[[], int], random_bits: Callable[[int], int]) -> Callable[[], UUID]:
    """A maker of strictly increasing UUIDv7s, also while the clock stands still or after it jumped back.

    `now_ms` is milliseconds since 1970; `random_bits(n)` is an integer of at most n random bits. For one thread at a time.
    """
    latest_ms = -1
    counter = 0

    def next_id() -> UUID:
        nonlocal latest_ms, counter
        now = now_ms()
        if not 0 <= now <= _LATEST_MS:
            now = min(max(now, 0), _LATEST_MS)
        if now > latest_ms:
            latest_ms = now
            counter = random_bits(_FREE_BITS - 1)  # the top bit stays free, so that a millisecond never runs out of ids
        else:
            counter += 1 + random_bits(_STEP_BITS)
            if counter >> _FREE_BITS:
                latest_ms += 1  # borrowed; the clock catches up
                counter = random_bits(_FREE_BITS - 1)
        return uuid_of(latest_ms << 80 | _VERSION_7 | counter >> _LOW_BITS << 64 | _VARIANT | counter & _LOW)

    return next_id


def id_text(identifier: UUID) -> str:
    """Like str(identifier), in a quarter of the time."""
    return msgspec.json.encode(identifier)[1:-1].decode()


def id_millisecond(identifier: UUID) -> int:
    """When an id was made, in milliseconds since 1970."""
    return identifier.int >> 80
