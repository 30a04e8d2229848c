from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from tests.contract.store.world import BLOCKS, START, World

from driftline.errors import Ambiguous, NotFound, UsageError
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule, Watch
from driftline.store.session import DEFAULT_ORG, OrgData
from driftline.store.views.conditions.tag_conditions import conditions_of


@pytest.fixture
def mine(world: World) -> OrgData:
    """A door that opens a transaction for every call."""
    return Door(world, world.org.id)  # type: ignore[return-value]  # looks the same


class Door:
    """`org.watches.get(...)` in a transaction of its own."""

    def __init__(self, world: World, org_id: UUID) -> None:
        self._world, self._org_id = world, org_id

    def __getattr__(self, concern: str) -> object:
        return Concern(self._world, self._org_id, concern)


class Concern:
    def __init__(self, world: World, org_id: UUID, concern: str) -> None:
        self._world, self._org_id, self._concern = world, org_id, concern

    def __getattr__(self, method: str) -> object:
        def call(*args: object, **given: object) -> object:
            return self._world.store.write_now(
                lambda s: getattr(getattr(s.org(self._org_id), self._concern), method)(*args, **given)
            )

        return call


async def changed(world: World, watch: Watch, key: str = "the page", **given: object) -> tuple[UUID, UUID]:
    """A run with one change; their ids."""
    claim = await world.claim(watch)
    known = (await world.store.stored_items(watch, [key])).get(key)
    item = world.item(
        key, {"at": str(world.now)}, item_id=known.item_id if known else None, version=known.version if known else 0, joins=True
    )
    change = world.change(item, blocks=BLOCKS, **given)  # type: ignore[arg-type]  # fields of a finding
    recording = world.recording(claim, items=[item], changes=[change])
    await world.store.record(recording)
    world.later()
    return recording.run.id, change.id


def test_the_default_org_is_made_once(world: World) -> None:
    again = world.store.write_now(lambda s: s.default_org(at=START + timedelta(days=1)))
    assert again == world.org
    assert (again.id, again.features.tier) == (DEFAULT_ORG, "embedded")
    assert world.count("orgs") == 1


def test_a_watch_comes_back_as_it_was_added(world: World, mine: OrgData) -> None:
    draft = world.draft(
        "größe ☃",
        tags=("a", "b"),
        rules={"select": ["h1"], "n": 1.5, "deep": {"x": None}},
        fetch=FetchOptions(headers={"X-A": "1"}, timeout_for=3.5),
        schedule=Schedule(every_for=60.0, timezone="Europe/Berlin"),
    )
    (watch,) = world.add(draft)
    assert watch == mine.watches.get(draft.id)
    for name in ("id", "kind", "url", "name", "tags", "rules", "fetch", "schedule", "next_due_at"):
        assert getattr(watch, name) == getattr(draft, name)
    assert (watch.org_id, watch.created_at, watch.recipe, watch.failures) == (world.org.id, START, b"", 0)


def test_watches_with_one_scope_share_a_source_within_their_org_only(world: World) -> None:
    one, two, other = world.add(world.draft("1", scope="shop"), world.draft("2", scope="shop"), world.draft("3", scope="else"))
    (third,) = world.add(world.draft("4", scope="shop"))
    (foreign,) = world.add(world.draft("5", scope="shop"), org=world.new_org("other"))
    assert one.source_id == two.source_id == third.source_id
    assert len({one.source_id, other.source_id, foreign.source_id}) == 3


def test_a_watch_is_found_by_name_id_and_unique_suffix(world: World, mine: OrgData) -> None:
    one, two = world.watch("one"), world.watch("two")
    assert mine.watches.get("one") == mine.watches.get(str(one.id)) == mine.watches.get(one.id.hex[-10:]) == one
    assert mine.watches.get(two.id.hex[-10:].upper()) == two
    with pytest.raises(NotFound):
        mine.watches.get("three")
    with pytest.raises(NotFound):
        mine.watches.get(world.id())
    with pytest.raises(NotFound):
        mine.watches.get("%")
    world.watch("one")
    with pytest.raises(Ambiguous):
        mine.watches.get("one")


