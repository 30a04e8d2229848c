"""How often a source is asked before something is reported, and what of two answers that do not agree is kept as noise."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from driftline.model.mask import Mask

FURTHER_FETCHES: Final = (
    2  # of a page that is new; what turns among few is often the same the second time, and seldom the third
)
DOUBTED_FOR: Final = timedelta(days=7)  # within which the second time that something came back makes it noise

NEEDED_WITHIN: Final = timedelta(days=30)  # a mask that hid nothing for so long is gone
_NOTED_EVERY: Final = timedelta(days=1)  # that it was needed


class Doubt(NamedTuple):
    """What a second answer takes out of what would be reported."""

    learned: tuple[Mask, ...] = ()  # varies by itself
    held: tuple[Mask, ...] = ()  # is as before again: this time alone
    once: tuple[Mask, ...] = ()  # whatever the second answer does not show, be it what no mask may cover: this time alone

    @property
    def unconfirmed(self) -> bool:
        """Whether something has to be looked at again."""
        return bool(self.held or self.once)

    @property
    def masks(self) -> tuple[Mask, ...]:
        """All that is applied now."""
        return (*self.learned, *self.held, *self.once)


def doubted_lately(known: Iterable[Mask], *, at: datetime) -> frozenset[str]:
    """Places that went and came back once before: they have to stay three times."""
    return frozenset(mask.place for mask in known if mask.state == "doubtful" and at - mask.learned_at < DOUBTED_FOR)


def doubt_of(now: Sequence[Mask], varies: Iterable[str], once: Iterable[Mask], known: Sequence[Mask], *, at: datetime) -> Doubt:
    """What two answers seconds apart differ in: where the source varies by itself, or did so lately, it is noise for good.

    What is as before again waits: servers may not agree yet, and the next check will find them agreed and report it.
    """
    noise = {*varies, *doubted_lately(known, at=at)}
    return Doubt(
        learned=wanted((mask for mask in now if mask.place in noise), known),
        held=wanted((mask for mask in now if mask.place not in noise), known),
        once=tuple(once),
    )


def wanted(learned: Iterable[Mask], known: Sequence[Mask]) -> tuple[Mask, ...]:
    """Masks that are new, and whose places no person has taken out of the masks."""
    spared = {mask.place for mask in known if mask.state == "lifted"}
    there = [mask.area for mask in known if mask.state != "doubtful"]  # a doubt that comes again takes the new time
    return tuple(mask for mask in learned if mask.place not in spared and mask.area not in there)


def is_expired(mask: Mask, *, at: datetime) -> bool:
    """Whether a mask was not needed for so long that it is forgotten; what a person lifted stays lifted."""
    return mask.state != "lifted" and at - (mask.needed_at or mask.learned_at) >= NEEDED_WITHIN


def needed(masks: Iterable[Mask], rules: Container[str], *, at: datetime) -> tuple[UUID, ...]:
    """The masks among the rules that dropped something, where that is not noted yet."""
    return tuple(
        mask.id
        for mask in masks
        if mask.id is not None
        and at - (mask.needed_at or mask.learned_at) >= _NOTED_EVERY
        and f"ignored area {mask.id}" in rules
    )
