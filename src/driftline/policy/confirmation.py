"""Decides what two answers that disagree mean: noise for good, a doubt for this time, or nothing."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from driftline.model.noise.mask import Mask

FURTHER_FETCHES: Final = 2  # of a new page: rotating content is often the same the second time, seldom the third
DOUBTED_FOR: Final = timedelta(days=7)  # a second change back within this time makes it noise

UNUSED_FOR: Final = timedelta(days=30)  # a mask that hid nothing for so long is deleted
_NOTE_USE_EVERY: Final = timedelta(days=1)  # how often the use of a mask is stored


class Doubt(NamedTuple):
    """What a second answer removes from a report."""

    learned: tuple[Mask, ...] = ()  # changes on its own
    held: tuple[Mask, ...] = ()  # is as before again: for this report only
    unconfirmed_only: tuple[Mask, ...] = ()  # everything else that the second answer does not confirm: for this report only

    @property
    def unconfirmed(self) -> bool:
        """Whether the same answer has to be compared again next time."""
        return bool(self.held or self.unconfirmed_only)

    @property
    def masks(self) -> tuple[Mask, ...]:
        """Everything that is applied to this report."""
        return (*self.learned, *self.held, *self.unconfirmed_only)


def doubted_lately(known: Iterable[Mask], *, at: datetime) -> frozenset[str]:
    """Places that changed back once before."""
    return frozenset(mask.place for mask in known if mask.state == "doubtful" and at - mask.learned_at < DOUBTED_FOR)


def doubt_of(
    differing: Sequence[Mask], volatile: Iterable[str], unconfirmed_only: Iterable[Mask], known: Sequence[Mask], *, at: datetime
) -> Doubt:
    """Classify what differs between two answers seconds apart: what changes on its own, now or lately, is noise for good.

    What is as before again is held back: servers may be out of step, and the next check reports it if it stays.
    """
    noise = {*volatile, *doubted_lately(known, at=at)}
    return Doubt(
        learned=masks_to_store((mask for mask in differing if mask.place in noise), known),
        held=masks_to_store((mask for mask in differing if mask.place not in noise), known),
        unconfirmed_only=tuple(unconfirmed_only),
    )


def masks_to_store(learned: Iterable[Mask], known: Sequence[Mask]) -> tuple[Mask, ...]:
    """New masks, without places that a user lifted."""
    lifted = {mask.place for mask in known if mask.state == "lifted"}
    active = [mask.area for mask in known if mask.state != "doubtful"]  # a repeated doubt is stored with its new time
    return tuple(mask for mask in learned if mask.place not in lifted and mask.area not in active)


def is_expired(mask: Mask, *, at: datetime) -> bool:
    """Whether a mask was unused for so long that it is deleted; a lifted one stays."""
    return mask.state != "lifted" and at - (mask.needed_at or mask.learned_at) >= UNUSED_FOR


def masks_in_use(masks: Iterable[Mask], rules: Container[str], *, at: datetime) -> tuple[UUID, ...]:
    """The masks that suppressed something in this run, if that was not stored lately."""
    return tuple(
        mask.id
        for mask in masks
        if mask.id is not None
        and at - (mask.needed_at or mask.learned_at) >= _NOTE_USE_EVERY
        and f"ignored area {mask.id}" in rules
    )