def test_a_suffix_of_two_ids_is_ambiguous(world: World, mine: OrgData) -> None:
    ids = [UUID("01900000-0000-7000-8000-00000000abcd"), UUID("01900000-0000-7000-8000-00000001abcd")]
    world.add(*[world.draft(f"w{n}", id=id_) for n, id_ in enumerate(ids)])
    with pytest.raises(Ambiguous):
        mine.watches.get("abcd")
    assert mine.watches.get("1-abcd").id == ids[1]


def test_watches_are_filtered_and_paged_by_name(world: World, mine: OrgData) -> None:
    world.add(*[world.draft(f"w{n:02}", tags=("even",) if n % 2 == 0 else ("odd", "x")) for n in range(10)])
    world.add(world.draft("shop 100%", kind="catalog", scope="s"))
    mine.watches.pause(mine.watches.get("w03").id, at=START)
    mine.watches.retire(mine.watches.get("w04").id, at=START)
    names, cursor = [], None
    while True:
        page = mine.watches.page(tag="even", limit=2, cursor=cursor)
        names += [watch.name for watch in page.rows]
        cursor = page.cursor
        if cursor is None:
            break
    assert names == ["w00", "w02", "w04", "w06", "w08"]
    assert [watch.name for watch in mine.watches.page(kind="catalog").rows] == ["shop 100%"]
    assert [watch.name for watch in mine.watches.page(text="100%").rows] == ["shop 100%"]
    assert mine.watches.page(text="0%0").rows == ()
    assert [watch.name for watch in mine.watches.page(text="EXAMPLE.com/W09").rows] == ["w09"]
    assert [watch.name for watch in mine.watches.page(state="paused").rows] == ["w03"]
    assert [watch.name for watch in mine.watches.page(state="retired").rows] == ["w04"]
    assert len(mine.watches.page(state="active").rows) == 9
    for bad in ("not a cursor", "%%%", "e30"):
        with pytest.raises(UsageError):
            mine.watches.page(cursor=bad)


def test_an_update_sets_what_is_given_and_leaves_recipe_and_validators(world: World, mine: OrgData) -> None:
    watch = world.watch(tags=("a",), rules={"select": "h1"})
    updated = mine.watches.update(watch.id, name="new", rules={"select": "h2"}, schedule=Schedule(every_for=5.0), tags=())
    assert (updated.name, updated.rules, updated.schedule.every_for, updated.tags) == ("new", {"select": "h2"}, 5.0, ())
    assert (updated.url, updated.recipe, updated.validators) == (watch.url, watch.recipe, watch.validators)
    assert mine.watches.update(watch.id, fetch=FetchOptions(method="POST")).fetch.method == "POST"
    with pytest.raises(NotFound):
        mine.watches.update(world.id(), name="x")


def test_pausing_and_resuming_keeps_when_it_was_due(world: World, mine: OrgData) -> None:
    watch = world.watch(next_due_at=START)
    mine.watches.pause(watch.id, at=START)
    paused = mine.watches.get(watch.id)
    assert (paused.paused_at, paused.next_due_at) == (START, None)
    mine.watches.resume(watch.id)
    assert (mine.watches.get(watch.id).paused_at, mine.watches.get(watch.id).next_due_at) == (None, START)
    with pytest.raises(NotFound):
        mine.watches.pause(world.id(), at=START)


async def test_changes_are_filtered_and_paged_newest_first(world: World, mine: OrgData) -> None:
    page, shop = world.watch("page", tags=("news",)), world.watch("shop", kind="catalog", scope="s")
    made = [(await changed(world, page, kind="content")) for _ in range(3)] + [(await changed(world, shop, "p", kind="price"))]
    ids = [change_id for _, change_id in reversed(made)]
    seen, cursor = [], None
    while True:
        part = mine.changes.page(limit=3, cursor=cursor)
        seen += [change.id for change in part.rows]
        cursor = part.cursor
        if cursor is None:
            break
    assert seen == ids

    def found(**given: object) -> list[UUID]:
        return [change.id for change in mine.changes.page(**given).rows]  # type: ignore[arg-type]  # filters

    assert found(watch_id=shop.id) == ids[:1]
    assert found(run_id=made[1][0]) == [made[1][1]]
    assert found(types=["price", "stock"]) == ids[:1]
    assert found(tag="news") == ids[1:]
    assert found(severity="high") == []
    assert found(since_at=START + timedelta(minutes=2)) == ids[:2]


