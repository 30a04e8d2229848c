"""What of an address varies: the parameters, or the parts between slashes, without which two addresses are one.

A pattern has a part for each part of the address: `*` for one that stands still, whatever it says, and what stands around the
varying span for one that does not: `*/*/•.site.example/*/*`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from driftline.kinds.page.skeleton import ends, size

SPAN: Final = "•"  # stands where an address varies
_STILL: Final = "*"
_MADE_UP: Final = re.compile(r"(?=[^\d]*\d)[\w.~%+=-]{6,}")  # what nobody chose: a token, a number of some length
_EXTENSION: Final = re.compile(r"\.[a-z\d]{2,5}$", re.IGNORECASE)


def varying_in(left: Sequence[str], right: Sequence[str]) -> tuple[frozenset[str], list[str]]:
    """The parameters and the patterns without which two lists of addresses are the same; nothing where they are not."""
    if not left or len(left) != len(right):
        return frozenset(), []
    names = frozenset(
        pair.partition("=")[0]
        for old, new in zip(left, right, strict=True)
        for pair in set(old.partition("?")[2].split("&")) ^ set(new.partition("?")[2].split("&"))
        if "=" in pair
    )
    olds, news = ([without_params(url, names) for url in side] for side in (left, right))
    if set(olds) == set(news):
        return names, []
    patterns = [_pattern(old, new) for old, new in zip(olds, news, strict=True) if old != new]
    return (names, list(dict.fromkeys(patterns))) if all(patterns) else (frozenset(), [])


def without_params(url: str, names: Collection[str]) -> str:
    """The URL without some of its parameters."""
    path, mark, query = url.partition("?")
    if not mark:
        return url
    kept = "&".join(pair for pair in query.split("&") if pair.partition("=")[0] not in names)
    return f"{path}?{kept}" if kept else path


def standing(url: str, data: Mapping[str, str]) -> str:
    """What of an address stands still under a mask's parameters and pattern; all of it where the pattern does not fit."""
    bare = without_params(url, data.get("params", "").split())
    return _blanked(bare, data["pattern"]) if "pattern" in data else bare


def _blanked(url: str, pattern: str) -> str:
    path, mark, query = url.partition("?")
    parts, known = path.split("/"), pattern.split("/")
    if len(parts) != len(known):
        return url
    for index, shape in enumerate(known):
        if shape == _STILL:
            continue
        head, _, tail = shape.partition(SPAN)
        part = parts[index]
        if len(part) < len(head) + len(tail) or not part.startswith(head) or not part.endswith(tail):
            return url
        parts[index] = shape
    return "/".join(parts) + mark + query


def _pattern(old: str, new: str) -> str:
    """The pattern of two addresses that name one thing at changing places; empty where they name two."""
    (one, _, query), (other, _, asked) = old.partition("?"), new.partition("?")
    before, after = one.split("/"), other.split("/")
    if len(before) != len(after) or query != asked or not _is_one_thing(before, after):
        return ""
    return "/".join(_shape(left, right) for left, right in zip(before, after, strict=True))


def _shape(left: str, right: str) -> str:
    if left == right:
        return _STILL
    head, tail = ends(left, right)
    return f"{head}{SPAN}{tail}"


def _is_one_thing(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the file's name stands still, or most of it, or nobody chose what varies in it."""
    old, new = (next((part for part in reversed(parts) if part), "") for parts in (before, after))
    if old == new:
        return len(before) > 3  # a host alone is no thing
    head, tail = ends(old, new)
    if size(head + _EXTENSION.sub("", tail)) * 2 >= max(size(old), size(new)):
        return True
    spans = (part[len(head) : len(part) - len(tail)] for part in (old, new))
    return all(_MADE_UP.fullmatch(span) for span in spans)
