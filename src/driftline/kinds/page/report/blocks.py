"""The blocks of a change: entries that were added or removed, and sections and entries that were edited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

from driftline.core.text.folding import excerpt, letters_and_digits
from driftline.core.text.json_text import shown_value
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.counts import LONGEST_COUNT
from driftline.kinds.page.judge.spans import blanked
from driftline.kinds.page.parsed import LONGEST_TITLE, NO_ENTRY, Line, PageBlock, ParsedPage, entry_block, section_key
from driftline.kinds.page.report.releases import versions
from driftline.model.change import Block

MAX_BLOCKS: Final = 200  # that one change carries
_WORD: Final = re.compile(r"[^\W\d_]{3}")
_GAP: Final = re.compile(r"\w\s\w")  # between two words
_LONG: Final = 40  # letters of an entry that is identified by its text
_Found = dict[tuple[str, str], Block]  # by action and key


class ChangedBlocks(NamedTuple):
    """The blocks of a change, and the differences that no added or removed entry covers."""

    blocks: list[Block]
    others: list[LineDifference]


class _Side(NamedTuple):
    """One version: its entries' lines, and its side of what differs."""

    page: ParsedPage
    entries: Mapping[int, Sequence[Line]]
    lines: Sequence[Line | None]


def changed_blocks(before: ParsedPage, after: ParsedPage, lines: Sequence[LineDifference]) -> ChangedBlocks:
    """An entry counts as added or removed only if one version alone has its key and most of its text."""
    lines_old, lines_new = [one.before for one in lines], [one.after for one in lines]
    entries_old, entries_new = _entries(before, lines_old), _entries(after, lines_new)
    olds = _Side(before, entries_old, lines_old)
    news = _Side(after, entries_new, lines_new)
    went, came = _one_sided(olds, news), _one_sided(news, olds)
    found: _Found = {}
    others: list[LineDifference] = []
    headings = _headings(after)
    links_old, links_new = (_link_texts(page, some) for page, some in ((before, went), (after, came)))
    for one in lines:
        if one.action == "moved":
            others.append(one)
            continue
        come, gone = _entry(one.after, after), _entry(one.before, before)
        if come in came and one.before is None:
            block = partial(_entry_block, after, come, entries_new[come], links_new.get(come, ""))
            _add(found, "added", after.entries[come].key, block)
        elif gone in went and one.after is None:
            block = partial(_entry_block, before, gone, entries_old[gone], links_old.get(gone, ""))
            _add(found, "removed", before.entries[gone].key, block)
        else:
            others.append(one)
            if come is not None:
                _add(found, "modified", after.entries[come].key, partial(_entry_block, after, come, entries_new[come]))
            elif one.after is not None and (heading := headings[one.to]) is not None:
                key = section_key(heading, after)
                _add(found, "modified", key, partial(PageBlock, key, heading.text or "", one.after.text or ""))
    return ChangedBlocks(list(found.values()), others)


def _link_texts(page: ParsedPage, some: set[int]) -> dict[int, str]:
    """The texts of the links that identify entries."""
    return {link.entry: link.text for link in page.links if link.entry in some and link.url == page.entries[link.entry].key}


def _entry_block(page: ParsedPage, number: int, lines: Sequence[Line], link: str = "") -> PageBlock:
    """An entry as a block; its title is its link's text, or its own text if its key is only a date, an age or a number."""
    block = entry_block(page, number, lines)
    if page.format == "json":
        return _value_block(block, lines)
    if _GAP.search(link) and len(link) < len(block.title) and link in block.title and _tells(link):
        return PageBlock(block.key, link, block.text, block.named)
    if _tells(block.title):
        return block
    title = next((line.text for line in lines if line.text and _tells(line.text)), block.title)
    return PageBlock(block.key, title, block.text, block.named)


