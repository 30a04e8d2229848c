"""Observations against stored state."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.compare import compare
from driftline.model.item import Observed, StoredItem

AT = datetime(2026, 1, 1, tzinfo=UTC)
States = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), max_size=8)


def seen(key: str, value: int) -> Observed[int]:
    return Observed(key=key, url="", title=key, fingerprint=bytes([value]), build=lambda: value)


def stored(key: str, value: int, *, member: bool = True) -> StoredItem:
    return StoredItem(item_id=UUID(int=ord(key)), key=key, fingerprint=bytes([value]), version=1, member=member)


@given(before=States, after=States, exhaustive=st.booleans())
def test_every_key_is_in_exactly_one_class(before: dict[str, int], after: dict[str, int], exhaustive: bool) -> None:
    known = {key: stored(key, value) for key, value in before.items()}
    delta = compare([seen(*pair) for pair in after.items()], known, list(known.values()), exhaustive=exhaustive)
    assert {entry.observed.key for entry in delta.entries if entry.joined} == after.keys() - before.keys()
    assert {entry.observed.key for entry in delta.entries if not entry.joined} == {
        key for key in after.keys() & before.keys() if after[key] != before[key]
    }
    absent = before.keys() - after.keys()
    assert {gone.key for gone in delta.removed} == (absent if exhaustive else set())
    assert {gone.key for gone in delta.missing} == (set() if exhaustive else absent)
    assert delta.unchanged + len(delta.entries) == len(after)


@given(States)
def test_the_same_observation_again_changes_nothing(state: dict[str, int]) -> None:
    known = {key: stored(key, value) for key, value in state.items()}
    delta = compare([seen(*pair) for pair in state.items()], known, list(known.values()), exhaustive=True)
    assert not delta.entries
    assert not delta.removed


def test_a_key_seen_twice_counts_once_and_the_last_one_wins() -> None:
    known = {"a": stored("a", 1)}
    assert not compare([seen("a", 2), seen("a", 1)], known, exhaustive=False).entries
    assert [entry.observed.fingerprint for entry in compare([seen("a", 1), seen("a", 2)], known, exhaustive=False).entries] == [
        b"\x02"
    ]


def test_a_known_item_that_is_new_to_the_watch_joins_without_moving() -> None:
    delta = compare([seen("a", 1)], {"a": stored("a", 1, member=False)}, exhaustive=False)
    assert [(entry.joined, entry.moved) for entry in delta.entries] == [(True, False)]
