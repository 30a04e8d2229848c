"""What a run leaves behind: its row, its items, its changes, and the watch as the next run finds it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, cast
from uuid import UUID

import msgspec
import pytest

from driftline.engine.check.context import Conclusion, Context
from driftline.engine.check.judging import JudgedReading
from driftline.engine.check.observe import Observation
from driftline.engine.check.to_recording import SUPPRESSED_AT_MOST, WARNINGS_AT_MOST, checked_of, to_recording
from driftline.engine.ports import Claim
from driftline.engine.recording import ItemWrite, Recording, WatchAfter
from driftline.kinds.kind import AnyKind, Packed, Reading, Rules, Traits, Verdict
from driftline.model.account import Features
from driftline.model.change import Block, Finding, Notice, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.item import Observed, SnapshotState, StoredItem, with_state
from driftline.model.watch import Lease, Schedule, Validators, Watch

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
END = START + timedelta(seconds=2)
OLD, NEW = b"the recipe of before", b"the recipe of now"
RUN, BASELINE = UUID(int=900), UUID(int=901)
ETAG = Validators(etag='"1"')


class Shop:
    """A kind of many items whose state is a word."""

    traits = Traits(keeps_body=True)

    def pack(self, state: str, _features: Features) -> Packed:
        return Packed(state=state.encode())


class Page(Shop):
    traits = Traits(one_item=True)


def ids() -> Iterator[UUID]:
    return (UUID(int=number) for number in count(1))


def watch(**given: Any) -> Watch:
    some = UUID(int=7)
    fields: dict[str, Any] = {
        "kind": "catalog",
        "schedule": Schedule(every_for=600.0, jitter=0.0),
        "recipe": NEW,
        "baseline_run_id": BASELINE,
        "validators": ETAG,
        "next_due_at": START,
    }
    return Watch(
        id=some, org_id=some, source_id=some, url="https://example.org/", name="shop", created_at=START,
        **{**fields, **given},
    )  # fmt: skip


def known(key: str, *, member: bool = True, fingerprint: bytes = b"old") -> StoredItem:
    return StoredItem(item_id=UUID(int=500 + ord(key)), key=key, fingerprint=fingerprint, version=4, member=member)


def entry(key: str, of: StoredItem | None = None, fingerprint: bytes = b"new") -> Entry[Any]:
    observed: Observed[Any] = with_state(key, f"https://example.org/{key}", key.upper(), fingerprint, f"state of {key}")
    return Entry(observed=observed, stored=of)


def judged(
    *entries: Entry[Any], past: Any = None, removed: Any = (), missing: Any = (), listed: Any = (), **given: Any
) -> JudgedReading:
    delta: Delta[Any] = Delta(entries=entries, removed=removed, missing=missing, listed=listed)
    return JudgedReading(delta=delta, verdict=Verdict(**given), snapshots=past or {})


def recorded(
    concluded: Conclusion | None = None,
    *,
    of: Watch | None = None,
    seen: Observation | None = None,
    kind: Any = None,
    features: Features | None = None,
    at: datetime = END,
    **given: Any,
) -> Recording:
    claimed = of or watch()
    lease = Lease(watch_id=claimed.id, owner="me", fence=3, until_at=END)
    context = Context(
        claim=Claim(watch=claimed, lease=lease, features=features or Features(), **given),
        kind=cast("AnyKind", kind or Shop()), rules=Rules(), recipe=NEW, run_id=RUN, started_at=START,
    )  # fmt: skip
    ended = concluded or Conclusion(status="completed", outcome="unchanged", judged=judged())
    following = ids()
    return to_recording(context, seen or Observation(reading=Reading()), ended, ids=lambda: next(following), at=at)


def after(concluded: Conclusion | None = None, **given: Any) -> WatchAfter:
    return recorded(concluded, **given).after


FAILED = Conclusion(status="failed", outcome="error", reason="http 500")
PARTIAL = Conclusion(status="partial", outcome=None, judged=judged())
LOST = Conclusion(status="partial", outcome=None)
GOOD = Conclusion(status="completed", outcome="unchanged", judged=judged())


def finding(key: str | None = "a", **given: Any) -> Finding:
    return Finding(**{"type": "content", "severity": "medium", "headline": "edited", "key": key, **given})


def test_a_run_has_the_lease_s_fence_and_both_its_times() -> None:
    run = recorded().run
    assert (run.id, run.fence, run.started_at, run.completed_at, run.judged_at) == (RUN, 3, START, END, END)
    assert recorded(at=START - timedelta(hours=1)).run.completed_at == START  # the clock was set back meanwhile
    failed = recorded(FAILED).run
    assert (failed.status, failed.reason, failed.judged_at) == ("failed", "http 500", None)


def test_what_reading_and_judging_counted_stands_in_one_row() -> None:
    first, second = Notice(code="a", message="a"), Notice(code="b", message="b")
    seen = Observation(reading=Reading(counters={"read": 1}, warnings=(first,), diagnostics={"x": 1}))
    ended = Conclusion(
        status="completed", outcome="unchanged", judged=judged(counters={"new": 2}, warnings=(second,), diagnostics={"y": 2})
    )
    run = recorded(ended, seen=seen).run
    assert (run.counters, run.warnings, run.diagnostics) == ({"read": 1, "new": 2}, (first, second), {"x": 1, "y": 2})
    assert recorded(LOST, seen=seen).run.warnings == (first,)


@pytest.mark.parametrize(
    ("given", "kept", "more"), [(WARNINGS_AT_MOST, WARNINGS_AT_MOST, None), (WARNINGS_AT_MOST + 3, WARNINGS_AT_MOST + 1, 3)]
)
def test_a_row_keeps_some_warnings_and_counts_the_rest(given: int, kept: int, more: int | None) -> None:
    warnings = tuple(Notice(code="w", message=str(number)) for number in range(given))
    suppressed = tuple(Suppressed(rule=str(number), place="p") for number in range(SUPPRESSED_AT_MOST + 1))
    run = recorded(LOST, seen=Observation(reading=Reading(warnings=warnings, suppressed=suppressed))).run
    assert len(run.warnings) == kept
    assert (run.warnings[-1].count if more else None) == more
    assert run.suppressed == suppressed[:SUPPRESSED_AT_MOST]


def items(*entries: Entry[Any], **given: Any) -> list[ItemWrite]:
    ended = Conclusion(status="completed", outcome="changed", judged=judged(*entries, **given.pop("verdict", {})))
    return list(recorded(ended, **given).items)


def test_an_item_that_is_new_joins_with_a_snapshot_of_its_own() -> None:
    (item,) = items(entry("a"))
    assert (item.key, item.url, item.title, item.state) == ("a", "https://example.org/a", "A", b"state of a")
    assert (item.expected_version, item.joins) == (0, True)
    assert item.snapshot is not None
    assert item.snapshot.packed.state == b"state of a"


def test_an_item_that_changed_keeps_its_id_and_version() -> None:
    (item,) = items(entry("a", known("a")))
    assert (item.item_id, item.expected_version, item.joins) == (known("a").item_id, 4, False)
    assert item.snapshot is not None


def test_what_only_joins_gets_no_snapshot_and_what_is_as_before_no_row() -> None:
    (joined,) = items(entry("a", known("a", member=False), b"old"), entry("b", known("b"), b"old"))
    assert (joined.key, joined.joins, joined.snapshot) == ("a", True, None)


def test_noise_is_not_stored_and_what_is_unverified_stays_as_it_was() -> None:
    doubted = {"noise": frozenset("a"), "unverified": frozenset("bc")}
    (item,) = items(entry("a"), entry("b", known("b")), entry("c", known("c", member=False)), verdict=doubted)
    assert (item.key, item.joins, item.snapshot) == ("c", True, None)


def test_what_the_verdict_settled_is_stored_instead_of_the_observation() -> None:
    merged: Observed[Any] = with_state("a", "https://example.org/a", "A", b"merged", "merged state")
    (item,) = items(entry("a", known("a")), verdict={"settled": {"a": merged}})
    assert (item.fingerprint, item.state) == (b"merged", b"merged state")


def test_the_body_is_kept_where_kind_and_plan_keep_it_and_expires_with_the_plan() -> None:
    seen = Observation(reading=Reading(), body=b"<p>", content_type="text/html")

    def snapshot(**given: Any) -> Any:
        return items(entry("a"), seen=seen, **given)[0].snapshot

    assert (snapshot().body, snapshot().content_type, snapshot().expires_at) == (b"<p>", "text/html", None)
    assert snapshot(features=Features(detailed_snapshots=False)).body is None
    assert snapshot(kind=Page()).body is None
    assert snapshot(features=Features(tier="free", kept_for=60.0)).expires_at == START + timedelta(seconds=60)
    assert snapshot(features=Features(tier="free")).tier == "free"
    assert items(entry("a"), kind=Page())[0].state is None  # its snapshot has it


def test_those_who_left_are_the_removed_and_the_missing() -> None:
    gone = judged(removed=[known("a")], missing=[known("b")], stale=frozenset("c"))
    recording = recorded(Conclusion(status="completed", outcome="changed", judged=gone))
    assert list(recording.left) == [known("a").item_id, known("b").item_id]
    assert list(recorded(FAILED).left) == []


def test_the_same_partial_observation_again_is_known_by_state_and_observation() -> None:
    same = Conclusion(
        status="completed", outcome="changed",
        judged=judged(entry("a", known("a")), entry("b", known("b"), b"old"), entry("c"), unsure=frozenset("abc")),
    )  # fmt: skip
    found = {one.item_id: one.digest for one in recorded(same).partial_observations}
    assert found == {known("a").item_id: b"newnew", known("b").item_id: b"oldold"}


def test_a_change_names_its_item_and_the_snapshots_on_both_sides() -> None:
    before = SnapshotState(
        item_id=known("a").item_id, key="a", snapshot_id=UUID(int=77), version=4, fingerprint=b"old", state="x", at=START
    )
    verdict = judged(entry("a", known("a")), past={"a": before}, removed=[known("b")])
    ended = Conclusion(
        status="completed",
        outcome="changed",
        judged=verdict,
        findings=(finding(), finding("b"), finding(None, url="https://e.org/")),
    )
    recording = recorded(ended)
    first, second, third = recording.changes
    (item,) = recording.items
    assert item.snapshot is not None
    assert (first.item_id, first.prev_snapshot_id, first.next_snapshot_id) == (item.item_id, UUID(int=77), item.snapshot.id)
    assert (second.item_id, second.prev_snapshot_id, second.next_snapshot_id) == (known("b").item_id, None, None)
    assert third.item_id is None
    checked = checked_of(recording)
    assert [change.url for change in checked.changes] == ["https://example.org/", "https://example.org/", "https://e.org/"]
    assert {change.report_id for change in checked.changes} == {recording.report_id}
    assert {change.created_at for change in checked.changes} == {END}


def test_without_findings_there_is_no_report() -> None:
    recording = recorded()
    assert (recording.report_id, recording.changes, checked_of(recording).changes) == (None, (), ())


def test_failures_are_counted_and_a_good_or_recorded_run_ends_them() -> None:
    troubled = watch(failures=2, trouble="error", last_change_at=START)
    assert [after(ended, of=troubled).failures for ended in (FAILED, LOST, PARTIAL, GOOD)] == [3, 3, 0, 0]
    assert [after(ended, of=troubled).trouble for ended in (FAILED, LOST, GOOD)] == ["error", "error", None]
    blocked = msgspec.structs.replace(FAILED, findings=(finding(None, type="blocked"),))
    assert after(blocked, of=troubled).trouble == "blocked"
    assert (after(blocked).last_change_at, after(FAILED, of=troubled).last_change_at) == (END, START)


@pytest.mark.parametrize(
    ("ended", "of", "seen", "expected"),
    [
        (GOOD, {}, {"validators": Validators(etag='"2"')}, Validators(etag='"2"')),
        (GOOD, {}, {"validators": Validators(etag='"2"'), "refused": {"a": "too long"}}, Validators()),
        (GOOD, {}, {"validators": Validators(etag='"2"'), "reading": Reading(unread={"a": "http 500"})}, Validators()),
        (FAILED, {}, {}, ETAG),
        (FAILED, {"recipe": OLD}, {}, Validators()),
        (PARTIAL, {}, {}, Validators()),
    ],
)
def test_validators_are_those_of_an_answer_that_was_recorded_whole(
    ended: Conclusion, of: dict[str, Any], seen: dict[str, Any], expected: Validators
) -> None:
    assert after(ended, of=watch(**of), seen=Observation(**{"reading": Reading(), **seen})).validators == expected


@pytest.mark.parametrize(
    ("ended", "of", "baseline", "recipe"),
    [
        (GOOD, {"baseline_run_id": None, "recipe": b""}, RUN, NEW),
        (PARTIAL, {"baseline_run_id": None, "recipe": b""}, RUN, NEW),
        (LOST, {"baseline_run_id": None, "recipe": b""}, None, b""),
        (FAILED, {"baseline_run_id": None, "recipe": b""}, None, b""),
        (GOOD, {}, BASELINE, NEW),
        (GOOD, {"recipe": OLD}, RUN, NEW),
        (PARTIAL, {"recipe": OLD}, BASELINE, OLD),
    ],
)
def test_the_baseline_moves_with_the_first_record_and_with_new_rules(
    ended: Conclusion, of: dict[str, Any], baseline: UUID | None, recipe: bytes
) -> None:
    left = after(ended, of=watch(**of))
    assert (left.baseline_run_id, left.recipe) == (baseline, recipe)


def test_heat_rises_with_content_alone_and_only_after_a_good_run() -> None:
    def heat(ended: Conclusion, *findings: Finding) -> float:
        return after(msgspec.structs.replace(ended, findings=findings)).heat

    assert heat(GOOD, finding()) > 0.5 > heat(GOOD)
    assert heat(GOOD, finding(None)) == heat(GOOD, finding(flags={"settled": True})) == heat(GOOD)
    assert heat(FAILED, finding(None)) == 0.5


def test_the_next_check_is_planned_by_the_clock_and_never_for_what_is_paused() -> None:
    assert after().next_due_at == START + timedelta(seconds=600)
    assert after(seen=Observation(reading=Reading(), retry_after=5_000.0)).next_due_at == END + timedelta(seconds=5_000)
    assert after(of=watch(paused_at=START)).next_due_at is None
    assert after(of=watch(retired_at=START)).next_due_at is None
    assert (after().last_checked_at, after().last_outcome, after(LOST).last_outcome) == (END, "unchanged", "partial")


def test_what_the_browser_got_is_remembered_and_what_it_did_not_get_too() -> None:
    until_at = START + timedelta(days=1)
    rendered = Observation(reading=Reading(), rendered=True)
    assert (after(seen=rendered).browser_until or START) > START + timedelta(days=2)
    assert after(FAILED, of=watch(browser_until=until_at)).browser_until == until_at
    vain = Observation(reading=Reading(), in_vain=True)
    assert (after(FAILED, seen=vain).browser_again_at or START) > START
    assert after(of=watch(browser_again_at=until_at)).browser_again_at is None


def test_blocks_are_stored_for_plans_that_have_them() -> None:
    whole = finding(blocks=(Block(block_key="a", action="added", title="A", text_excerpt="x"),))
    ended = Conclusion(status="completed", outcome="changed", judged=judged(entry("a")), findings=(whole,))
    kept, dropped = ([*recorded(ended, features=Features(semantic_diff=there)).changes] for there in (True, False))
    assert [len(change.finding.blocks) for change in (*kept, *dropped)] == [1, 0]


def test_only_observations_that_left_something_out_are_remembered_with_the_state_that_they_were_merged_into() -> None:
    a, b, c = known("a"), known("b"), known("c")
    found = judged(entry("a", a), entry("b", b), entry("c", c, fingerprint=b"old"), entry("d"), unsure=frozenset("acd"))
    written = recorded(Conclusion(status="completed", outcome="unchanged", judged=found)).partial_observations
    assert [(one.item_id, one.digest) for one in written] == [(a.item_id, b"newnew"), (c.item_id, b"oldold")]