def _value_block(block: PageBlock, lines: Sequence[Line]) -> PageBlock:
    """An object of a JSON list as a block; its title is its name, or its id with the first meaningful value."""
    values = [shown_value(line.text) for line in lines if line.text]
    name, _, known = block.key.partition("=")
    said = next((one for one in values if _tells(one.partition(": ")[2])), "") if block.title == known else ""
    title = f"{name} {known} ({said})" if said and not _tells(known) else block.title
    return PageBlock(block.key, title, "\n".join(values), block.named)


def _tells(text: str) -> bool:
    """Whether a text has anything besides dates, ages and counts; a version number is meaningful."""
    if len(text) > LONGEST_COUNT:
        return True
    left = blanked(text)[0]
    found = (
        _WORD.search(left) is not None if text.isascii() else any(map(str.isalpha, left))
    )  # in some scripts two characters are a word
    return found or bool(versions(text, frozenset()))


def _entry(line: Line | None, page: ParsedPage) -> int | None:
    return line.entry if line is not None and line.entry != NO_ENTRY and line.entry < len(page.entries) else None


def _one_sided(here: _Side, there: _Side) -> set[int]:
    """The entries that the other version lacks: neither their key, nor their title, nor most of their text occurs there."""
    page, inside = here.page, here.entries
    known = {entry.key for entry in there.page.entries}
    sizes: Counter[int] = Counter()
    titled: set[int] = set()
    renamed: set[int] = set()  # their title is there, with other text
    for line, paired in zip(here.lines, there.lines, strict=True):
        number = _entry(line, page)
        if line is None or number is None or page.entries[number].key in known:
            continue
        called = excerpt(line.text or "", LONGEST_TITLE) == page.entries[number].title
        if paired is not None:
            if called:
                renamed.add(number)
            continue
        sizes[number] += len(line.text or "")
        if called:
            titled.add(number)
    whole = {number: sum(len(line.text or "") for line in inside[number]) for number in sizes}
    found = titled | {number for number, size in sizes.items() if size * 2 >= whole[number]} - renamed
    long = [number for number in found if whole[number] >= _LONG and not page.entries[number].linked]
    said = letters_and_digits(_joined(_with_entries(there))) if long else ""
    return found - {
        number for number in long if len(own := letters_and_digits(_joined(inside[number]))) >= _LONG and own in said
    }


def _with_entries(side: _Side) -> Iterator[Line]:
    """The lines that differ, with all lines of the entries that they belong to."""
    told: set[int] = set()
    for line in side.lines:
        number = _entry(line, side.page)
        if number is None and line is not None:
            yield line
        elif number is not None and number not in told:
            told.add(number)
            yield from side.entries[number]


def _joined(lines: Iterable[Line]) -> str:
    return "".join(line.text or "" for line in lines)


def _add(found: _Found, action: Literal["added", "removed", "modified"], key: str, block: Callable[[], PageBlock]) -> None:
    """Add a block unless its key was added before; its text is only read then."""
    if (action, key) in found or len(found) >= MAX_BLOCKS:
        return
    said = block()
    found[action, key] = Block(
        block_key=key,
        action=action,
        title=excerpt(said.title, LONGEST_TITLE),
        text_excerpt=excerpt(" ".join(said.text.split("\n"))),
        metadata=said.metadata,
    )


def _entries(page: ParsedPage, some: Iterable[Line | None]) -> dict[int, list[Line]]:
    """All lines of the entries that some lines belong to."""
    inside: dict[int, list[Line]] = {line.entry: [] for line in some if line is not None and line.entry != NO_ENTRY}
    for line in page.line_details if inside else ():
        if line.entry in inside:
            inside[line.entry].append(line)
    return inside


def _headings(page: ParsedPage) -> list[Line | None]:
    """The heading above each line."""
    found: list[Line | None] = []
    heading: Line | None = None
    for line in page.line_details:
        if line.heading and line.text:
            heading = line
        found.append(heading)
    return found
