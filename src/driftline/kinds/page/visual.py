"""Pages that are compared by how they look: a picture is read, and regions of it are judged, ignored and reported."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec

from driftline.core.answers.failure_text import EMPTY_RENDERED
from driftline.core.identity.fingerprint import digest
from driftline.core.pictures.looks import look_difference, picture_of
from driftline.core.pictures.regions import Difference, Happened, Region, place_of
from driftline.kinds.kind import Baseline, Reading, Verdict
from driftline.kinds.page import flips
from driftline.kinds.page.judge.masks import IGNORED, MOST_LEARNED
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.change import Finding, Severity, Suppressed
from driftline.model.fetch import Fetched
from driftline.model.item import Observed
from driftline.model.noise.mask import Ignoring, Mask, MaskedArea

_PLACES_NAMED: Final = 3
_MOST: Final = 50.0  # percent from which on the places are not named
_LARGE, _SMALL = 20.0, 1.0  # percent: above it is high, below it low
_AROUND: Final = 16  # pixels around a learned area: what moves there moves a little more the next time
_NEAR: Final = 64  # pixels between two regions that are learned as one: both ends of what moved
_SAID: Final[dict[Happened, str]] = {"new": "something new", "gone": "something is gone", "replaced": "replaced"}


def read_picture(got: Fetched, rules: PageRules, key: str) -> Reading[ParsedPage]:
    """The page as it looks; an answer that is no picture, or a blank one, is none."""
    try:
        look, signature, blank = picture_of(got.body)
    except ValueError:
        return Reading(complete=False, outcome="error", reason="answers with a file instead of a page")
    if blank and not rules.empty_is_change:
        return Reading(complete=False, outcome="error", reason=EMPTY_RENDERED)
    text = f"Picture of {look.width} x {look.height} pixels"
    state = ParsedPage(url=got.url, format="picture", text=text, literal=True, look=look, signature=signature)
    return Reading(items=[Observed(key=key, url=got.url, title="", fingerprint=digest(signature), build=lambda: state).built()])


def picture_verdict(
    before: Baseline[ParsedPage], observed: Observed[ParsedPage], rules: PageRules, masks: Sequence[Mask], *, at: datetime
) -> Verdict:
    """What counts of how the page looks now; nothing without a picture from before the run."""
    past = before.snapshots.get(observed.key)
    if past is None or past.state.look is None or observed.state.look is None:
        return Verdict()
    found, suppressed = _judged(past.state, observed.state, rules, masks)
    if not found.regions:
        return Verdict(noise=frozenset((observed.key,)), suppressed=suppressed)
    moved = [flips.file_side(past.state, observed.state)]
    step = partial(before.limits, at=at, window_for=rules.revert_window_for)(moved)
    finding = Finding(
        type="visual",
        severity=_severity(found.percent),
        headline=headline(found),
        key=observed.key,
        url=observed.state.url,
        diff={"visual": document(found), "version": {"previous": past.version, "current": past.version + 1}},
    )
    return Verdict(findings=(flips.as_sent(finding, moved, step.decisions),), suppressed=suppressed, step=step)


def _judged(
    before: ParsedPage, after: ParsedPage, rules: PageRules, masks: Sequence[Mask]
) -> tuple[Difference, tuple[Suppressed, ...]]:
    """The regions that count, and what hides the others."""
    areas = [(mask, region) for mask in masks if mask.state == "active" and (region := _region(mask)) is not None]
    found = _difference(before, after, [region for _, region in areas])
    suppressed = [Suppressed(rule=_name(areas[number][0]), place=areas[number][0].place) for number in found.hidden]
    kept = [
        (region, happened)
        for region, happened in zip(found.regions, found.happened, strict=True)
        if max(region.width, region.height) > rules.smallest_region
    ]
    if len(kept) < len(found.regions):
        suppressed.append(Suppressed(rule="smallest_region", place=f"{len(found.regions) - len(kept)} small regions"))
    if kept and found.percent < rules.visual_threshold:
        suppressed.append(Suppressed(rule=f"{found.percent:.2f}% differ, less than {rules.visual_threshold:g}%", place="page"))
        kept = []
    regions, happened = zip(*kept, strict=True) if kept else ((), ())
    return msgspec.structs.replace(found, regions=regions, happened=happened), tuple(suppressed)


def _difference(before: ParsedPage, after: ParsedPage, ignored: Sequence[Region] = ()) -> Difference:
    if before.look is None or after.look is None:
        return Difference(width=0, height=0)
    return look_difference(before.look, after.look, ignored=ignored)


def headline(found: Difference) -> str:
    """Where the page looks different, what happened there, and how much of it that is."""
    share = "less than 0.1%" if found.percent < 0.1 else f"{found.percent:.1f}%"
    if found.percent >= _MOST:
        return f"Most of the page looks different ({share})"
    places: dict[str, str] = {}
    for region, happened in zip(found.regions, found.happened, strict=True):
        places.setdefault(place_of(region, found.width, found.height), _SAID[happened])
    named = "; ".join(f"{place}: {said}" for place, said in list(places.items())[:_PLACES_NAMED])
    more = f"; and {len(places) - _PLACES_NAMED} more places" if len(places) > _PLACES_NAMED else ""
    return f"{named[:1].upper()}{named[1:]}{more} ({share} of the picture)"


def document(found: Difference) -> dict[str, Any]:
    """The difference as programs get it, and as the page of the change draws its boxes."""
    return {
        "percent": round(found.percent, 3),
        "width": found.width,
        "height": found.height,
        "regions": [
            {**region._asdict(), "place": place_of(region, found.width, found.height), "happened": happened}
            for region, happened in zip(found.regions, found.happened, strict=True)
        ],
    }


def _severity(percent: float) -> Severity:
    return "high" if percent >= _LARGE else "medium" if percent >= _SMALL else "low"


def learn_regions(one: ParsedPage, other: ParsedPage, *, evidence: str, at: datetime) -> list[Mask]:
    """Ignored areas for everything that differs between two pictures that should be the same."""
    found = _difference(one, other)
    if len(found.regions) > MOST_LEARNED or found.percent >= _MOST:
        return []  # that is another page, and no noise on it
    return [_mask(region, found, evidence=evidence, at=at) for region in _merged(found.regions)]


def _merged(regions: Sequence[Region]) -> list[Region]:
    """Regions with those near them as one."""
    left, merged = list(regions), list[Region]()
    while left:
        one = left.pop()
        near = next((other for other in left if _are_near(one, other)), None)
        if near is None:
            merged.append(one)
        else:
            left.remove(near)
            x, y = min(one.x, near.x), min(one.y, near.y)
            right, bottom = (max(one[at] + one[at + 2], near[at] + near[at + 2]) for at in (0, 1))
            left.append(Region(x, y, right - x, bottom - y))
    return sorted(merged, key=lambda region: -region.area)


def _are_near(one: Region, other: Region) -> bool:
    return all(one[at] - _NEAR < other[at] + other[at + 2] and other[at] - _NEAR < one[at] + one[at + 2] for at in (0, 1))


def _mask(region: Region, found: Difference, *, evidence: str, at: datetime) -> Mask:
    left, top = max(0, region.x - _AROUND), max(0, region.y - _AROUND)
    around = Region(left, top, region.x + region.width + _AROUND - left, region.y + region.height + _AROUND - top)
    area = MaskedArea(part="region", path=",".join(map(str, around)), types=("picture",))
    size = f"{around.width} x {around.height} pixels at {around.x}, {around.y}"
    place = place_of(region, found.width, found.height)
    return Mask(place=place, skeleton=size, evidence=evidence, area=area, learned_at=at)


def _region(mask: Mask) -> Region | None:
    if mask.area is None or mask.area.part != "region":
        return None
    return Region(*map(int, mask.area.path.split(",")))


def _name(mask: Mask) -> str:
    return f"{IGNORED} {mask.id}" if mask.id is not None else f"{IGNORED} at {mask.place}"


def ignoring_regions(one: ParsedPage, other: ParsedPage, rules: PageRules, masks: Sequence[Mask]) -> Ignoring:
    """What these areas would hide of a difference, and what they would leave."""
    found, suppressed = _judged(one, other, rules, masks)
    left = tuple(
        Suppressed(rule="", place=place_of(region, found.width, found.height), after=_SAID[happened])
        for region, happened in zip(found.regions, found.happened, strict=True)
    )
    return Ignoring(hidden=tuple(one for one in suppressed if one.rule.startswith(IGNORED)), left=left)
