"""Why each difference of a run was reported or ignored, from its rows and, where they were stored, from both bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.messages import change
from tests.unit.engine.check.test_to_recording import watch

from driftline.core.diff.rows import rows
from driftline.engine.history import explain as explaining
from driftline.engine.history.explain import TOO_LONG, ExplainedDifference, Explanation, explain
from driftline.engine.pool import Overrun, Pool, Share
from driftline.engine.ports import StoredSnapshot
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import Packed
from driftline.kinds.page.kind import KEY
from driftline.kinds.page.rules import PageRules
from driftline.kinds.registry import KINDS
from driftline.model.change import Change, Suppressed
from driftline.model.item import StoredItem
from driftline.model.noise.mask import Mask
from driftline.model.run import Run

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUN, ITEM = UUID(int=9), UUID(int=1)
CLOCK = Suppressed(rule="noise: clock", place="p", before="10:00", after="10:05")


class Stored:
    """What a store has of one page: its versions by body, the newest first, and what was reported."""

    def __init__(self, *bodies: str | None, changes: Sequence[Change] = ()) -> None:
        self.bodies: dict[str, bytes] = {str(number): body.encode() for number, body in enumerate(bodies) if body is not None}
        self.damaged = False
        self.changes = changes
        self.versions = [
            StoredSnapshot(
                item_id=ITEM, key=KEY, snapshot_id=UUID(int=100 + number), run_id=UUID(int=9 - number),
                version=len(bodies) - number, fingerprint=b"", packed=Packed(state=b"{}"), at=AT,
                blob_key=str(number) if body is not None else None,
            )
            for number, body in enumerate(bodies)
        ]  # fmt: skip

    async def changes_of(self, _watch: object, _run_id: UUID) -> Sequence[Change]:
        return self.changes

    async def members(self, _watch: object) -> list[StoredItem]:
        return [StoredItem(item_id=ITEM, key=KEY, fingerprint=b"", version=1)] if self.versions else []

    async def history(self, _item_id: UUID, _limit: int) -> list[StoredSnapshot]:
        return self.versions

    async def blob(self, key: str) -> bytes | None:
        if self.damaged:
            raise StoreCorrupt("damaged")
        return self.bodies.get(key)


@pytest.fixture
def share() -> Iterator[Share]:
    pool = Pool(size=1)
    yield pool.share(None)
    pool.close()


async def explained(
    share: Share, stored: Stored, *, masks: Sequence[Mask] = (), kind: str = "page", **given: Any
) -> Explanation:
    fields: dict[str, Any] = {"status": "completed", "outcome": "unchanged", **given}
    run = Run(id=RUN, watch_id=UUID(int=7), fence=1, started_at=AT, completed_at=AT, **fields)
    of: Any = stored
    return await explain(of, share, KINDS[kind], watch(kind=kind), PageRules(), run, masks)


def page(text: str, visitors: int) -> str:
    return f"<html><body><h1>Fees</h1><p>{text}</p><p>{visitors} visitors</p></body></html>"


async def test_both_bodies_are_compared_again_and_what_was_noise_is_named(share: Share) -> None:
    stored = Stored(page("It costs 10 EUR.", 1240), page("It costs 10 EUR.", 1234))
    found = await explained(share, stored, suppressed=(CLOCK,))
    assert (found.compared_again, found.note) == (True, "")
    (one,) = found.differences
    assert (one.fate, one.by, one.before, one.after) == ("dropped", "counter", "1234 visitors", "1240 visitors")
    assert one.reason


@pytest.mark.parametrize("bodies", [(None, "x"), ("x", None), ("x",), ()])
async def test_without_both_bodies_it_is_what_the_check_stored(share: Share, bodies: tuple[str | None, ...]) -> None:
    found = await explained(share, Stored(*bodies), suppressed=(CLOCK,))
    assert (found.compared_again, [one.by for one in found.differences]) == (False, ["noise: clock"])
    assert found.note == "these are the differences that the check stored. The page itself was not stored"


async def test_a_damaged_body_is_as_good_as_none(share: Share) -> None:
    stored = Stored(page("a", 1), page("b", 2))
    stored.damaged = True
    assert not (await explained(share, stored)).compared_again


async def test_the_run_s_own_version_is_compared_and_no_other(share: Share) -> None:
    other = Stored(page("newest", 1), page("newer", 1), page("old", 1))
    other.versions = [
        StoredSnapshot(**{name: getattr(one, name) for name in StoredSnapshot.__struct_fields__} | {"run_id": UUID(int=50)})
        for one in other.versions
    ]
    assert not (await explained(share, other)).compared_again


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"status": "failed", "outcome": "error", "suppressed": (CLOCK,)}, "could not be read"),
        ({"outcome": "baseline", "suppressed": (CLOCK,)}, "the first good check"),
        ({}, "the watched content is the same"),
    ],
)
async def test_a_run_without_a_comparison_says_why(share: Share, given: dict[str, Any], note: str) -> None:
    assert note in (await explained(share, Stored(), **given)).note


async def test_a_comparison_that_takes_too_long_says_so(share: Share, monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(*_: object) -> None:
        raise Overrun("took longer than 20 s")

    monkeypatch.setattr(explaining, "_compare_again", slow)
    found = await explained(share, Stored(), suppressed=(CLOCK,))
    assert (found.note, found.compared_again, len(found.differences)) == (TOO_LONG, False, 1)


async def test_an_ignored_area_is_explained_by_what_taught_it(share: Share) -> None:
    masks = [Mask(id=UUID(int=number), place="p", skeleton="", evidence=f"seen {number}", learned_at=AT) for number in (1, 2)]
    ignored = Suppressed(rule=f"ignored area {UUID(int=2)}", place="p")
    (one,) = (await explained(share, Stored(), masks=masks, suppressed=(ignored,))).differences
    assert (one.fate, one.place, one.reason) == ("dropped", "p", "seen 2")


async def test_only_so_many_differences_are_listed_those_that_were_reported_first(
    share: Share, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining, "LISTED_AT_MOST", 3)
    stored = Stored(changes=[change(1, type="sold_out")])
    found = await explained(share, stored, kind="catalog", suppressed=(CLOCK,) * 5)
    assert [one.fate for one in found.differences] == ["kept", "dropped", "dropped"]


async def test_a_change_without_levels_is_one_difference_with_its_headline(share: Share) -> None:
    before, after = {"price": "10", "currency": None}, {"price": "12", "in_stock": True}
    one = change(1, type="price_increase", before=before, after=after)
    found = (await explained(share, Stored(changes=[one]), kind="catalog")).differences
    assert found == (
        ExplainedDifference(
            fate="kept", by="price_increase", before="price: 10", after="price: 12, in_stock: True", reason=one.headline
        ),
    )
    (gone,) = (await explained(share, Stored(changes=[change(1, type="error")]), kind="catalog")).differences
    assert (gone.before, gone.after) == ("", "")


async def test_a_page_s_change_is_listed_by_level_and_line(share: Share) -> None:
    shown = msgspec.to_builtins(rows(["a", "Open from nine to five", "e"], ["a", "Open from ten to five", "d d d"]))
    changes = {
        "title": {"changed": True, "before": "Old", "after": None},
        "metadata": {"author": {"before": None, "after": "Kim"}},
        "links": {"added": ["/new"], "removed": ["/old"], "navigation": {"added": ["/menu"]}},
        "images": {"removed": ["/a.png"], "pagination": {"removed": ["/p2.png"]}},
    }
    stored = Stored(changes=[change(1, diff={"changes": changes, "rows": shown})])
    found = (await explained(share, stored, kind="catalog")).differences
    assert [(one.by, one.place, one.before, one.after) for one in found] == [
        ("title", "", "Old", ""),
        ("text", "line 2, changed", "Open from nine to five", "Open from ten to five"),
        ("text", "line 3, removed", "e", ""),
        ("text", "line 3, added", "", "d d d"),
        ("metadata", "author", "", "Kim"),
        ("images", "", "/a.png", ""),
        ("images", "pagination", "/p2.png", ""),
        ("links", "", "", "/new"),
        ("links", "", "/old", ""),
        ("links", "navigation", "", "/menu"),
    ]
    assert {one.fate for one in found} == {"kept"}


async def test_a_title_that_stayed_is_no_difference(share: Share) -> None:
    stored = Stored(changes=[change(1, diff={"changes": {"title": {"changed": False, "before": "T", "after": "T"}}})])
    assert (await explained(share, stored, kind="catalog")).differences == ()


def test_rules_of_old_rows_are_shown_in_the_words_of_now() -> None:
    assert ExplainedDifference(fate="dropped", by="told with the price").rule == "reported with the price"
