"""Answers that nobody described, in the shapes that booking systems have: what is open, and nothing else."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.unit.kinds.availability.more_shapes import MORE_SHAPES
from tests.unit.kinds.availability.shapes import DAY, SHAPES, SITE, at

from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules, SlotFields
from driftline.kinds.availability.slot import Slot
from driftline.kinds.kind import Reading
from driftline.model.fetch import Fetched, Request

AT = datetime(2026, 11, 1, tzinfo=UTC)


def read(data: Any, rules: AvailabilityRules = AvailabilityRules(), body: bytes | None = None) -> Reading[Slot]:  # noqa: B008
    request = Request(url=f"https://{SITE}/find", label=f"{DAY}|")
    body = msgspec.json.encode(data) if body is None else body
    return KIND.read(Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=AT), rules, None)


def seen(reading: Reading[Slot]) -> list[str]:
    """`venue time` of every slot; the day is left out where it is the usual one."""
    assert reading.outcome is None, reading.reason
    return sorted(f"{item.state.venue_id} {item.state.time.removeprefix(DAY + 'T')}" for item in reading.items)


@pytest.mark.parametrize("shape", SHAPES | MORE_SHAPES)
def test_the_slots_of_an_answer_are_found_without_rules(shape: str) -> None:
    data, expected = (SHAPES | MORE_SHAPES)[shape]
    reading = read(data)
    assert seen(reading) == expected
    assert reading.counters["bad_slots"] == 0


def stirred(data: Any) -> Any:
    """The same answer at another time: other tokens and prices, another order, another clock."""
    if isinstance(data, list):
        return [stirred(one) for one in reversed(data)]
    if not isinstance(data, dict):
        return data
    turned = {name: stirred(value) for name, value in reversed(data.items())}
    if "id" in turned and "slots" not in turned and "staff" not in turned and "name" not in turned:
        turned["id"] = f"other {turned['id']}"
    return turned | {"slotHash": "x9", "price": 17, "hold_expires_at": "2026-11-01T10:10:00Z"}


@pytest.mark.parametrize("shape", [name for name in SHAPES if not {"map", "sites", "rows"} & {*name.split()}])
def test_tokens_order_and_clocks_change_no_slot(shape: str) -> None:
    data, _ = SHAPES[shape]
    noisy = stirred(copy.deepcopy(data))
    if isinstance(noisy, dict):
        noisy |= {"request_id": "83bf", "server_time": "2026-11-01T10:00:00Z", "time": "2026-11-01T10:00:00Z", "took": 12}
    assert {item.key for item in read(noisy).items} == {item.key for item in read(data).items}


NOTHING = {
    "an error": {"error": "maintenance"},
    "errors": {"errors": []},
    "busy times only": {"calendars": {"x": {"busy": [{"start": f"{DAY}T10:00:00Z", "end": f"{DAY}T11:00:00Z"}]}}},
    "opening hours": {"venue": {"opens_at": "09:00", "opening_hours": [{"from": "09:00", "to": "17:00"}]}},
    "null": {"slots": None},
    "a server's clock": {"time": "2026-11-01T10:00:00Z"},
}


@pytest.mark.parametrize("data", NOTHING.values(), ids=NOTHING)
def test_an_answer_without_a_list_is_an_error(data: Any) -> None:
    reading = read(data)
    assert (reading.complete, reading.outcome) == (False, "error")
    assert "not found" in str(reading.reason)


@pytest.mark.parametrize(
    "data",
    [
        {"success": False, "slots": []},
        {"ok": "false", "data": []},
        {"status": "error", "message": "busy", "slots": []},
        {"status": 503, "slots": []},
        {"errors": [{"code": 7}], "data": {"slots": []}},
    ],
)
def test_an_empty_list_in_an_answer_that_failed_closes_nothing(data: Any) -> None:
    for rules in (AvailabilityRules(), AvailabilityRules(fields=SlotFields(slots=("$.slots", "$.data", "$.data.slots")))):
        reading = read(data, rules)
        assert (reading.complete, reading.outcome) == (False, "error")
        assert "failed" in str(reading.reason)


def test_slots_that_are_listed_and_not_to_be_had_are_not_open() -> None:
    slots = [{"provider": "p", "venue_id": "v", "time": f"{DAY}T1{number}:00"} for number in range(4)]
    slots[1]["available"] = False  # type: ignore[assignment]
    slots[3]["status"] = "booked"
    assert seen(read({"slots": slots})) == at("10:00", "12:00", venue="v")
    mapped = AvailabilityRules(fields=SlotFields(slots="$.slots", venue_id="$.venue_id", time="$.time"))
    assert seen(read({"slots": slots}, mapped)) == at("10:00", "12:00", venue="v")


def test_a_rule_may_say_what_tells_whether_a_slot_is_free() -> None:
    slots = [{"venue_id": "v", "time": f"{DAY}T1{number}:00", "status": "booked", "n": number % 2} for number in range(4)]
    counted = AvailabilityRules(fields=SlotFields(slots="$.slots", available="$.n"))
    assert seen(read({"slots": slots}, counted)) == at("11:00", "13:00", venue="v")
    all_of_them = AvailabilityRules(fields=SlotFields(slots="$.slots", available="yes"))
    assert len(seen(read({"slots": slots}, all_of_them))) == 4


def test_a_mapping_without_a_venue_is_of_the_site_itself() -> None:
    rules = AvailabilityRules(fields=SlotFields(slots="$.list", time="$.begin"))
    assert seen(read({"list": [{"begin": f"{DAY}T10:00"}, {"begin": f"{DAY}T11:00"}]}, rules)) == at("10:00", "11:00")


def test_one_slot_without_a_venue_among_others_is_counted_as_bad() -> None:
    data = {"slots": [{"start": f"{DAY}T10:00", "venue": "A"}, {"start": f"{DAY}T11:00"}]}
    reading = read(data)
    assert (seen(reading), reading.counters["bad_slots"]) == (at("10:00", venue="A"), 1)


def test_a_slot_with_a_provider_and_no_venue_is_bad() -> None:
    assert "no venue" in str(read({"slots": [{"provider": "p", "time": f"{DAY}T10:00"}]}).reason)


def test_rules_add_to_what_was_found() -> None:
    rules = AvailabilityRules(
        fields=SlotFields(
            provider="club",
            venue_id="court 1",
            venue_name="Court 1",
            booking_url="https://c.example/{date}",
            extra={"n": "$.n"},
        )
    )
    (item,) = read([{"start": f"{DAY}T10:00", "n": 3, "url": "/x"}], rules).items
    slot = item.state
    assert (slot.provider, slot.venue_id, slot.venue_name) == ("club", "court 1", "Court 1")
    assert (slot.booking_url, slot.extra) == (f"https://c.example/{DAY}", {"n": 3})


def test_a_link_beside_a_slot_is_its_booking_link() -> None:
    (item,) = read([{"start": f"{DAY}T10:00", "url": "/book/1"}]).items
    assert item.state.booking_url == "https://b.example/book/1"


@pytest.mark.parametrize("wrapped", [b"cb(%s);", b")]}'\n%s", b"while(1);%s", b"\xef\xbb\xbf%s"])
def test_wrappings_against_theft_are_taken_off(wrapped: bytes) -> None:
    assert seen(read(None, body=wrapped % b'{"slots": ["10:00"]}')) == at("10:00")


def test_a_venue_has_the_name_that_stands_beside_its_id() -> None:
    centers = [{"center_id": 7, "name": "North", "sessions": [{"date": DAY, "slots": ["10:00"]}]}]
    slot = read({"centers": centers}).items[0].state
    assert (slot.venue_id, slot.venue_name) == ("7", "North")


def test_an_object_a_line_is_a_list() -> None:
    lines = [{"start": f"{DAY}T10:00:00Z", "status": "free"}, {"start": f"{DAY}T11:00:00Z", "status": "busy"}]
    assert seen(read(None, body=b"\n".join(map(msgspec.json.encode, lines)) + b"\n")) == at("10:00")


@pytest.mark.parametrize(
    "data",
    [
        {"success": False, "message": "No session found"},
        {"error": "Not found", "message": "No appointment type with this id"},
        {"message": "No booking page was found for this account"},
        {"error": {"code": 401, "message": "Your session has expired"}},
        {
            "slots": [
                {"isAvailable": True, "offset": 15},
                {"isAvailable": False, "offset": 0},
                {"isAvailable": False, "offset": 30},
            ]
        },
    ],
)
def test_an_answer_that_cannot_be_read_closes_nothing(data: Any) -> None:
    assert read(data).outcome == "error"


def test_an_answer_that_is_too_large_to_search_is_an_error() -> None:
    reading = read({"slots": [["10:00"] * 15_000] * 40})
    assert "too" in str(reading.reason)
    deep: Any = "10:00"
    for _ in range(300):
        deep = {"a": [deep]}
    assert read(deep).outcome == "error"


def test_times_that_count_from_the_time_that_was_asked_for() -> None:
    request = Request(url=f"https://{SITE}/find", label=f"{DAY}_19:00|2")
    days = [
        {
            "dayOffset": 0,
            "slots": [{"isAvailable": True, "timeOffsetMinutes": -30}, {"isAvailable": False, "timeOffsetMinutes": 0}],
        }
    ]
    body = msgspec.json.encode({"data": {"availability": [{"restaurantId": 7, "availabilityDays": days}]}})
    got = Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=AT)
    assert seen(KIND.read(got, AvailabilityRules(), None)) == ["7 18:30"]


def test_slots_that_cannot_be_read_beside_taken_ones_close_nothing() -> None:
    slots = [{"time": "soon", "status": "open"}, {"time": f"{DAY} 10:00", "status": "booked"}]
    assert read({"slots": slots}).outcome == "error"


@pytest.mark.parametrize(
    "data",
    [
        {"timezone": "America/Chicago", "slots": [{"start": f"{DAY}T09:00"}]},
        {"timezone": "America/Chicago", "slots": [{"start": f"{DAY}T15:00:00Z"}]},
        {"slots": [{"start": {"dateTime": f"{DAY}T10:00:00-05:00", "timeZone": "America/Chicago"}}]},
        {"results": [{"venue": {"location": {"time_zone": "America/Chicago"}}, "slots": [{"start": f"{DAY} 09:00:00"}]}]},
    ],
)
def test_the_time_zone_that_an_answer_names_is_the_venues(data: Any) -> None:
    [item] = read(data).items
    assert (item.state.time, item.state.timezone) == (f"{DAY}T09:00", "America/Chicago")


def test_the_time_zone_of_the_rules_counts_more_than_that_of_an_answer() -> None:
    data = {"timezone": "America/Chicago", "slots": [{"start": f"{DAY}T15:00:00Z"}]}
    [item] = read(data, AvailabilityRules(timezone="Europe/Paris")).items
    assert (item.state.time, item.state.timezone) == (f"{DAY}T16:00", "Europe/Paris")


def test_a_free_slot_without_a_time_among_taken_ones_is_no_empty_board() -> None:
    reading = read({"trips": [{"seatsAvailable": 0, "start": f"{DAY}T10:00"}, {"seatsAvailable": 3, "leaves": "at dawn"}]})
    assert not reading.complete
    assert reading.reason == "no slot could be read: a slot has no time, or one in an unknown form"


def test_an_answer_that_says_that_a_part_of_it_failed_is_incomplete() -> None:
    data = {"errors": [{"message": "upstream timeout"}], "data": {"venues": [{"id": 1, "slots": [{"start": f"{DAY}T19:00"}]}]}}
    reading = read(data)
    assert not reading.complete
    assert "upstream timeout" in (reading.reason or "")


def test_a_slot_is_booked_where_its_only_offer_is() -> None:
    event = {"@type": "Event", "startDate": f"{DAY}T20:00", "offers": {"availability": "InStock", "url": "/tickets/1"}}
    [item] = read({"events": [event]}).items
    assert item.state.booking_url == f"https://{SITE}/tickets/1"


def lists_in(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all lists of slots, days or venues, but for those of prices."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    here = [path] if isinstance(data, list) and data and path[-1:] != ("prices",) else []
    return here + [one for key, child in inside for one in lists_in(child, (*path, key))]


@pytest.mark.parametrize("shape", [name for name in SHAPES | MORE_SHAPES if name != "rows of texts"])
def test_what_is_taken_out_of_an_answer_closes_slots_and_opens_none(shape: str) -> None:
    data, expected = (SHAPES | MORE_SHAPES)[shape]
    for path in lists_in(data):
        for kept in (slice(0), slice(1, None), slice(-1)):
            rest = copy.deepcopy(data)
            found = rest
            for key in path:
                found = found[key]
            found[:] = found[kept]
            assert {*seen(read(rest))} <= {*expected}, (path, kept)


def test_an_empty_list_beside_an_error_code_of_http_closes_nothing() -> None:
    reading = read({"code": 429, "message": "Too many requests", "data": []})
    assert (reading.complete, reading.reason) == (False, "the answer says that it failed: Too many requests")


def test_a_day_in_an_unknown_form_is_not_the_day_that_was_asked_for() -> None:
    reading = read({"days": [{"date": "2026:12:20:x", "slots": [{"startTime": "06:20"}]}]})
    assert (reading.complete, reading.outcome) == (False, "error")


def test_bookings_alone_are_no_slots() -> None:
    reading = read({"bookings": [{"id": 1, "start": f"{DAY}T09:00:00", "end": f"{DAY}T10:00:00"}]})
    assert (reading.complete, reading.outcome) == (False, "error")


def test_states_of_resources_without_times_are_not_an_empty_list() -> None:
    reading = read(
        {"mapAvailabilities": [], "resourceAvailabilities": {"-21": [{"availability": 0}], "-22": [{"availability": 1}]}}
    )
    assert (reading.complete, reading.outcome) == (False, "error")
