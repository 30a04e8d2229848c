"""Entries of a page: repeated siblings (cards, rows, groups of rows), each with a key that stays and a title that tells it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from driftline.core.text.folding import excerpt, fold
from driftline.kinds.page.extract.walk import Walk
from driftline.kinds.page.parsed import LONGEST_TITLE, NO_ENTRY, ListEntry

_FEWEST: Final = 2  # siblings of one shape that make a list, where their tag is one of lists
_FEWEST_OTHERS: Final = 3  # where it is not
_LIST_TAGS: Final = frozenset("li tr article dd dt section".split())
_RUNNING: Final = frozenset("p h1 h2 h3 h4 h5 h6 blockquote pre br button".split())  # text, no list
_GROUPED: Final = frozenset(("tr", "dt"))  # with what follows them: rows and definitions come in groups
_SECTION: Final = 0.6  # of a part's text that linked entries of an inner list take: the outer one is a section then
_LONGEST_KEY: Final = 300
_STRIPES: Final = re.compile(r"\.(?:odd|even|alt|alternate|first|last)(?=\.|$)")  # of every other row: dress


class Entries(NamedTuple):
    """The entries of a page, and which of them each line and each element belongs to; -1: none."""

    entries: list[ListEntry]
    of_line: list[int]
    of_element: list[int]


def find_entries(walk: Walk, size: Sequence[int], address: Callable[[int], str | None]) -> Entries:
    """Both versions of a page are cut by this one rule. Linear in the elements of the page, `size` characters below each."""
    groups = _groups(walk, size)
    if not groups:
        return Entries([], [NO_ENTRY] * len(walk.texts), [NO_ENTRY] * len(walk.nodes))
    around, outer = _nesting(walk, groups)
    chosen = _chosen(walk, size, groups, around, outer)
    of_element = [chosen[group] if group >= 0 else -1 for group in around]
    of_line = [of_element[holder] if holder >= 0 else -1 for holder in walk.line_holders]
    lines: dict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(of_line):
        if group >= 0:
            lines[group].append(index)
    numbers = {group: number for number, group in enumerate(lines)}
    entries = _named(walk, groups, lines, address)
    return Entries(
        entries,
        [numbers.get(group, NO_ENTRY) for group in of_line],
        [numbers.get(group, NO_ENTRY) for group in of_element],
    )


def _groups(walk: Walk, size: Sequence[int]) -> list[list[int]]:
    """Candidates: sibling elements that stand for one entry each."""
    children: dict[int, list[int]] = defaultdict(list)
    cards = _cards(walk)
    for number, shape in enumerate(walk.shapes):
        if size[number] and (not shape.inline or number in cards):
            children[walk.parents[number]].append(number)
    return [group for inner in children.values() if len(inner) >= _FEWEST for group in _lists_in(walk, inner)]


def _cards(walk: Walk) -> set[int]:
    """Links around whole cards, with blocks inside."""
    around: set[int] = set()  # inline elements that hold blocks
    for number, shape in enumerate(walk.shapes):
        above = walk.parents[number]
        while not shape.inline and above >= 0 and walk.shapes[above].inline and above not in around:
            around.add(above)
            above = walk.parents[above]
    return {number for number in around if walk.shapes[number].tag == "a"}


def _lists_in(walk: Walk, inner: Sequence[int]) -> list[list[int]]:
    """The entries among the children of one element: those of one shape, or groups that begin with one shape."""
    names = [
        _STRIPES.sub("", shape.path) if (shape := walk.shapes[number]).tag != "li" else shape.tag for number in inner
    ]  # whatever its state
    counts = Counter(names)
    leader = next((at for at, name in enumerate(names) if counts[name] >= _FEWEST), None)
    if leader is None:
        return []
    tag, repeated = walk.shapes[inner[leader]].tag, counts[names[leader]]
    if tag in _RUNNING or (tag not in _LIST_TAGS and repeated < _FEWEST_OTHERS):
        return []
    if len(counts) == 1 or (tag not in _GROUPED and repeated * 2 >= len(inner)) or len(counts) > repeated:
        return [[number] for number, name in zip(inner, names, strict=True) if counts[name] >= _FEWEST]
    starts = [at for at, name in enumerate(names) if name == names[leader]]
    return [list(inner[start:end]) for start, end in zip(starts, [*starts[1:], len(inner)], strict=True)]


def _nesting(walk: Walk, groups: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The innermost group around each element, and around each group."""
    owner = {number: index for index, group in enumerate(groups) for number in group}
    around: list[int] = []
    outer = [-1] * len(groups)
    for number, parent in enumerate(walk.parents):
        above = around[parent] if parent >= 0 else -1
        own = owner.get(number, -1)
        if own >= 0:
            outer[own] = above
        around.append(own if own >= 0 else above)
    return around, outer


