"""Masked noise recognised from the scan alone: a page that is noisy at every check must not be read whole at every check.

The text nodes of the answer are aligned with those of the latest snapshot by their marks. Where they differ, the snapshot's memo
knows the place of the old nodes; if a mask covers that place and the new nodes fit it, nothing real can have changed there. Whatever
is not plainly so goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from driftline.core.noise import settle
from driftline.core.prices import find_prices
from driftline.core.sequences import Run, common_runs
from driftline.core.text import fold
from driftline.kinds.page import links
from driftline.kinds.page.lines import NOISE
from driftline.kinds.page.masks import Cover, without_params
from driftline.kinds.page.memo import Memo, column
from driftline.kinds.page.scan import Scan
from driftline.model.change import Suppressed
from driftline.model.item import Mask

_AROUND: Final = 4  # text nodes on either side in which a skeleton may lie


class _Gap(NamedTuple):
    before: int
    before_end: int
    after: int
    after_end: int


def covered(found: Scan, memo: Memo, masks: Sequence[Mask]) -> list[Suppressed] | None:
    """What the masks explain, if they explain everything that differs; None where the whole page has to be looked at."""
    if found.data != memo.data or found.title_hash != memo.title or not memo.raw:
        return None
    cover = Cover(masks)
    explained: list[Suppressed] = []
    old = settle(column(memo.marks), NOISE)
    places = column(memo.places)
    for gap in _gaps(old, found.settled):
        shown = _explained(found, cover, places, gap)
        if shown is None:
            return None
        explained.append(shown)
    parts: tuple[tuple[Literal["link", "image"], bytes, list[int], bytes], ...] = (
        ("link", memo.links, found.links, memo.link_places),
        ("image", memo.images, found.images, memo.image_places),
    )
    for part, before, after, at in parts:
        if not _elements_covered(part, found, memo, cover, column(before), after, column(at)):
            return None
    return explained


def _gaps(old: Sequence[int], new: Sequence[int]) -> Iterator[_Gap]:
    at = to = 0
    for run in [*common_runs(old, new), Run(len(old), len(new), 0)]:
        if run.before > at or run.after > to:
            yield _Gap(at, run.before, to, run.after)
        at, to = run.before + run.size, run.after + run.size


def _explained(found: Scan, cover: Cover, places: Sequence[int], gap: _Gap) -> Suppressed | None:
    """The mask that covers a gap whose nodes stand at one masked place, as many as before."""
    size = gap.before_end - gap.before
    if size == 0 or size != gap.after_end - gap.after or gap.before_end > len(places):
        return None
    here = set(places[gap.before : gap.before_end])
    texts = [fold(node.decode()) for node in found.nodes[gap.after : gap.after_end]]
    for place in here:
        masks = cover.at("text", place)
        if any(mask.data["mode"] == "whole" and "beside" not in mask.data for mask in masks):
            if any(find_prices(text) for text in texts):
                return None
        elif len(here) != 1 or not any(mask.data["mode"] == "span" and _spans(mask, found, gap) for mask in masks):
            return None
    mask = cover.at("text", next(iter(here)))[0]
    return Suppressed(
        rule=f"mask {mask.id}" if mask.id else f"mask at {mask.place}", place=mask.place, after=" ".join(texts)[:200]
    )


def _spans(mask: Mask, found: Scan, gap: _Gap) -> bool:
    """Whether the new nodes, with those around them, still have the mask's skeleton; spaces between nodes aside."""
    prefix, suffix = _squeezed(mask.data["prefix"]), _squeezed(mask.data["suffix"])
    before = _squeezed("".join(node.decode() for node in found.nodes[max(0, gap.after - _AROUND) : gap.after]))
    inside = _squeezed("".join(node.decode() for node in found.nodes[gap.after : gap.after_end]))
    after = _squeezed("".join(node.decode() for node in found.nodes[gap.after_end : gap.after_end + _AROUND]))
    for taken in range(min(len(inside), len(prefix)) + 1):
        if (before + inside[:taken]).endswith(prefix):
            rest = inside[taken:]
            return any((rest[len(rest) - left :] + after).startswith(suffix) for left in range(min(len(rest), len(suffix)) + 1))
    return False


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _elements_covered(
    part: Literal["link", "image"],
    found: Scan,
    memo: Memo,
    cover: Cover,
    old: Sequence[int],
    new: Sequence[int],
    places: Sequence[int],
) -> bool:
    """Whether links or images differ only at masked places; where they stand tells which place is theirs."""
    known, shown = set(old), set(new)
    if known == shown:
        return True
    for gap in _gaps(old, new):
        gone = [index for index in range(gap.before, gap.before_end) if old[index] not in shown]
        come = [index for index in range(gap.after, gap.after_end) if new[index] not in known]
        if not gone and not come:
            continue
        if len(gone) != len(come):
            return False
        for was, now in zip(gone, come, strict=True):
            masks = cover.at(part, places[was]) if was < len(places) else ()
            if not any(mask.data["mode"] == "whole" or _same_but_params(found, memo, mask, now, old[was]) for mask in masks):
                return False
    return True


def _same_but_params(found: Scan, memo: Memo, mask: Mask, index: int, old: int) -> bool:
    """Whether a link differs from the one that stood there only by parameters that are known to vary."""
    known = memo.queries.get(f"{old:016x}")
    now = links.address(found.hrefs[index], found.base)
    varying = frozenset(mask.data.get("params", "").split())
    return bool(known and now and varying) and without_params(known or "", varying) == without_params(now or "", varying)
