"""Masked noise recognised from the scan alone: a page that is noisy at every check must not be read whole at every check.

The text nodes of the answer are aligned with those of the latest snapshot by their marks. Where they differ, the snapshot's
memo knows the place of the old nodes; if a mask covers that place and the new nodes fit it, nothing real can have changed
there. Whatever is not plainly so goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from driftline.core.prices import find_prices
from driftline.core.stock import stock_from_text
from driftline.core.text import fold
from driftline.kinds.page.images import GAP
from driftline.kinds.page.lines import settled
from driftline.kinds.page.masks import Cover, name_of
from driftline.kinds.page.memo import Memo, column
from driftline.kinds.page.scan import Scan, address_of
from driftline.kinds.page.varying import standing
from driftline.model.change import Suppressed
from driftline.model.item import Mask

_AROUND: Final = 4  # text nodes on either side in which a skeleton may lie
_MOST: Final = 200  # entries that may differ; more of them are a page that changed
_MOST_SHOWN: Final = 20  # links and images that are listed


def covered(found: Scan, memo: Memo, masks: Sequence[Mask]) -> list[Suppressed] | None:
    """What the masks explain, if they explain everything that differs; None where the whole page has to be looked at."""
    if found.data != memo.data or found.title_hash != memo.title or not memo.raw:
        return None
    cover = Cover(masks)
    gaps = _gaps(settled(column(memo.marks)), found.settled)
    if gaps is None:
        return None
    places = column(memo.places)
    explained = [_explained(found, cover, places, gap) for gap in gaps]
    if None in explained:
        return None
    links_left = _elements("link", found, memo, cover)
    images_left = _elements("image", found, memo, cover)
    if links_left is None or images_left is None:
        return None
    return [*(shown for shown in explained if shown is not None), *links_left, *images_left]


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


def _elements(part: Literal["link", "image"], found: Scan, memo: Memo, cover: Cover) -> list[Suppressed] | None:
    """The links or images that differ, if only at masked places; where they stand tells which place is theirs."""
    old, new = (column(memo.links), found.links) if part == "link" else (column(memo.images), found.images)
    places = column(memo.link_places if part == "link" else memo.image_places)
    if len(old) != len(new):
        return [] if set(old) == set(new) else None
    shown: list[Suppressed] = []
    for index, (was, now) in enumerate(zip(old, new, strict=True)):
        if was == now:
            continue
        before, after = memo.addresses.get(f"{was:016x}", ""), address_of(found, part, index)
        masks = cover.at(part, places[index]) if index < len(places) else ()
        mask = next((mask for mask in masks if _fits(mask, before, after)), None)
        if mask is None:
            return None
        if len(shown) < _MOST_SHOWN:
            shown.append(Suppressed(rule=name_of(mask), place=part, before=_url(before)[:200], after=_url(after)[:200]))
    return shown


def _fits(mask: Mask, before: str, after: str) -> bool:
    """Whether a mask covers whatever stands there, or nothing but what it knows to vary differs."""
    if mask.data["mode"] == "whole":
        return True
    (old, _, described), (new, _, describes) = before.partition(GAP), after.partition(GAP)
    return bool(old) and described == describes and standing(old, mask.data) == standing(new, mask.data)


def _url(told: str) -> str:
    return told.partition(GAP)[0]
