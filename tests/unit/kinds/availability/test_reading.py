from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.fingerprint import digest
from driftline.errors import StoreCorrupt
from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules, SlotFields
from driftline.kinds.availability.slot import Slot
from driftline.kinds.kind import Part, Reading
from driftline.model.account import Features
from driftline.model.fetch import Blocked, Failed, Fetched, Request

AT = datetime(2026, 2, 1, tzinfo=UTC)
RESY = AvailabilityRules(preset="resy", timezone="America/New_York")


def answer(data: Any, size: int = 2, *, body: bytes | None = None) -> Fetched:
    request = Request(url=f"https://b.example/find?size={size}", label=f"2026-02-28_20:30|{size}")
    return Fetched(
        request=request,
        url=request.url,
        status=200,
        headers={},
        body=msgspec.json.encode(data) if body is None else body,
        at=AT,
    )


def read(data: Any, rules: AvailabilityRules = AvailabilityRules(), **said: Any) -> Reading[Slot]:  # noqa: B008 - frozen
    return KIND.read(answer(data, **said), rules, None)


def part(got: Fetched, rules: AvailabilityRules = AvailabilityRules()) -> Part[Slot]:  # noqa: B008 - frozen
    return Part(request=got.request, got=KIND.read(got, rules, None))


def resy_answer(*times: str) -> dict[str, Any]:
    venue = {"id": {"resy": 6194}, "name": "Il Forno", "url_slug": "il-forno", "location": {"url_slug": "new-york-ny"}}
    slots = [{"date": {"start": time}, "config": {"id": 1, "token": f"rgs://{time}", "type": "Bar"}} for time in times]
    return {"results": {"venues": [{"venue": venue, "slots": slots}]}}


def slots_of(*times: str, venue: str = "v1") -> dict[str, Any]:
    return {"slots": [{"provider": "p", "venue_id": venue, "venue_name": "Via", "time": time} for time in times]}


def test_the_resy_preset_reads_the_shape_of_the_find_answer() -> None:
    reading = read(resy_answer("2026-02-28 20:30:00"), RESY)
    assert reading.complete
    slot = reading.items[0].state
    assert slot == Slot(
        provider="resy",
        venue_id="6194",
        time="2026-02-28T20:30",
        timezone="America/New_York",
        venue_name="Il Forno",
        party_sizes=(2,),
        booking_url="https://resy.com/cities/new-york-ny/il-forno?date=2026-02-28&seats=2",
        extra={"token": "rgs://2026-02-28 20:30:00", "type": "Bar"},
    )


def test_a_mapping_of_ones_own_reads_any_shape() -> None:
    fields = SlotFields(
        slots="$.data.items[?@.free]",
        provider="club",
        venue_id="$.court",
        time="$.at.begin",
        booking_url="$.link",
        extra={"price": "$.eur"},
    )
    data = {
        "data": {
            "items": [
                {"free": True, "court": 3, "at": {"begin": "2026-02-28T09:00"}, "link": "https://c.example/3", "eur": 12},
                {"court": 4, "at": {"begin": "2026-02-28T09:00"}},
            ]
        }
    }
    rules = AvailabilityRules(fields=fields)
    KIND.check_rules(rules)
    slots = [item.state for item in read(data, rules).items]
    assert [(slot.provider, slot.venue_id, slot.time) for slot in slots] == [("club", "3", "2026-02-28T09:00")]
    assert slots[0].booking_url == "https://c.example/3"
    assert slots[0].extra == {"price": 12}


def test_a_list_of_bare_times_of_one_venue_is_enough() -> None:
    rules = AvailabilityRules(fields=SlotFields(slots="$.times", venue_id="court 1", time="$"))
    assert [item.state.time for item in read({"times": ["20:30", "21:00"]}, rules).items] == [
        "2026-02-28T20:30",
        "2026-02-28T21:00",
    ]


