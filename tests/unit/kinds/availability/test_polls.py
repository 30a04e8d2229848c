"""Polls of one bucket on the pure functions, as the engine strings them together, with a dict for a store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from driftline.core.identity.compare import compare
from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules
from driftline.kinds.availability.slot import Slot
from driftline.kinds.kind import Baseline, Part, Reading, ReportedChange, Target, Verdict
from driftline.model.account import Features
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.item import Observed, SnapshotState, StoredItem

START = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
RULES = AvailabilityRules()
BUCKET = "2026-02-28_20:30"
NOBODY = UUID(int=0)
Wanted = dict[tuple[str, str], set[int]]  # (venue, time) -> the party sizes that it is offered to


class Board:
    """What the engine and the store do around the kind, in a dict."""

    def __init__(self, rules: AvailabilityRules = RULES) -> None:
        self.rules = rules
        self.at = START
        self.baselined = False
        self.items: dict[str, bytes] = {}  # key -> packed state: all that was ever seen
        self.fingerprints: dict[str, bytes] = {}
        self.open: set[str] = set()
        self.reported: list[ReportedChange] = []
        self.dedupe_keys: set[str] = set()
        self.writes = 0
        self.names: dict[str, dict[str, str]] = {}  # of venues, where the board names them

    def ask(self, offered: Wanted, *, fails: int | None = None) -> Reading[Slot]:
        parts: list[Part[Slot]] = []
        for request in KIND.requests(Target(url="https://b.example/?n={party_size}", bucket_key=BUCKET), self.rules):
            size = int(request.label.rpartition("|")[2])
            if size == fails:
                parts.append(Part(request=request, got=Failed(request=request, reason="timeout")))
                continue
            slots = [
                {"provider": "p", "venue_id": venue, "time": time} | self.names.get(venue, {})
                for (venue, time), sizes in offered.items()
                if size in sizes
            ]
            body = msgspec.json.encode({"slots": slots})
            got = Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=self.at)
            parts.append(Part(request=request, got=KIND.read(got, self.rules, None)))
        return KIND.combine(parts, self.rules)

    def poll(self, offered: Wanted, *, fails: int | None = None, rebaseline: bool = False) -> Verdict | None:
        """None: the answer was not complete, so that nothing was compared and nothing written."""
        reading = self.ask(offered, fails=fails)
        if not reading.complete:
            return None
        return self.record(reading, rebaseline=rebaseline)

    def record(self, reading: Reading[Slot], *, rebaseline: bool = False) -> Verdict:
        known = {key: self._known(key) for key in self.items}
        delta = compare(reading.items, known, [known[key] for key in sorted(self.open)], exhaustive=True)
        before = Baseline(
            first=rebaseline or not self.baselined,
            snapshots={},
            members=[self._past(key) for key in sorted(self.open)],
            reported=self.reported[::-1],
            bucket_key=BUCKET,
        )
        verdict = KIND.judge(before, delta, self.rules, (), at=self.at)
        for entry in delta.entries:
            self._store(entry.observed)
        self.open |= {entry.observed.key for entry in delta.entries}
        self.open -= {gone.key for gone in delta.removed}
        self.writes += len(delta.entries) + len(delta.removed)
        for finding in verdict.findings:
            assert finding.dedupe_key is not None
            if finding.dedupe_key not in self.dedupe_keys:
                self.dedupe_keys.add(finding.dedupe_key)
                self.reported.append(ReportedChange(type=finding.type, key=finding.key, at=self.at))
        self.baselined = True
        return verdict

    def _store(self, item: Observed[Slot]) -> None:
        self.items[item.key] = KIND.pack(item.state, Features()).state
        self.fingerprints[item.key] = item.fingerprint

    def _known(self, key: str) -> StoredItem:
        return StoredItem(item_id=NOBODY, key=key, fingerprint=self.fingerprints[key], version=1, member=key in self.open)

    def _past(self, key: str) -> SnapshotState[Slot]:
        state = KIND.unpack(self.items[key], None, None)
        return SnapshotState(
            item_id=NOBODY, key=key, snapshot_id=NOBODY, version=1, fingerprint=self.fingerprints[key], state=state, at=START
        )


def both(*slots: tuple[str, str]) -> Wanted:
    return {slot: {2, 4} for slot in slots}


A1, A2, B1 = ("a", "2026-02-28T20:30"), ("a", "2026-02-28T21:00"), ("b", "2026-02-28T20:30")


def drops(verdict: Verdict | None) -> list[str]:
    assert verdict is not None
    return [f"{finding.after['venue_id']} {finding.after['time'][11:]}" for finding in verdict.findings if finding.after]


def test_of_two_venues_of_one_name_the_other_drops_while_one_is_still_open() -> None:
    board = Board()
    board.names = {"a": {"venue_name": "Bistro"}, "b": {"venue_name": "Bistro"}}
    board.poll(both(A1))
    assert drops(board.poll(both(A1, B1))) == ["b 20:30"]


def test_a_venue_whose_id_is_made_with_every_answer_is_known_by_its_name() -> None:
    board = Board()
    board.names = {"a": {"venue_name": "Bistro"}, "b": {"venue_name": "Bistro"}}
    board.poll(both(A1))
    assert drops(board.poll(both(B1))) == []


def test_step_1_normalize_makes_one_slot_of_venue_date_and_time() -> None:
    reading = Board().ask({A1: {2}, A2: {2, 4}})
    assert sorted((item.state.venue_id, item.state.time, item.state.party_sizes) for item in reading.items) == [
        ("a", "2026-02-28T20:30", (2,)),
        ("a", "2026-02-28T21:00", (2, 4)),
    ]
    assert sorted(item.title for item in reading.items) == ["a, 28 February 2026, 20:30", "a, 28 February 2026, 21:00"]


def test_step_2_fingerprint_is_deterministic_and_without_raw_json() -> None:
    one, other = Board().ask(both(A1, B1)), Board().ask(both(B1, A1))
    assert {item.key for item in one.items} == {item.key for item in other.items}
    assert {item.fingerprint for item in one.items} == {item.fingerprint for item in other.items}


def test_step_3_compare_finds_what_was_added_and_removed() -> None:
    board = Board()
    board.poll(both(A1, B1))
    verdict = board.poll(both(A1, A2))
    assert verdict is not None
    assert verdict.counters == {"open": 2, "opened": 1, "closed": 1, "drops": 0, "deduped": 0}


def test_step_3_only_a_venue_that_had_zero_slots_drops() -> None:
    board = Board()
    board.poll(both(A1))
    verdict = board.poll(both(A1, A2, B1))
    assert drops(verdict) == ["b 20:30"]
    assert verdict is not None
    assert [suppressed.rule for suppressed in verdict.suppressed] == ["venue_had_slots"]


def test_step_3_all_slots_of_a_venue_that_had_none_drop() -> None:
    board = Board()
    board.poll({})
    assert drops(board.poll(both(A1, A2))) == ["a 20:30", "a 21:00"]


def test_step_4_a_slot_that_flaps_within_the_ttl_is_reported_once() -> None:
    board = Board()
    board.poll({})
    assert drops(board.poll(both(A1))) == ["a 20:30"]
    board.at += timedelta(minutes=10)
    board.poll({})
    board.at += timedelta(minutes=20)  # exactly the TTL after it opened: still told
    verdict = board.poll(both(A1))
    assert drops(verdict) == []
    assert verdict is not None
    assert verdict.counters["deduped"] == 1
    assert verdict.counters["opened"] == 1
    assert len(board.open) == 1


def test_step_4_a_slot_that_reappears_after_the_ttl_alerts_again() -> None:
    board = Board()
    board.poll({})
    board.poll(both(A1))
    board.poll({})
    board.at += timedelta(minutes=30, seconds=1)
    assert drops(board.poll(both(A1))) == ["a 20:30"]


def test_step_4_without_a_ttl_a_slot_drops_once_a_minute() -> None:
    board = Board(msgspec.structs.replace(RULES, dedupe_for=0.0))
    board.at = datetime.fromisoformat("2026-02-01T14:07:10+01:00")
    board.poll({})
    board.poll(both(A1))
    board.poll({})
    board.at += timedelta(seconds=49)
    verdict = board.poll(both(A1))
    assert verdict is not None
    assert (drops(verdict), verdict.counters["drops"], verdict.counters["deduped"]) == ([], 0, 1)
    board.poll({})
    board.at += timedelta(seconds=1)
    assert drops(board.poll(both(A1))) == ["a 20:30"]


def test_step_5_emit_carries_the_minute_in_the_dedupe_key() -> None:
    board = Board()
    board.poll({})
    board.at = datetime.fromisoformat("2026-02-01T14:07:59+01:00")
    verdict = board.poll(both(A1))
    assert verdict is not None
    finding = verdict.findings[0]
    assert finding.dedupe_key == f"{BUCKET}|{finding.key}|2026-02-01T13:07"
    assert (finding.type, finding.severity) == ("drop", "high")
    assert finding.after is not None
    assert list(finding.after["party_sizes"]) == [2, 4]
    assert finding.headline == "a opened 28 February 2026, 20:30 for 2 or 4 people"


def test_step_5_added_slots_without_a_drop_are_still_open_availability() -> None:
    board = Board()
    board.poll(both(A1))
    board.poll(both(A1, A2))
    assert len(board.open) == 2


def test_step_6_the_state_is_the_previous_poll_and_not_the_baseline() -> None:
    board = Board()
    board.poll(both(A1))
    board.poll({})
    board.at += timedelta(hours=1)
    assert drops(board.poll(both(A1))) == ["a 20:30"]


def test_the_first_poll_is_the_baseline_and_tells_nothing() -> None:
    assert drops(Board().poll(both(A1, B1))) == []


def test_an_explicit_rebaseline_tells_nothing() -> None:
    board = Board()
    board.poll({})
    assert drops(board.poll(both(A1), rebaseline=True)) == []
    assert drops(board.poll(both(A1))) == []


def test_a_failed_poll_is_not_everything_closed() -> None:
    board = Board()
    board.poll(both(A1))
    assert board.poll({}, fails=4) is None
    assert drops(board.poll(both(A1))) == []


def test_nothing_new_writes_nothing() -> None:
    board = Board()
    many = both(*((f"v{number}", "2026-02-28T20:30") for number in range(200)))
    board.poll(many)
    board.writes = 0
    board.poll(many)
    assert board.writes == 0


def test_more_party_sizes_for_an_open_slot_are_no_drop() -> None:
    board = Board()
    board.poll({A1: {2}})
    assert drops(board.poll({A1: {2, 4}})) == []
    assert drops(board.poll({A1: {4}})) == []


def test_two_polls_of_one_minute_share_their_dedupe_keys() -> None:
    one, other = Board(), Board()
    for board in (one, other):
        board.poll({})
        board.poll(both(A1))
        other.at += timedelta(seconds=20)
    assert one.dedupe_keys == other.dedupe_keys
    assert len(one.dedupe_keys) == 1


VENUES = st.sampled_from(["a", "b", "c"])
TIMES = st.sampled_from(["2026-02-28T20:30", "2026-02-28T21:00"])
OFFERS = st.dictionaries(st.tuples(VENUES, TIMES), st.sets(st.sampled_from([2, 4]), min_size=1), max_size=5)


class BucketMachine(RuleBasedStateMachine):
    """Random polls against the algorithm said in sets: complete, failed, concurrent, repeated, re-baselined, over time."""

    def __init__(self) -> None:
        super().__init__()
        self.board = Board()
        self.previous: set[tuple[str, str]] | None = None
        self.opened_at: dict[tuple[str, str], datetime] = {}

    def expected(self, offered: Wanted) -> set[tuple[str, str]]:
        """The drops that the algorithm of the source document would emit; updates the model."""
        current = set(offered)
        reported: set[tuple[str, str]] = set()
        if self.previous is not None:
            had = {venue for venue, _ in self.previous}
            added = current - self.previous
            oldest = self.board.at - timedelta(minutes=30)
            reported = {
                slot for slot in added if slot[0] not in had and not (slot in self.opened_at and self.opened_at[slot] >= oldest)
            }
        self.previous = current
        self.opened_at |= dict.fromkeys(reported, self.board.at)
        return reported

    @staticmethod
    def emitted(verdict: Verdict | None) -> set[tuple[str, str]]:
        assert verdict is not None
        return {(finding.after["venue_id"], finding.after["time"]) for finding in verdict.findings if finding.after}

    @initialize(offered=OFFERS)
    def baseline(self, offered: Wanted) -> None:
        expected = self.expected(offered)
        assert expected == self.emitted(self.board.poll(offered)) == set()

    @rule(offered=OFFERS)
    def complete_poll(self, offered: Wanted) -> None:
        expected = self.expected(offered)
        assert self.emitted(self.board.poll(offered)) == expected

    @rule(offered=OFFERS, fails=st.sampled_from([2, 4]))
    def partial_poll(self, offered: Wanted, fails: int) -> None:
        assert self.board.poll(offered, fails=fails) is None

    @rule(offered=OFFERS)
    def the_same_answer_twice(self, offered: Wanted) -> None:
        expected = self.expected(offered)
        assert self.emitted(self.board.poll(offered)) == expected
        self.board.writes = 0
        assert self.expected(offered) == self.emitted(self.board.poll(offered)) == set()
        assert self.board.writes == 0

    @rule(offered=OFFERS)
    def two_workers_at_once(self, offered: Wanted) -> None:
        """Both read before either writes; the second judges again from what the first left, as a commit makes it do."""
        expected = self.expected(offered)
        first, second = self.board.ask(offered), self.board.ask(offered)
        count = len(self.board.dedupe_keys)
        assert self.emitted(self.board.record(first)) == expected
        assert self.emitted(self.board.record(second)) == set()
        assert len(self.board.dedupe_keys) <= count + len(expected)

    @rule(offered=OFFERS)
    def rebaseline(self, offered: Wanted) -> None:
        self.previous = set(offered)
        assert self.emitted(self.board.poll(offered, rebaseline=True)) == set()

    @rule(seconds=st.sampled_from([20, 60, 900, 1800, 1801, 7200]))
    def time_passes(self, seconds: int) -> None:
        self.board.at += timedelta(seconds=seconds)

    @invariant()
    def open_slots_are_those_of_the_last_complete_poll(self) -> None:
        states: list[Any] = [KIND.unpack(self.board.items[key], None, None) for key in self.board.open]
        assert {(state.venue_id, state.time) for state in states} == (self.previous or set())


BucketMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
TestBucketAgainstItsModel = BucketMachine.TestCase


class Listed:
    """A board that is polled with answers as they are written."""

    def __init__(self) -> None:
        self.board = Board()

    def poll(self, data: object, url: str = "https://b.example/list") -> list[str]:
        request = Request(url=url, label=f"{BUCKET}|")
        got = Fetched(request=request, url=url, status=200, headers={}, body=msgspec.json.encode(data), at=START)
        return drops(self.board.record(KIND.read(got, RULES, None)))


def test_a_venue_whose_id_changes_with_every_answer_does_not_drop() -> None:
    listed = Listed()

    def answer(token: str, *times: str) -> object:
        return {"venues": [{"id": token, "name": "North", "slots": [{"start": f"2026-02-28T{time}"} for time in times]}]}

    listed.poll(answer("a81", "20:30"))
    assert listed.poll(answer("b92", "20:30", "21:00")) == []
    assert listed.poll(answer("c03")) == []
    assert listed.poll(answer("d14", "20:30")) == ["d14 20:30"]


def test_a_board_that_begins_to_name_its_venue_does_not_drop() -> None:
    listed = Listed()
    listed.poll({"slots": [{"start": "2026-02-28T20:30"}]})
    assert listed.poll({"slots": [{"start": "2026-02-28T20:30", "venue": "North"}]}) == []
    assert listed.poll({"slots": [{"start": "2026-02-28T20:30"}, {"start": "2026-02-28T21:00"}]}) == []


def test_a_slot_that_is_shown_as_taken_drops_when_it_is_free() -> None:
    listed = Listed()
    listed.poll({"slots": [{"start": "2026-02-28T20:30", "status": "booked"}]})
    assert listed.poll({"slots": [{"start": "2026-02-28T20:30", "status": "free"}]}) == ["b.example 20:30"]
    assert listed.poll({"slots": [{"start": "2026-02-28T20:30", "status": "free", "held_until": "x"}]}) == []