async def test_a_search_is_paged_and_its_last_page_says_so(world: World, mine: OrgData) -> None:
    watch = world.watch("page")
    made = [(await changed(world, watch))[1] for _ in range(3)]

    def found(limit: int, cursor: str | None = None) -> tuple[list[UUID], str | None]:
        part = mine.search.page("content changed", type_="content", limit=limit, cursor=cursor)
        return [one.change.id for one in part.rows if one.change], part.cursor

    assert found(3) == (made[::-1], None)
    first, cursor = found(2)
    assert (first, cursor is not None) == (made[:0:-1], True)
    assert found(2, cursor) == (made[:1], None)
    assert mine.changes.page(limit=3).cursor is None
    assert mine.changes.page(limit=2).cursor is not None


async def test_a_parents_changes_are_those_of_its_buckets(world: World, mine: OrgData) -> None:
    parent = world.draft("parent", kind="availability", scope="p")
    child = world.draft("child", kind="availability", scope="p", parent_id=parent.id, bucket_key="b")
    _, watch = world.add(parent, child)
    _, change_id = await changed(world, watch, "slot", kind="drop")
    assert [change.id for change in mine.changes.page(watch_id=parent.id).rows] == [change_id]
    assert [one.name for one in mine.watches.children(parent.id)] == ["child"]
    assert [one.name for one in mine.watches.page(roots=True).rows] == ["parent"]


async def test_a_change_and_a_run_are_found_by_suffix(world: World, mine: OrgData) -> None:
    run_id, change_id = await changed(world, world.watch())
    detail = mine.changes.get(change_id.hex[-12:])
    assert detail.change.id == change_id
    assert detail.blocks == BLOCKS
    assert mine.runs.get(run_id.hex[-12:]).id == run_id
    for missing in (world.id(), "abcdefabcdef", "nothing"):
        with pytest.raises(NotFound):
            mine.changes.get(missing)
        with pytest.raises(NotFound):
            mine.runs.get(missing)


async def test_runs_are_paged_newest_first_and_the_latest_before_one_is_found(world: World, mine: OrgData) -> None:
    watch = world.watch()
    ids = [(await changed(world, watch))[0] for _ in range(5)]
    first = mine.runs.of(watch.id, limit=3)
    second = mine.runs.of(watch.id, limit=3, cursor=first.cursor)
    assert [run.id for run in (*first.rows, *second.rows)] == ids[::-1]
    assert second.cursor is None
    latest = mine.runs.latest(watch.id)
    assert latest is not None
    assert latest.id == ids[-1]
    before = mine.runs.latest(watch.id, before=latest, status="completed")
    assert before is not None
    assert before.id == ids[-2]
    assert mine.runs.latest(watch.id, status="failed") is None
    assert mine.runs.report(ids[0]) is not None
    assert mine.runs.report(world.id()) is None


async def test_items_and_their_snapshots_are_paged(world: World, mine: OrgData) -> None:
    watch = world.watch(kind="catalog", scope="s")
    for key in ("a", "b", "a", "a"):
        await changed(world, watch, key)
    members = mine.items.of(watch.id, limit=1)
    rest = mine.items.of(watch.id, cursor=members.cursor)
    assert [item.key for item in (*members.rows, *rest.rows)] == ["a", "b"]
    item = mine.items.get(members.rows[0].id)
    assert (item.version, item.state) == (3, {"at": str(START + timedelta(minutes=3))})
    versions = mine.items.snapshots(item.id, limit=2)
    assert [ref.version for ref in versions.rows] == [3, 2]
    assert [ref.version for ref in mine.items.snapshots(item.id, limit=2, cursor=versions.cursor).rows] == [1]


