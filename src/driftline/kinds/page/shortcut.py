"""Masked noise recognised from the scan alone: a page that is noisy at every check must not be read whole at every check.

The text nodes of the answer are aligned with those of the latest snapshot by their marks. Where they differ, the snapshot's
memo
knows the place of the old nodes; if a mask covers that place and the new nodes fit it, nothing real can have changed there.
Whatever
is not plainly so goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from driftline.core.noise import settle
from driftline.core.prices import find_prices
from driftline.core.stock import stock_from_text
from driftline.core.text import fold
from driftline.kinds.page import links
from driftline.kinds.page.lines import NOISE
from driftline.kinds.page.masks import Cover, name_of, without_params
from driftline.kinds.page.memo import Memo, column
from driftline.kinds.page.scan import Scan
from driftline.model.change import Suppressed
from driftline.model.item import Mask

_AROUND: Final = 4  # text nodes on either side in which a skeleton may lie
_MOST: Final = 200  # entries that may differ; more of them are a page that changed


def covered(found: Scan, memo: Memo, masks: Sequence[Mask]) -> list[Suppressed] | None:
    """What the masks explain, if they explain everything that differs; None where the whole page has to be looked at."""
    if found.data != memo.data or found.title_hash != memo.title or not memo.raw:
        return None
    cover = Cover(masks)
    gaps = _gaps(settle(column(memo.marks), NOISE), found.settled)
    if gaps is None:
        return None
    places = column(memo.places)
    explained = [_explained(found, cover, places, gap) for gap in gaps]
    if None in explained:
        return None
    if not _elements_covered("link", found, memo, cover, column(memo.links), found.links, column(memo.link_places)):
        return None
    if not _elements_covered("image", found, memo, cover, column(memo.images), found.images, column(memo.image_places)):
        return None
    return [shown for shown in explained if shown is not None]


def _gaps(old: Sequence[int], new: Sequence[int]) -> list[range] | None:
    """Where two sequences of the same length differ; None where something came or went, or too much differs at once."""
    if len(old) != len(new):
        return None
    differing = [index for index, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
    if len(differing) > _MOST:
        return None
    gaps: list[range] = []
    for index in differing:
        if gaps and gaps[-1].stop == index:
            gaps[-1] = range(gaps[-1].start, index + 1)
        else:
            gaps.append(range(index, index + 1))
    return gaps


def _explained(found: Scan, cover: Cover, places: Sequence[int], gap: range) -> Suppressed | None:
    """The mask that covers a gap, or nothing where one of its nodes stands at a place without a mask that fits."""
    if gap.stop > len(places):
        return None
    here = {places[index] for index in gap}
    texts = [fold(found.nodes[index].decode()) for index in gap]
    for place in here:
        masks = cover.at("text", place)
        if any(mask.data["mode"] == "whole" and "beside" not in mask.data for mask in masks):
            if any(find_prices(text) or stock_from_text(text) is not None for text in texts):
                return None
        elif len(here) != 1 or not any(mask.data["mode"] == "span" and _spans(mask, found, gap) for mask in masks):
            return None
    mask = cover.at("text", places[gap.start])[0]
    return Suppressed(rule=name_of(mask), place=mask.place, after=" ".join(texts)[:200])


def _spans(mask: Mask, found: Scan, gap: range) -> bool:
    """Whether the new nodes, with those around them, still have the mask's skeleton; spaces between nodes aside."""
    prefix, suffix = _squeezed([mask.data["prefix"]]), _squeezed([mask.data["suffix"]])
    before = _squeezed(node.decode() for node in found.nodes[max(0, gap.start - _AROUND) : gap.start])
    inside = _squeezed(node.decode() for node in found.nodes[gap.start : gap.stop])
    after = _squeezed(node.decode() for node in found.nodes[gap.stop : gap.stop + _AROUND])
    if find_prices(inside) or stock_from_text(inside) is not None:
        return False
    for taken in range(min(len(inside), len(prefix)) + 1):
        if (before + inside[:taken]).endswith(prefix):
            rest = inside[taken:]
            return any((rest[len(rest) - left :] + after).startswith(suffix) for left in range(min(len(rest), len(suffix)) + 1))
    return False


def _squeezed(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())


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
    if len(old) != len(new):
        return set(old) == set(new)
    for index, (was, now) in enumerate(zip(old, new, strict=True)):
        if was != now:
            masks = cover.at(part, places[index]) if index < len(places) else ()
            if not any(mask.data["mode"] == "whole" or _same_but_params(found, memo, mask, index, was) for mask in masks):
                return False
    return True


def _same_but_params(found: Scan, memo: Memo, mask: Mask, index: int, old: int) -> bool:
    """Whether a link differs from the one that stood there only by parameters that are known to vary."""
    known = memo.queries.get(f"{old:016x}")
    now = links.address(found.hrefs[index], found.base)
    varying = frozenset(mask.data.get("params", "").split())
    return bool(known and now and varying) and without_params(known or "", varying) == without_params(now or "", varying)
