"""Ids that are made of what they name: the same commit twice makes the same row."""

from __future__ import annotations

from uuid import RFC_4122, UUID

from driftline.store.runs.write_items import _mask_hash, _mask_id

ONE, OTHER = UUID(int=1), UUID(int=2)


def test_the_id_of_an_ignored_area_is_a_uuid_of_our_own_making_and_always_the_same() -> None:
    made = _mask_id(ONE, _mask_hash("main > p", "# visitors"))
    assert (made.version, made.variant) == (8, RFC_4122)
    assert made == _mask_id(ONE, _mask_hash("main > p", "# visitors"))


def test_another_watch_place_or_skeleton_is_another_id() -> None:
    hashes = [_mask_hash("p", "x"), _mask_hash("px", ""), _mask_hash("p", "y")]
    assert len({_mask_id(watch, hashed) for watch in (ONE, OTHER) for hashed in hashes}) == 6