async def test_nothing_of_one_org_can_be_seen_or_touched_from_another(world: World) -> None:
    watch = world.watch()
    run_id, change_id = await changed(world, watch)
    item_id = (await world.store.stored_items(watch, ["the page"]))["the page"].item_id
    rows = world.dump()
    stranger: OrgData = Door(world, world.new_org("stranger").id)  # type: ignore[assignment]  # looks the same
    for refused in (
        lambda: stranger.watches.get(watch.id),
        lambda: stranger.watches.get(watch.name),
        lambda: stranger.watches.get(watch.id.hex[-12:]),
        lambda: stranger.watches.pause(watch.id, at=START),
        lambda: stranger.watches.resume(watch.id),
        lambda: stranger.watches.retire(watch.id, at=START),
        lambda: stranger.watches.rebaseline(watch.id),
        lambda: stranger.watches.update(watch.id, name="mine now"),
        lambda: stranger.watches.remove(watch.id),
        lambda: stranger.watches.add([world.draft(parent_id=watch.id, bucket_key="b")], at=START),
        lambda: stranger.runs.get(run_id),
        lambda: stranger.changes.get(change_id),
        lambda: stranger.items.get(item_id),
        lambda: stranger.masks.remove(world.id()),
    ):
        with pytest.raises(NotFound):
            refused()
    assert stranger.watches.page().rows == ()
    assert stranger.watches.children(watch.id) == []
    assert stranger.runs.of(watch.id).rows == ()
    assert stranger.runs.latest(watch.id) is None
    assert stranger.runs.by_key(watch.id, "k") is None
    assert stranger.runs.report(run_id) is None
    assert stranger.changes.page(watch_id=watch.id).rows == stranger.changes.page(run_id=run_id).rows == ()
    assert stranger.changes.blocks(change_id) == ()
    assert stranger.items.of(watch.id).rows == ()
    assert stranger.items.snapshots(item_id).rows == ()
    assert stranger.masks.of(watch.id) == []
    assert world.dump() == rows


async def test_removing_a_watch_really_deletes_what_only_it_had(world: World, mine: OrgData) -> None:
    one, two = world.add(world.draft("one", kind="catalog", scope="s"), world.draft("two", kind="catalog", scope="s"))
    await changed(world, one, "p")
    await changed(world, two, "p")
    mine.watches.remove(one.id)
    assert (world.count("watches"), world.count("runs"), world.count("changes"), world.count("watch_items")) == (1, 1, 1, 1)
    assert world.count("snapshots") == 2  # the shop is still watched: its history stays
    mine.watches.remove(two.id)
    left = {name: rows for name, rows in world.dump().items() if rows}
    assert left == {}
    assert world.count("sources") == 0


async def test_removing_a_parent_removes_its_buckets(world: World, mine: OrgData) -> None:
    parent = world.draft("parent", kind="availability")
    child = world.draft("child", kind="availability", scope=parent.scope, parent_id=parent.id, bucket_key="b")
    world.add(parent, child)
    mine.watches.remove(parent.id)
    assert (world.count("watches"), world.count("sources")) == (0, 0)


def test_a_bucket_key_is_unique_below_its_parent(world: World) -> None:
    from driftline.errors import StoreError

    parent = world.draft("parent", kind="availability")
    child = world.draft("child", parent_id=parent.id, bucket_key="b")
    world.add(parent, child)
    with pytest.raises(StoreError):
        world.add(world.draft("twin", parent_id=parent.id, bucket_key="b"))
    assert world.count("watches") == 2
    assert world.count("sources") == 2  # the refused one left nothing


def test_names_are_bounded_because_they_are_indexed(world: World) -> None:
    world.watch("é" * 1024)
    for bad in ("é" * 1025, "  "):
        with pytest.raises(UsageError):
            world.watch(bad)


async def test_health_counts_what_doctor_shows(world: World) -> None:
    held = await world.claim(world.watch("held"))
    world.watch("due", next_due_at=START - timedelta(hours=1))
    paused = world.watch("paused")
    world.store.write_now(lambda s: s.org(world.org.id).watches.pause(paused.id, at=START))
    health = world.store.read_now(lambda s: s.health(at=START))
    assert (health.watches, health.paused, health.due, health.leases_held, health.leases_expired) == (3, 1, 2, 1, 0)
    assert health.oldest_due_at == START - timedelta(hours=1)
    assert health.bytes_used > 0
    assert held.lease.fence == 1


