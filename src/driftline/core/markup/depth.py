"""Estimates how deeply a document nests from its source: parsers are quadratic in depth, so this is checked first."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final

MAX_DEPTH: Final = 2_000  # open elements; real pages stay below a hundred

_CHUNK: Final = 16_384
_MANY_TAGS: Final = 10_000  # unmatched end tags can hide the depth of a smaller document, which costs little
_TAG: Final = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)")
# Elements without children, or closed by the next of their kind: an unclosed one adds no depth.
_FLAT: Final = frozenset(
    b"area base br col embed hr img input link meta param source track wbr a p li dt dd option optgroup tr td th thead "
    b"tbody tfoot "
    b"colgroup rp rt script style title textarea html head body".split()
)
# Elements that HTML reopens in every following block until they are closed: 18 KB can become 400,000 elements.
# The first two characters are asked for first: most tags are others.
_REOPENED: Final = (
    rb"<(/?)(?=[bceifnstuBCEIFNSTU][\s/>miotMIOT])((?i:b|i|s|u|em|tt|big|code|font|nobr|small|strike|strong))(?=[\s/>])"
)
_MAY_REOPEN: Final = re.compile(_REOPENED)
_WRITTEN: Final = re.compile(_REOPENED + rb"([^>]{0,300})")
_PLAINLY: Final = re.compile(rb"(?:\s[\w-]+=\"[^\"<>]*\")*")  # attributes of which nothing is beyond the next >
_SAME_AT_MOST: Final = 3  # of those that are written alike: no more of them are opened again
_NESTED_USUALLY: Final = 3


def too_deep(source: bytes) -> bool:
    """Whether more than MAX_DEPTH elements are open at once; only suspicious sources are examined tag by tag."""
    marks = source.count(b"<")
    if marks <= MAX_DEPTH or marks - source.count(b"</") <= MAX_DEPTH:  # so many are not even opened
        return False
    return (marks > _MANY_TAGS or _may_be_deep(source)) and _is_deep(source)


def _may_be_deep(source: bytes) -> bool:
    """Whether the limit may be exceeded, estimated chunk by chunk by how many tags close something."""
    opened = 0
    for start in range(0, len(source), _CHUNK):
        end = start + _CHUNK
        tags = source.count(b"<", start, end)
        if opened + tags > MAX_DEPTH:
            return True
        opened += tags - 2 * source.count(b"</", start, end)
    return False


def _is_deep(source: bytes) -> bool:
    opened: list[bytes] = []
    waiting: defaultdict[bytes, int] = defaultdict(int)  # number of open elements by name
    for closing, written in _TAG.findall(source):
        if written in _FLAT or (name := written.lower()) in _FLAT:
            continue
        if not closing:
            opened.append(name)
            waiting[name] += 1
            if len(opened) > MAX_DEPTH:
                return True
        elif waiting[name]:  # closes everything inside it too
            while waiting[name]:
                last = opened.pop()
                waiting[last] -= 1
                if last == name:
                    break
    return False


def reopened(body: bytes) -> int:
    """The factor by which elements may outnumber tags: 1, unless many formatting elements are left open."""
    opened: Counter[bytes] = Counter()
    now = most = 0
    for slash, name in _MAY_REOPEN.findall(body):
        if not slash:
            opened[name] += 1
            now += 1
            most = max(most, now)
        elif opened[name]:
            opened[name] -= 1
            now -= 1
    return 1 if most <= _NESTED_USUALLY + 1 else max(1, _open_at_once(body) - _NESTED_USUALLY)


def _open_at_once(body: bytes) -> int:
    """The most that HTML would open again somewhere; scripts that write tags leave many open that are written alike."""
    opened: dict[bytes, list[bytes]] = defaultdict(list)
    alike: Counter[bytes] = Counter()
    now = most = 0
    for slash, written, given in _WRITTEN.findall(body):
        name = written.lower()
        if not slash:
            tag = name + given if _PLAINLY.fullmatch(given) else b"%b %d" % (name, len(opened[name]))
            opened[name].append(tag)
            alike[tag] += 1
            now += alike[tag] <= _SAME_AT_MOST
            most = max(most, now)
        elif opened[name]:
            tag = opened[name].pop()
            now -= alike[tag] <= _SAME_AT_MOST
            alike[tag] -= 1
    return most
