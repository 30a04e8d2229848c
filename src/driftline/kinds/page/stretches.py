"""A page recognised from its source, before it is parsed: most answers differ from the last one by a few tokens and a clock.

The source of the latest snapshot is remembered as stretches, of which only length and hash are kept, with gaps between them
where noise was or is likely: scripts, comments, ad slots, tokens, counters. An answer that has all stretches in order, and in
every gap what the scan would read alike (see `pieces`), is the same page. Whatever is not plainly so is scanned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count, pairwise
from operator import add
from typing import Final

import msgspec
import re2
from xxhash import xxh3_64_intdigest

from driftline.core.clutter import MOST_SLOTS
from driftline.kinds.page import pieces as cut

_HUGE: Final = 1 << 20  # bytes; a larger source is scanned at once
_ANCHOR: Final = 24  # bytes of a stretch by which its beginning is looked for
_TRIES: Final = 8  # places at which it may seem to begin
_MOST_GAPS: Final = 400
_MOST_OF_ONE: Final = 40  # places of one noisy text
_SPACE: Final = rb"[ \t\n\r\f\v]"
# Where noise likes to stand. A wrong guess costs nothing but some bytes, a missing one a scan of the page.
_SIGNS: Final = rb"nonce|csrf|token|value=|content=|integrity|%bdata-|\?|(?:%b|[\"'=_-])ad|ads|dvert|ponsor|ookie|onsent" % (
    _SPACE,
    _SPACE,
)
_TAG: Final = re2.compile(
    rb"<(?:!--|(?i:script|style|noscript|svg|math|title|textarea|iframe)\b|[a-zA-Z][^ \t\n\r\f\v<>]*%b[^<>]*?(?:%b))"
    % (_SPACE, _SIGNS)
)
_ODD: Final = re2.compile(rb"<(?i:xmp|noembed|noframes|plaintext)")
_OPEN_QUOTE: Final = re.compile(rb"""=\s*"[^"<]*<|=\s*'[^'<]*<""")


class Stretch(msgspec.Struct, frozen=True, array_like=True):
    """Bytes of a source that stay, and the gap behind them."""

    length: int
    hash: int
    anchor: bytes  # how it begins
    raw: int  # hash of the gap behind it, as it was
    told: int  # of what the scan sees of that gap


def recognise(source: str, url: str, stretches: Sequence[Stretch]) -> list[bytes] | None:
    """The noise by which a source differs from the one that left the stretches; None where more than noise may differ."""
    body = source.encode("utf-8", "replace")
    view = memoryview(body)
    if not stretches or xxh3_64_intdigest(view[: stretches[0].length]) != stretches[0].hash:
        return None
    fresh: list[bytes] = []
    end = stretches[0].length
    for stretch, following in pairwise(stretches):
        start = _beginning(body, view, end, following)
        if start is None or not _alike(view[end:start], stretch, url, fresh):
            return None
        end = start + following.length
    return fresh if _alike(view[end:], stretches[-1], url, fresh) else None


def _beginning(body: bytes, view: memoryview, end: int, stretch: Stretch) -> int | None:
    for _ in range(_TRIES):
        start = body.find(stretch.anchor, end)
        if start < 0:
            return None
        if xxh3_64_intdigest(view[start : start + stretch.length]) == stretch.hash:
            return start
        end = start + 1
    return None


def _alike(gap: memoryview, stretch: Stretch, url: str, fresh: list[bytes]) -> bool:
    if xxh3_64_intdigest(gap) == stretch.raw:
        return True
    before, *pieces = bytes(gap).split(b"<")
    told = cut.told(pieces, url, fresh) if not before else None
    return told is not None and _hash(told) == stretch.told


def stretches_of(source: str, url: str, noisy: Iterable[bytes]) -> tuple[Stretch, ...]:
    """What a source leaves for `recognise`; `noisy` are texts on the page that hold noise. Nothing where markup is too odd."""
    body = source.encode("utf-8", "replace")
    if len(body) > _HUGE or _ODD.search(body):
        return ()
    pieces = body.split(b"<")
    starts = list(map(add, accumulate(map(len, pieces[:-1]), initial=-1), count()))
    gaps = _gaps(pieces, sorted(_likely(body, starts, noisy)))
    if gaps is None or len(gaps) > _MOST_GAPS:
        return ()
    kept: list[Stretch] = []
    at = 0
    known = [
        (starts[first], _at(starts, past, len(body)), told) for first, past in gaps if (told := _told(pieces, first, past, url))
    ]
    for start, end, told in [*known, (len(body), len(body), _hash([]))]:
        stretch = body[at:start]
        if _OPEN_QUOTE.search(stretch + b"<"):
            return ()
        kept.append(
            Stretch(len(stretch), xxh3_64_intdigest(stretch), stretch[:_ANCHOR], xxh3_64_intdigest(body[start:end]), told)
        )
        at = end
    return tuple(kept)


def _at(starts: Sequence[int], index: int, length: int) -> int:
    return starts[index] if index < len(starts) else length


def _told(pieces: Sequence[bytes], first: int, past: int, url: str) -> int:
    """The hash of what the scan sees of a gap; zero where that is unsure, and the gap none."""
    told = cut.told(pieces[first:past], url, [])
    return 0 if told is None else _hash(told)


def _hash(told: Iterable[int]) -> int:
    return xxh3_64_intdigest(b"".join(number.to_bytes(8) for number in told if number)) or 1


def _likely(body: bytes, starts: Sequence[int], noisy: Iterable[bytes]) -> set[int]:
    """The pieces that noise may stand in, and those that decide what is markup."""
    found = {bisect_right(starts, tag.start()) - 1 for tag in _TAG.finditer(body)}
    for text in noisy:
        for _, at in zip(range(_MOST_OF_ONE), _places(body, text.strip()), strict=False):
            found.add(bisect_right(starts, at) - 1)
    found.discard(0)
    return found


def _places(body: bytes, text: bytes) -> Iterator[int]:
    at = body.find(text) if text else -1
    while at >= 0:
        yield at
        at = body.find(text, at + len(text))


def _gaps(pieces: Sequence[bytes], likely: Sequence[int]) -> list[tuple[int, int]] | None:
    """Ranges of pieces between the stretches, neighbours joined; None where it is unsure what is markup at all."""
    gaps: list[tuple[int, int]] = []
    slots: list[tuple[int, int]] = []
    many = 0
    covered = 0
    for index in likely:
        if index < covered:
            continue
        found = cut.extent(pieces, index, sure=index == covered)
        if found is None:
            return None
        covered, kind = found
        if kind == "slot":
            slots.append((index, covered))
            many += cut.slots_in(pieces[index:covered])
        elif kind == "gap" or (kind == "noscript" and _is_in_body(pieces, index, gaps)):
            gaps.append((index, covered))
    if many <= MOST_SLOTS:
        gaps = sorted(gaps + slots)
    joined: list[tuple[int, int]] = []
    for first, past in gaps:
        if joined and joined[-1][1] == first:
            joined[-1] = (joined[-1][0], past)
        else:
            joined.append((first, past))
    return joined


def _is_in_body(pieces: Sequence[bytes], index: int, gaps: Sequence[tuple[int, int]]) -> bool:
    """Whether the body has plainly begun: in a head, `noscript` ends where the head does."""
    return any(
        pieces[at][:4].lower() == b"body" and not any(first <= at < past for first, past in gaps) for at in range(1, index)
    )