@pytest.mark.parametrize("walked", [1, 2, 4_000])
async def test_the_beginning_of_a_word_is_found_near_and_far(
    world: World, mine: OrgData, monkeypatch: pytest.MonkeyPatch, walked: int
) -> None:
    monkeypatch.setattr("driftline.store.views.results.search._WALK", walked)
    monkeypatch.setattr("driftline.store.views.results.search._WINDOWS", (1, walked))
    watch = world.watch("page")
    made = [(await changed(world, watch))[1] for _ in range(3)]

    def found(words: str, limit: int, cursor: str | None = None) -> tuple[list[UUID], str | None]:
        part = mine.search.page(words, type_="content", limit=limit, cursor=cursor)
        return [one.change.id for one in part.rows if one.change], part.cursor

    assert found("content cha*", 3) == (made[::-1], None)
    assert found("content chb*", 3) == found("ontent*", 3) == ([], None)
    first, cursor = found("cont*", 2)
    assert first == made[:0:-1]
    assert found("cont*", 2, cursor) == (made[:1], None)
    later = mine.search.page("cont*", limit=2, until_at=START + timedelta(days=99))
    assert [one.change.id for one in later.rows if one.change] == made[:0:-1]


async def test_a_search_has_a_first_and_a_last_instant(world: World, mine: OrgData) -> None:
    watch = world.watch("page")
    made = []
    for _ in range(4):
        made.append((await changed(world, watch))[1])
        world.later(180)
    times = [one.at for one in reversed(mine.search.page("content changed", type_="content").rows)]
    assert times == sorted(times)

    def found(**given: object) -> list[UUID]:
        part = mine.search.page("content changed", type_="content", **given)  # type: ignore[arg-type]
        return [one.change.id for one in part.rows if one.change]

    assert found(since_at=times[1]) == made[:0:-1]
    assert found(since_at=times[1] + timedelta(seconds=1)) == made[:1:-1]
    assert found(until_at=times[2]) == made[1::-1]
    assert found(until_at=times[2] + timedelta(seconds=1)) == made[2::-1]
    assert found(since_at=times[1], until_at=times[2]) == made[1:2]
    assert found(since_at=times[3] + timedelta(days=1)) == found(until_at=times[0] - timedelta(days=1)) == []


async def test_versions_of_one_text_are_one_find_that_counts_the_others(world: World, mine: OrgData) -> None:
    watch = world.watch("page")
    item = None
    for version in range(3):
        claim = await world.claim(watch)
        known = item.item_id if item else None
        text = f"A teapot of edition {version}"
        item = world.item("the page", {"v": version}, item_id=known, version=version, joins=not version, text=text)
        await world.store.record(world.recording(claim, items=[item]))
        world.later()
    (one,) = mine.search.page("teapot").rows
    assert one.text is not None
    assert (one.text.version, one.text.others, "edition 2" in one.text.excerpt) == (3, 2, True)


def test_a_watch_has_its_own_condition_and_then_those_of_its_tags(world: World, mine: OrgData) -> None:
    mine.tag_conditions.set("news", "price < 80")
    mine.tag_conditions.set("old", "price > 1")
    mine.tag_conditions.set("old", "")

    def of(condition: str, *tags: str) -> list[tuple[str, str]]:
        found = world.store.read_now(lambda s: conditions_of(s.tx, world.org.id, condition, tags))
        return [(one.owner, one.text) for one in found]

    assert of("status = 200", "shop", "news", "old") == [("", "status = 200"), ("tag news", "price < 80")]
    assert (of("status = 200"), of(""), of("", "shop")) == ([("", "status = 200")], [], [])
    assert (mine.tag_conditions.get("news"), mine.tag_conditions.get("old")) == ("price < 80", "")
    assert (mine.tag_conditions.of(["news", "shop"]), mine.tag_conditions.of([])) == ({"news": "price < 80"}, {})
