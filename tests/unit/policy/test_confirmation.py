"""What two answers seconds apart do not agree on: noise for good, or something that waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from driftline.model.noise.mask import Mask, MaskedArea
from driftline.policy.confirmation import DOUBTED_FOR, UNUSED_FOR, Doubt, doubt_of, doubted_lately, is_expired, masks_to_store

AT = datetime(2026, 11, 16, 8, tzinfo=UTC)


def mask(place: str, *, at: datetime = AT) -> Mask:
    return Mask(place=place, skeleton="", evidence="differed", area=MaskedArea(part="line", path=place), learned_at=at)


def test_what_varies_is_learned_and_what_is_as_before_again_waits() -> None:
    doubt = doubt_of([mask("clock"), mask("news")], ["clock"], (), (), at=AT)
    assert doubt == Doubt(learned=(mask("clock"),), held=(mask("news"),))
    assert doubt.unconfirmed
    assert doubt.masks == (mask("clock"), mask("news"))
    assert not Doubt(learned=(mask("clock"),)).unconfirmed


def test_what_comes_back_a_second_time_within_a_week_is_noise() -> None:
    once = mask("news").doubted("was as before again")
    assert doubted_lately([once, mask("clock")], at=AT + timedelta(days=6)) == {"news"}
    assert doubt_of([mask("news")], (), (), [once], at=AT + timedelta(days=6)).learned == (mask("news"),)
    assert doubted_lately([once], at=AT + DOUBTED_FOR) == frozenset()


def test_what_a_person_took_out_of_the_masks_is_not_learned_again() -> None:
    lifted = msgspec.structs.replace(mask("clock"), state="lifted")
    assert masks_to_store([mask("clock"), mask("news")], [lifted]) == (mask("news"),)
    assert masks_to_store([mask("clock")], [mask("clock")]) == ()


def test_a_mask_lives_as_long_as_it_is_used_and_one_that_a_person_lifted_for_good() -> None:
    old = msgspec.structs.replace(mask("clock"), needed_at=AT + timedelta(days=1))
    assert is_expired(mask("clock"), at=AT + UNUSED_FOR)
    assert not is_expired(old, at=AT + UNUSED_FOR)
    assert is_expired(old, at=AT + timedelta(days=1) + UNUSED_FOR)
    assert not is_expired(msgspec.structs.replace(old, state="lifted"), at=AT + 10 * UNUSED_FOR)