def test_date_and_time_may_be_two_fields() -> None:
    data = {"slots": [{"venue_id": 1, "date": "2026-03-05", "time": "19:15"}]}
    assert read(data).items[0].state.time == "2026-03-05T19:15"


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "file:///etc/passwd", "http://a@b.example/", 7, None, "https://b.example/\x00"]
)
def test_a_booking_link_that_may_not_be_visited_is_left_out(link: object) -> None:
    data = {"slots": [{"venue_id": 1, "time": "2026-03-05T19:15", "booking_url": link}]}
    assert read(data).items[0].state.booking_url is None


@pytest.mark.parametrize(("slot", "link"), [({"code": "x y"}, "https://b.example/1/x%20y"), ({}, None)])
def test_a_booking_link_is_built_whole_or_not_at_all(slot: dict[str, str], link: str | None) -> None:
    rules = AvailabilityRules(fields=SlotFields(booking_url="https://b.example/{venue_id}/{$.code}"))
    data = {"slots": [{"venue_id": 1, "time": "2026-03-05T19:15", **slot}]}
    assert read(data, rules).items[0].state.booking_url == link


def test_party_sizes_are_merged_and_are_payload() -> None:
    small, large = answer(slots_of("2026-02-28T20:30", "2026-02-28T21:00"), 2), answer(slots_of("2026-02-28T21:00"), 4)
    whole = KIND.combine([part(small), part(large)], AvailabilityRules())
    assert whole.complete
    assert {item.state.time: item.state.party_sizes for item in whole.items} == {
        "2026-02-28T20:30": (2,),
        "2026-02-28T21:00": (2, 4),
    }
    assert {item.key for item in whole.items} == {
        item.key for item in read(slots_of("2026-02-28T20:30", "2026-02-28T21:00")).items
    }


def test_the_order_of_answers_makes_no_difference() -> None:
    parts = [part(answer(slots_of("2026-02-28T20:30"), size)) for size in (2, 4)]
    one, other = KIND.combine(parts, AvailabilityRules()), KIND.combine(parts[::-1], AvailabilityRules())
    assert [(item.key, item.fingerprint, item.state) for item in one.items] == [
        (item.key, item.fingerprint, item.state) for item in other.items
    ]


REQUEST = Request(url="https://b.example/find?size=4", label="2026-02-28_20:30|4")


@pytest.mark.parametrize(
    ("lost", "reason"),
    [
        (Failed(request=REQUEST, reason="http 500", status=500), "party size 4: http 500"),
        (Failed(request=REQUEST, reason="body too large", truncated=True), "party size 4: body too large"),
        (Blocked(request=REQUEST, reason="challenge: cloudflare"), "party size 4: challenge: cloudflare"),
        (Reading(complete=False, outcome="error", reason="not JSON"), "party size 4: not JSON"),
    ],
)
def test_an_answer_that_lacks_a_party_size_opens_and_closes_nothing(lost: Any, reason: str) -> None:
    whole = KIND.combine([part(answer(slots_of("2026-02-28T20:30"))), Part(request=REQUEST, got=lost)], AvailabilityRules())
    assert not whole.complete
    assert list(whole.items) == []
    assert whole.reason == reason


def test_a_party_size_that_was_never_asked_makes_the_set_incomplete() -> None:
    whole = KIND.combine([part(answer(slots_of("2026-02-28T20:30")))], AvailabilityRules())
    assert (whole.complete, whole.reason) == (False, "party size 4 was not asked for")


def test_when_all_parts_fail_the_run_fails_with_their_outcome() -> None:
    blocked = Part[Slot](request=REQUEST, got=Blocked(request=REQUEST, reason="http 403"))
    assert KIND.combine([blocked, blocked], AvailabilityRules()).outcome == "blocked"
    failed = Part[Slot](request=REQUEST, got=Failed(request=REQUEST, reason="cut", truncated=True))
    assert KIND.combine([failed], AvailabilityRules()).outcome == "truncated"


def test_an_empty_list_is_a_valid_answer() -> None:
    reading = read({"slots": []})
    assert (reading.complete, reading.outcome, list(reading.items)) == (True, None, [])
    assert read({"results": {"venues": []}}, RESY).complete


