from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadFile, BadRule
from driftline.kinds.availability.rules import AvailabilityRules, SlotFields
from driftline.slots import compare_slots, read_slots


def slot(venue: object, time: object, **more: Any) -> dict[str, Any]:
    return {"provider": "resy", "venue_id": venue, "time": time, **more}


def test_the_first_poll_is_the_baseline() -> None:
    diff = compare_slots(None, [slot("v", "2026-02-28T20:30")])
    assert (diff.baseline, diff.opened, diff.closed, diff.drops) == (True, [], [], [])


def test_opened_closed_and_drops() -> None:
    kept, gone = slot("a", "2026-02-28 20:30:00"), slot("b", "2026-02-28T20:30")
    more, drop = slot("a", "2026-02-28T21:00"), slot("c", "2026-02-28T21:00", token="t")
    diff = compare_slots([kept, gone], [slot("a", "2026-02-28T20:30"), more, drop])
    assert (diff.opened, diff.closed, diff.drops) == ([more, drop], [gone], [drop])
    assert not diff.baseline


def test_an_empty_previous_poll_is_not_a_missing_one() -> None:
    assert len(compare_slots([], [slot("v", "2026-02-28T20:30")]).drops) == 1


def test_the_same_slot_in_two_spellings_is_one() -> None:
    assert compare_slots([slot(7, "2026-02-28 20:30:00")], [slot("7", "2026-02-28T20:30")]).opened == []
    assert compare_slots([slot(7, "20:30")], [slot(7, "8:30 PM")]).opened == []


def test_a_slot_that_is_listed_and_not_to_be_had_is_not_there() -> None:
    taken, free = slot("v", "2026-02-28T20:30", available=False), slot("v", "2026-02-28T20:30", available=True)
    assert compare_slots([taken], [free]).drops == [free]
    assert compare_slots([free], [taken]).closed == [free]


def test_answers_are_compared_as_they_came() -> None:
    one = b'{"days": [{"date": "2026-12-01", "slots": [{"id": "a1", "time": "10:00"}]}], "now": 1}'
    two = (
        b'{"days": [{"date": "2026-12-01", "slots": [{"id": "b2", "time": "11:00"}, {"id": "c3", "time": "10:00"}]}], "now": 2}'
    )
    diff = compare_slots(one, two)
    assert [opened["time"] for opened in diff.opened] == ["2026-12-01T11:00"]
    assert (diff.closed, diff.drops) == ([], [])
    assert compare_slots(None, one).baseline
    with pytest.raises(BadFile, match="not found"):
        compare_slots(one, b'{"error": "busy"}')


def test_slots_are_read_with_rules_and_on_the_day_that_was_asked_for() -> None:
    rules = AvailabilityRules(fields=SlotFields(slots="$.list", venue_id="court", time="$.at"), timezone="Europe/Berlin")
    (found,) = read_slots(b'{"list": [{"at": "10:00"}]}', day="2026-12-01", rules=rules)
    assert (found.venue_id, found.time, found.timezone) == ("court", "2026-12-01T10:00", "Europe/Berlin")
    with pytest.raises(BadRule):
        read_slots(b"[]", rules=AvailabilityRules(timezone="Mars"))


def test_a_venue_of_another_provider_is_another_venue() -> None:
    other = {"provider": "tock", "venue_id": "v", "time": "2026-02-28T21:00"}
    assert compare_slots([slot("v", "2026-02-28T20:30")], [slot("v", "2026-02-28T20:30"), other]).drops == [other]


@pytest.mark.parametrize("bad", [None, 7, {}, slot(None, "2026-02-28T20:30"), slot("v", None), slot("v", "late"), slot([], {})])
def test_bad_slots_are_named_and_the_others_stand(bad: Any) -> None:
    diff = compare_slots([], [bad, slot("v", "2026-02-28T20:30")])
    assert len(diff.opened) == 1
    assert [one.slot for one in diff.bad] == [bad]


@pytest.mark.parametrize("slots", ["text", {"slots": []}, 7])
def test_what_is_no_list_is_refused(slots: Any) -> None:
    with pytest.raises(BadFile):
        compare_slots([], slots)


slots = st.lists(
    st.builds(slot, st.sampled_from("abc"), st.sampled_from(["2026-02-28T20:30", "2026-02-28 20:30:00", "2026-02-28T21:00"]))
)


@given(before=slots, after=slots)
def test_drops_are_the_opened_slots_of_venues_that_had_none(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    diff = compare_slots(before, after)
    had = {one["venue_id"] for one in before}
    assert diff.drops == [one for one in diff.opened if one["venue_id"] not in had]
    assert len(diff.closed) == len(compare_slots(after, before).opened)
    assert compare_slots(after, after).opened == []
