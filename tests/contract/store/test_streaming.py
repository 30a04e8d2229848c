from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from tests.contract.store.world import World

from driftline.core.identity.fingerprint import digest
from driftline.engine.recording import ChangeWrite, ItemWrite, Recorded, SnapshotWrite
from driftline.kinds.kind import Packed
from driftline.model.change import Finding

ITEMS = 100_000
CHANGES = 10_000
MEMBERS = 5000
ROOM = 64 * 1024 * 1024  # bytes; all of it at once would take several times as much


def id_of(number: int, tag: int) -> UUID:
    return UUID(int=0x0190 << 112 | tag << 80 | 7 << 76 | 2 << 62 | number)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Spool:
    """Items that exist only while they are looked at; walked twice, once to check and once to write."""

    def __init__(self) -> None:
        self.peak = 0
        self.walks = 0

    def __iter__(self) -> Iterator[ItemWrite]:
        self.walks += 1
        for n in range(ITEMS):
            if n % 1000 == 0:
                self.peak = max(self.peak, resident())
            state = b'{"title":"Product %d","price":"%d.99","currency":"EUR","in_stock":true}' % (n, n)
            yield ItemWrite(
                item_id=id_of(n, 1),
                key=f"https://shop.example/p/{n}",
                url=f"https://shop.example/p/{n}",
                title=f"Product {n}",
                fingerprint=digest(state),
                state=state,
                expected_version=0,
                snapshot=SnapshotWrite(id=id_of(n, 2), packed=Packed(state=state), tier="embedded"),
                joins=n < MEMBERS,
            )


class Changes:
    def __iter__(self) -> Iterator[ChangeWrite]:
        for n in range(CHANGES):
            # The last thousand repeat what chunks before them said.
            at = n if n < CHANGES - 1000 else n - CHANGES + 1000
            finding = Finding(type="new_product" if at % 2 else "sold_out", severity="low", headline=f"Product {at}")
            yield ChangeWrite(id=id_of(n, 3), finding=finding, item_id=id_of(at, 1))


async def test_a_hundred_thousand_items_and_their_changes_stream_in_bounded_memory(world: World) -> None:
    claim = await world.claim(world.watch(kind="catalog", scope="shop"))
    spool, before = Spool(), resident()
    recording = world.recording(claim, items=spool, changes=Changes())
    answer = await world.store.record(recording)
    assert answer == Recorded(run_id=recording.run.id, report_id=recording.report_id, changes=CHANGES - 1000)
    assert spool.walks == 2
    assert spool.peak - before < ROOM
    assert (world.count("items"), world.count("snapshots"), world.count("changes")) == (ITEMS, ITEMS, CHANGES - 1000)
    report = world.store.read_now(lambda s: s.org(world.org.id).runs.report(recording.run.id))
    assert report is not None
    assert (report.total, report.counts) == (9000, {"new_product": 4500, "sold_out": 4500})
    keys = [f"https://shop.example/p/{n}" for n in range(0, ITEMS, 20)]
    known = await world.store.stored_items(claim.watch, [*keys, "https://shop.example/p/none"])
    assert sorted(known) == sorted(keys)
    many = [f"https://shop.example/p/{n}" for n in range(0, ITEMS, 2)]  # so many that the source is walked, not probed
    walked = await world.store.stored_items(claim.watch, [*many, "https://shop.example/p/none"])
    assert sorted(walked) == sorted(many)
    assert {key: walked[key] for key in known} == known
    assert {key for key, one in walked.items() if one.member} == {f"https://shop.example/p/{n}" for n in range(0, MEMBERS, 2)}
    past = await world.store.snapshots_before(
        [one.item_id for one in known.values()], started_at=world.later(), run_id=world.id()
    )
    assert len(past) == len(keys)