@pytest.mark.parametrize("data", [{}, {"slots": None}, {"slots": "none"}, {"message": "maintenance"}, 7, None, "x"])
def test_a_list_that_is_not_there_is_an_error_and_not_zero_slots(data: object) -> None:
    reading = read(data)
    assert (reading.complete, reading.outcome) == (False, "error")
    assert "not found" in str(reading.reason)


@pytest.mark.parametrize(
    "data", [{"results": {}}, {"results": {"venues": None}}, {"error": 1}, {"results": {"venues": [{"venue": {}}]}}]
)
def test_a_resy_answer_without_its_lists_is_an_error(data: object) -> None:
    reading = read(data, RESY)
    assert (reading.complete, reading.outcome) == (False, "error")


def test_bad_slots_are_counted_with_a_reason_and_the_others_stand() -> None:
    data = {
        "slots": [
            *slots_of("2026-02-28T20:30")["slots"],
            {"venue_id": "v"},
            {"time": "2026-02-28T20:30"},
            7,
            None,
            {"venue_id": "v", "time": "late"},
        ]
    }
    reading = read(data)
    assert reading.complete
    assert len(reading.items) == 1
    assert reading.counters == {"slots": 1, "bad_slots": 5}
    assert {notice.message: notice.count for notice in reading.warnings} == {
        "a slot has no venue": 3,
        "a slot has no time, or one in an unknown form": 2,
    }


def test_an_answer_of_bad_slots_only_closes_nothing() -> None:
    reading = read({"slots": [{"venue_id": "v"}, {"venue_id": "w"}]})
    assert (reading.complete, reading.outcome) == (False, "error")
    assert "no slot could be read" in str(reading.reason)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>busy</html>",
        b"[" * 100_000,
        b'{"slots":' * 100_000,
        b'{"slots": [',
        b"\xff\xfe",
        b"null",
        b'{"slots": 1e999}',
    ],
)
def test_hostile_bodies_end_in_one_line(body: bytes) -> None:
    reading = read(None, body=body)
    assert (reading.complete, reading.outcome) == (False, "error")
    assert reading.reason
    assert "\n" not in reading.reason


def test_more_slots_than_any_board_has_are_refused() -> None:
    reading = read({"slots": [0] * 20_001})
    assert "too many slots" in str(reading.reason)


MAPPED = AvailabilityRules(fields=SlotFields(slots="$.list", time="$.at"))


def test_more_slots_than_any_board_has_are_refused_also_where_rules_say_where_they_are() -> None:
    assert "too many slots" in str(read({"list": [0] * 20_001}, MAPPED).reason)
    assert "too many slots" not in str(read({"list": [0] * 20_000}, MAPPED).reason)


def test_a_slot_without_a_venue_among_others_is_no_slot_of_the_site() -> None:
    one, other = {"at": "2026-02-28T20:30"}, {"at": "2026-02-28T21:00"}
    reading = read({"list": [one | {"venue_id": "v"}, other]}, MAPPED)
    assert [item.state.venue_id for item in reading.items] == ["v"]
    assert [(notice.message, notice.count) for notice in reading.warnings] == [("a slot has no venue", 1)]
    assert [item.state.venue_id for item in read({"list": [one, other]}, MAPPED).items] == ["b.example", "b.example"]


@pytest.mark.parametrize(
    ("said", "is_open"),
    [("perhaps", True), (None, True), ({"a": 1}, True), (True, True), (2, True), (False, False), (0, False)],
)
def test_a_value_that_says_neither_yes_nor_no_leaves_a_slot_open(said: object, is_open: bool) -> None:
    rules = AvailabilityRules(fields=SlotFields(slots="$.list", time="$.at", available="$.state"))
    assert bool(read({"list": [{"at": "2026-02-28T20:30", "state": said}]}, rules).items) is is_open