def _chosen(
    walk: Walk, size: Sequence[int], groups: Sequence[Sequence[int]], around: Sequence[int], outer: Sequence[int]
) -> list[int]:
    """For each group the one that is the entry: the outermost around it that is no section; -1 for sections."""
    linked = [False] * len(groups)
    for number in walk.links:
        group = around[number]
        while group >= 0 and not linked[group]:
            linked[group] = True
            group = outer[group]
    sizes = [sum(size[number] for number in group) for group in groups]
    taken = [0] * len(groups)
    for index, above in enumerate(outer):
        if above >= 0 and linked[index]:
            taken[above] += sizes[index]
    found: list[int] = []
    for index in range(len(groups)):
        best, group = -1, index
        while group >= 0 and taken[group] <= _SECTION * sizes[group]:
            best, group = group, outer[group]
        found.append(best)
    return found


def _named(
    walk: Walk, groups: Sequence[Sequence[int]], lines: dict[int, list[int]], address: Callable[[int], str | None]
) -> list[ListEntry]:
    """Keys and titles: a title is what tells an entry apart from its siblings."""
    texts = [[walk.texts[index] for index in indexes] for indexes in lines.values()]
    links = [[_link(walk, index) for index in indexes] for indexes in lines.values()]
    urls = [[url for link in found if link >= 0 and (url := address(link)) is not None] for found in links]
    said, led_to = _entries_with(texts), _entries_with(urls)
    keys: Counter[str] = Counter()
    entries: list[ListEntry] = []
    for (group, indexes), own_texts, own_links, own_urls in zip(lines.items(), texts, links, urls, strict=True):
        heading = telling = ""
        for index, text in zip(indexes, own_texts, strict=True):
            if not heading and walk.shapes[walk.line_holders[index]].heading:
                heading = text
            if not telling and said[text] == 1 and any(map(str.isalpha, text)):
                telling = text
        title = heading if said.get(heading) == 1 else telling or heading or own_texts[0]
        own = own_links[own_texts.index(title)]
        titled = address(own) if own >= 0 else None  # a title's link says more than a button's
        url = titled
        if titled is None or led_to.get(titled) != 1:
            url = next((one for one in own_urls if led_to[one] == 1), titled)
        first = groups[group][0]
        identity = walk.nodes[first].attributes.get("id") or ""
        key = url or (
            f"#{identity}" if identity and not identity.isdigit() else f"{walk.shapes[first].tag}:{fold(title).casefold()}"
        )
        key = key[:_LONGEST_KEY]
        keys[key] += 1
        if keys[key] > 1:
            key = f"{key}~{keys[key]}"
        entries.append(ListEntry(key, excerpt(title, LONGEST_TITLE), linked=url is not None))
    return entries


def _entries_with(found: Iterable[Sequence[str]]) -> dict[str, int]:
    """In how many entries each of these stands."""
    counts: dict[str, int] = {}
    for one in found:
        for value in one if len(one) < 2 else set(one):
            counts[value] = counts.get(value, 0) + 1
    return counts


def _link(walk: Walk, index: int) -> int:
    """The link that a line is known by; one inside a sentence refers to something else. -1: none."""
    return walk.line_links[index] if walk.line_whole[index] or len(walk.texts[index]) <= LONGEST_TITLE else -1
