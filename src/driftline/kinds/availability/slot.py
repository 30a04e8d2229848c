"""A slot: one venue at one local time, and its id."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from driftline.core.identity.fingerprint import digest
from driftline.core.text.safety.sanitize import sanitize
from driftline.core.text.short_cache import short_cache

MAX_NAME: Final = 200  # characters of a provider, a venue's id or name


class Slot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bookable time. The first three fields are its identity, the others are not compared."""

    provider: str
    venue_id: str
    time: str  # local to the venue: 2026-02-28T20:30
    timezone: str = "UTC"  # of `time`, an IANA name
    venue_name: str = ""
    party_sizes: tuple[int, ...] = ()  # that it is offered to, in order; empty if the request had none
    booking_url: str | None = None
    extra: dict[str, Any] = {}

    @property
    def slot_id(self) -> str:
        """Stable across checks and party sizes."""
        return slot_id(self.provider, self.venue_id, self.time)

    @property
    def people(self) -> str:
        """`2 or 4 people`; empty where the board says nothing of it."""
        *others, last = map(str, self.party_sizes or ("",))
        if not last:
            return ""
        return f"{', '.join(others)} or {last} people" if others else f"{last} {'person' if last == '1' else 'people'}"

    @property
    def venue(self) -> tuple[str, str]:
        """The venue's identity."""
        return self.provider, self.venue_id


def slot_id(provider: str, venue_id: str, local_time: str) -> str:
    """The hash of a slot's identity; the parts contain no NUL, so that they cannot be confused."""
    return digest((venue_prefix(provider, venue_id) + local_time).encode()).hex()


def venue_prefix(provider: str, venue_id: str) -> str:
    """The part of the identity that all slots of a venue share."""
    return f"{provider}\0{venue_id}\0"


def name_of(value: object) -> str | None:
    """A provider, venue id or venue name as clean text; None for any other value."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e18 < value < 1e18:
        return None
    return str(int(value)) if value == int(value) else str(value)  # 7 and 7.0 are the same id


@short_cache(16_384)  # every slot repeats its venue's name
def _clean(text: str) -> str | None:
    return sanitize(text[: 2 * MAX_NAME]).strip()[:MAX_NAME] or None


def canonical(slot_key: str, sizes: tuple[int, ...]) -> bytes:
    """The fingerprinted bytes: identity and party sizes. Names, links and tokens change without meaning."""
    return f"{slot_key} {','.join(map(str, sizes))}".encode()
