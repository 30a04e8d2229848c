"""Laws 12 and 13 for boards: what is open is what the last whole answer showed, and a part of an answer shows nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import driftline
from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules
from driftline.kinds.availability.slot import Slot
from driftline.kinds.kind import Part
from driftline.model.fetch import Failed, Fetched, Request

AT = datetime(2026, 2, 27, 12, tzinfo=UTC)
TIMES = ("19:00", "20:30", "21:00")
slots = st.frozensets(st.tuples(st.sampled_from("abc"), st.sampled_from(TIMES)), max_size=6)


def written(offered: frozenset[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"provider": "p", "venue_id": venue, "time": f"2026-02-28T{at}"} for venue, at in sorted(offered)]


def pairs(found: object) -> set[tuple[str, str]]:
    return {(one["venue_id"], one["time"][11:16]) for one in found}  # type: ignore[attr-defined]


@given(st.lists(slots, min_size=1, max_size=8))
def test_readers_know_what_is_open_and_every_venue_that_opened(polls: list[frozenset[tuple[str, str]]]) -> None:
    board: set[tuple[str, str]] = set(polls[0])
    for before, now in pairwise(polls):
        diff = driftline.compare_slots(written(before), written(now))
        opened, closed, drops = pairs(diff.opened), pairs(diff.closed), pairs(diff.drops)
        board = (board - closed) | opened
        assert board == now
        venues = {venue for venue, _ in before}
        assert drops == {slot for slot in opened if slot[0] not in venues}


@given(st.dictionaries(st.sampled_from([2, 4, 6]), st.one_of(slots, st.none()), min_size=1))
def test_an_answer_that_lacks_a_party_size_opens_and_closes_nothing(
    sizes: dict[int, frozenset[tuple[str, str]] | None],
) -> None:
    rules = AvailabilityRules(party_sizes=(2, 4, 6))
    parts: list[Part[Slot]] = []
    for size, offered in sizes.items():
        request = Request(url="https://b.example/find", label=f"2026-02-28|{size}")
        if offered is None:
            parts.append(Part(request=request, got=Failed(request=request, reason="timeout")))
            continue
        body = msgspec.json.encode({"slots": written(offered)})
        got = Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=AT)
        parts.append(Part(request=request, got=KIND.read(got, rules, None)))
    whole = KIND.combine(parts, rules)
    complete = set(sizes) == {2, 4, 6} and None not in sizes.values()
    assert whole.complete == complete
    if not complete:
        assert not whole.items
    else:
        offered_to_any = set().union(*(offered or frozenset() for offered in sizes.values()))
        assert {(item.state.venue_id, item.state.time[11:]) for item in whole.items} == offered_to_any
