"""Learned noise in what a page says about itself: the pieces of a value that differ between answers which should be the same.

Addresses in JSON-LD and Open Graph carry tokens as those in the page do. A mask covers the varying pieces of a key's value and
nothing else of it, and never what names, prices or stocks are told by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from xxhash import xxh3_64_intdigest

from driftline.kinds.page.masks import Cover, name_of, within
from driftline.kinds.page.metadata import BUTTONS
from driftline.kinds.page.parsed import ParsedPage
from driftline.model.item import Mask

_CUTS: Final = re.compile(r"([/?&=#,;|\s]+)")  # between the pieces of an address or of several values
_VARIES: Final = "•"
_FEWEST: Final = 3  # letters or digits around what varies; with less of them the whole value does
_MOST: Final = 20  # keys of one page
_NEVER: Final = (
    "title", "name", "headline", "alternativeHeadline", "price", "Price", "price:amount", "priceCurrency", "price:currency",
    "currency", "availability", "salary", "baseSalary", "value", "minValue", "maxValue", "eventStatus", "robots", BUTTONS,
)  # fmt: skip


def masks_of_metadata(one: ParsedPage, other: ParsedPage, *, evidence: str, at: datetime) -> list[Mask]:
    """A mask for every key whose values differ between two states that should be the same."""
    found = [
        Mask(
            place=key,
            skeleton=data.get("pieces", data.get("prefix", ""))[:500],
            evidence=evidence,
            data={"part": "metadata", "place": f"{_place(key):016x}", **data},
            learned_at=at,
        )
        for key, data in _varying(one.metadata, other.metadata)
    ]
    return found if len(found) <= _MOST else []


def covering(cover: Cover, key: str, before: str | None, after: str | None) -> str | None:
    """The name of the mask that covers a difference of one key's values, or nothing."""
    if before is None or after is None:
        return None
    masks = cover.at("metadata", _place(key))
    return next((name_of(mask) for mask in masks if _fits(mask.data, before) and _fits(mask.data, after)), None)


def _place(key: str) -> int:
    return xxh3_64_intdigest(key.encode("utf-8", "replace"))


def _varying(one: dict[str, str], other: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    for key in sorted(one.keys() & other.keys()):
        before, after = one[key], other[key]
        if before != after and not key.endswith(_NEVER):
            yield key, _learned(before, after)


def _learned(before: str, after: str) -> dict[str, str]:
    """What stands still of two values: piece by piece where they are built alike, else their ends, else nothing."""
    old, new = _CUTS.split(before), _CUTS.split(after)
    pairs = list(zip(old, new, strict=False))
    still = [left if left == right else _VARIES for left, right in pairs]
    if len(old) == len(new) and _size("".join(still)) >= _FEWEST:
        return {"mode": "pieces", "pieces": "".join(still)}
    head = next((index for index, (left, right) in enumerate(pairs) if left != right), len(pairs))
    backwards = list(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    tail = next((index for index, (left, right) in enumerate(backwards) if left != right), len(backwards))
    prefix, suffix = "".join(old[:head]), "".join(old[len(old) - tail :])
    return {"mode": "span", "prefix": prefix, "suffix": suffix} if _size(prefix + suffix) >= _FEWEST else {"mode": "whole"}


def _size(text: str) -> int:
    return sum(map(str.isalnum, text))


def _fits(data: dict[str, str], value: str) -> bool:
    match data["mode"]:
        case "pieces":
            known, pieces = _CUTS.split(data["pieces"]), _CUTS.split(value)
            return len(known) == len(pieces) and all(
                still in (_VARIES, piece) for still, piece in zip(known, pieces, strict=True)
            )
        case "span":
            return within(value, data["prefix"], data["suffix"])
    return True