def test_one_time_with_several_tables_is_one_slot() -> None:
    assert len(read(resy_answer("2026-02-28 20:30:00", "2026-02-28 20:30:00"), RESY).items) == 1


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["slots", "results", "venues", "venue", "id", "resy", "date", "start", "time", "venue_id", "provider"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(data=junk, rules=st.sampled_from([AvailabilityRules(), RESY]))
def test_no_json_breaks_the_reader(data: Any, rules: AvailabilityRules) -> None:
    reading = read(data, rules)
    assert reading.complete == (reading.outcome is None)
    for item in reading.items:
        assert digest(KIND.canonical(item.state)) == item.fingerprint
        assert item.state.slot_id == item.key


@given(times=st.lists(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)), max_size=6))  # noqa: DTZ001 - local times
def test_stored_and_fresh_states_are_the_same(times: list[datetime]) -> None:
    items = read(slots_of(*(time.isoformat() for time in times))).items
    assert bool(items) is bool(times)
    for item in items:
        packed = KIND.pack(item.state, Features())
        assert KIND.unpack(packed.state, packed.text, packed.blocks) == item.state
        assert digest(KIND.canonical(item.state)) == item.fingerprint


@pytest.mark.parametrize("stored", [b"", b"{}", b'{"provider": 1}', b"\xff", b"[]"])
def test_a_stored_slot_that_does_not_decode_says_so(stored: bytes) -> None:
    with pytest.raises(StoreCorrupt):
        KIND.unpack(stored, None, None)


def paged(page: int, times: tuple[str, ...], link: object) -> Reading[Slot]:
    request = Request(url=f"https://b.example/find?size=2&page={page}", label="2026-02-28_20:30|2", depth=page - 1)
    body = msgspec.json.encode(slots_of(*times) | {"next": link})
    return KIND.read(
        Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=AT), AvailabilityRules(), None
    )


def test_the_pages_of_a_list_are_followed_and_read_as_one() -> None:
    first = paged(1, ("2026-02-28T20:30",), "/find?size=2&page=2")
    (asked,) = first.more
    assert (asked.url, asked.label) == ("https://b.example/find?size=2&page=2", "2026-02-28_20:30|2")
    second = paged(2, ("2026-02-28T20:30", "2026-02-28T21:00"), None)
    assert list(second.more) == []
    rules = AvailabilityRules(party_sizes=(2,))
    whole = KIND.combine([Part(request=asked, got=first), Part(request=asked, got=second)], rules)
    assert [(item.state.time, item.state.party_sizes) for item in whole.items] == [
        ("2026-02-28T20:30", (2,)),
        ("2026-02-28T21:00", (2,)),
    ]


@pytest.mark.parametrize(
    "link",
    [
        None,
        7,
        "",
        "/find?size=2&date=2026-03-01",
        "/other?page=2",
        "https://c.example/find?page=2",
        "/find?size=2&page=1",
        "http://[",
    ],
)
def test_a_link_to_another_question_is_not_followed(link: object) -> None:
    assert list(paged(1, ("2026-02-28T20:30",), link).more) == []


def test_pages_without_end_are_left() -> None:
    assert list(paged(51, ("2026-02-28T20:30",), "/find?size=2&page=52").more) == []


def test_an_answer_is_seen_to_differ_by_what_its_slots_say_of_themselves() -> None:
    def sight(**said: object) -> bytes | None:
        data = {
            "slots": [slots_of("2026-02-28T20:30")["slots"][0] | said, *slots_of("2026-02-28T21:00")["slots"]],
            "now": len(said),
        }
        return KIND.answers_digest([answer(data)], AvailabilityRules())

    assert sight() == sight(token="x") is not None
    assert sight(status="free") != sight(status="booked")
    assert sight(status="free") is not None


def test_an_answer_of_several_pages_is_read_whole_each_time() -> None:
    got = answer(slots_of("2026-02-28T20:30") | {"next": "https://b.example/find?size=2&page=2"})
    assert KIND.answers_digest([got], AvailabilityRules()) is None
