"""A page that is compared by how it looks: what is reported of it, what is ignored, and which rules make sense."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest
from tests.unit.core.pictures.test_regions import png

from driftline.errors import BadRule
from driftline.kinds.kind import Baseline, Reading, Target, Verdict
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import BROWSER_PICTURE, Fetched, Request
from driftline.model.item import Observed, SnapshotState, StoredItem
from driftline.model.noise.mask import Mask

AT = datetime(2026, 5, 4, tzinfo=UTC)
VISUAL = PageRules(compare="visual")
OFFER, CLOCK = (480, 20, 560, 80), (40, 800, 120, 830)
ID = UUID(int=7)


def fetched(body: bytes) -> Fetched:
    url = "https://example.org/"
    return Fetched(
        request=Request(url=url),
        url=url,
        status=200,
        headers={"content-type": BROWSER_PICTURE},
        body=body,
        at=AT,
        rendered=True,
    )


def read(body: bytes, rules: PageRules = VISUAL) -> Reading[ParsedPage]:
    return KIND.read(fetched(body), rules, None)


def item(body: bytes) -> Observed[ParsedPage]:
    return read(body).items[0]


def judged(before: bytes, after: bytes, rules: PageRules = VISUAL, masks: Sequence[Mask] = ()) -> Verdict:
    one, other = item(before), item(after)
    packed = KIND.pack(one.state, Features())
    state = KIND.unpack(packed.state, packed.text, packed.blocks)  # as it is stored
    past = SnapshotState(item_id=ID, key=one.key, snapshot_id=ID, version=1, fingerprint=one.fingerprint, state=state, at=AT)
    known = StoredItem(item_id=ID, key=one.key, fingerprint=one.fingerprint, version=1)
    delta = Delta(entries=[Entry(observed=other, stored=known)])
    return KIND.judge(Baseline(first=False, snapshots={one.key: past}), delta, rules, masks, at=AT)


def test_a_picture_is_asked_for_of_the_page_or_of_its_part() -> None:
    target = Target(url="https://example.org/")
    assert [one.picture for one in KIND.requests(target, VISUAL)] == [""]
    assert [one.picture for one in KIND.requests(target, PageRules(compare="visual", select=("#offer",)))] == ["#offer"]
    assert [one.picture for one in KIND.requests(target, PageRules())] == [None]


def test_a_change_says_where_and_what_happened() -> None:
    (finding,) = judged(png(CLOCK), png(CLOCK, OFFER)).findings
    assert finding.type == "visual"
    assert finding.headline.startswith("Top right: something new (")
    assert finding.headline.endswith("% of the picture)")
    assert finding.diff is not None
    (region,) = finding.diff["visual"]["regions"]
    assert (region["place"], region["happened"]) == ("top right", "new")
    both = judged(png(CLOCK, OFFER), png((200, 400, 260, 460))).findings[0].headline
    assert "top right: something is gone" in both.lower()
    assert "bottom left: something is gone" in both.lower()
    (whole,) = judged(png(CLOCK), png((0, 0, 600, 800))).findings
    assert whole.headline.startswith("Most of the page looks different")
    assert whole.severity == "high"


def test_the_same_look_is_noise_alone() -> None:
    verdict = judged(png(OFFER), png(OFFER, shade=6))
    assert verdict.findings == ()
    assert verdict.noise


def test_what_moved_between_two_pictures_is_ignored_there_and_nowhere_else() -> None:
    masks = KIND.learn(item(png(CLOCK)).state, item(png((44, 800, 130, 834))).state, VISUAL, evidence="differed twice", at=AT)
    assert {mask.place for mask in masks} == {"bottom left"}
    moved = png((42, 798, 128, 832))
    quiet = judged(png(CLOCK), moved, masks=masks)
    assert quiet.findings == ()
    assert quiet.suppressed[0].rule.startswith("ignored area")
    (finding,) = judged(png(CLOCK), png((42, 798, 128, 832), OFFER), masks=masks).findings
    assert finding.headline.startswith("Top right")
    lifted = [msgspec.structs.replace(mask, state="lifted") for mask in masks]
    assert judged(png(CLOCK), moved, masks=lifted).findings


def test_another_page_is_not_learned_as_noise() -> None:
    assert KIND.learn(item(png(CLOCK)).state, item(png((0, 0, 600, 800))).state, VISUAL, evidence="", at=AT) == []


def test_small_differences_do_not_count_where_the_rules_say_so() -> None:
    before, after = png(CLOCK), png(CLOCK, (480, 20, 488, 28))
    assert judged(before, after).findings
    small = judged(before, after, PageRules(compare="visual", smallest_region=32))
    assert (small.findings, [one.rule for one in small.suppressed]) == ((), ["smallest_region"])
    few = judged(before, after, PageRules(compare="visual", visual_threshold=1.0))
    assert few.findings == ()
    assert "less than 1%" in few.suppressed[0].rule


def test_what_ignoring_would_hide_is_said_before() -> None:
    one, other = item(png(CLOCK)).state, item(png((44, 800, 130, 834), OFFER)).state
    masks = [mask for mask in KIND.learn(one, other, VISUAL, evidence="", at=AT) if mask.place == "bottom left"]
    shown = KIND.ignoring(one, other, VISUAL, masks)
    assert [one.place for one in shown.hidden] == ["bottom left"] * len(masks)
    assert [one.place for one in shown.left] == ["top right"]


def test_a_blank_page_and_no_picture_are_failures() -> None:
    assert (read(png()).outcome, read(b"%PDF-1.4").outcome) == ("error", "error")
    assert read(png(), PageRules(compare="visual", empty_is_change=True)).items


def test_a_stored_picture_is_no_text_for_a_watch_that_compares_text_again() -> None:
    assert read(png(OFFER), PageRules()).outcome == "error"


@pytest.mark.parametrize(
    "rules",
    [
        PageRules(compare="visual", ignore_text=("x",)),
        PageRules(compare="visual", select=("#a", "#b")),
        PageRules(compare="visual", select=("$.a",)),
        PageRules(compare="visual", visual_threshold=101.0),
        PageRules(compare="visual", smallest_region=-1),
    ],
)
def test_rules_that_make_no_sense_with_pictures_are_refused(rules: PageRules) -> None:
    with pytest.raises(BadRule):
        KIND.check_rules(rules)
