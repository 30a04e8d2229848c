"""Blocks of two pages: which came, went, or were edited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from driftline.core.noise import sense
from driftline.core.text import excerpt
from driftline.kinds.page.block_pairs import is_linked, paired
from driftline.kinds.page.masks import Edit
from driftline.kinds.page.parsed import PageBlock
from driftline.model.change import Block

MAX_BLOCKS: Final = 200  # that one change carries


class BlockDiff(NamedTuple):
    """What happened to the blocks, and the edits that their coming and going does not tell."""

    blocks: tuple[Block, ...]
    others: Sequence[Edit]


def block_changes(
    before: Sequence[PageBlock] | None, after: Sequence[PageBlock] | None, edits: Sequence[Edit], *, literal: bool
) -> BlockDiff:
    """Added, removed and modified blocks, where a line that counts stands in them; whatever their order."""
    if before is None or after is None:
        return BlockDiff((), edits)
    lines = [side for edit in edits for side in (edit.before, edit.after) if side]
    old = {block.key: block for block in before}
    new = {block.key: block for block in after}
    come = [block for key, block in new.items() if key not in old]
    gone = [block for key, block in old.items() if key not in new]
    both = {block.key: old[block.key] for block in after if block.key in old}
    both |= {two.key: one for one, two in paired(gone, come, edits, turned=not any(map(is_linked, both.values())))}
    kept = {id(block) for block in both.values()}
    added = [block for block in come if block.key not in both and _touched(block, lines)]
    removed = [block for block in gone if id(block) not in kept and _touched(block, lines)]
    added, removed = _without_edited(added, removed, edits)
    found = [*(_change(block, "added") for block in added), *(_change(block, "removed") for block in removed)]
    for key, block in new.items():
        known = both.get(key)
        if known is None or known.text == block.text or not (_touched(block, lines) or _touched(known, lines)):
            continue
        if literal or not _alike(known, block):
            found.append(_change(block, "modified"))
    return BlockDiff(tuple(found[:MAX_BLOCKS]), _others(edits, added, removed))


def _without_edited(
    added: Sequence[PageBlock], removed: Sequence[PageBlock], edits: Sequence[Edit]
) -> tuple[list[PageBlock], list[PageBlock]]:
    """Without blocks of one line that became, or came from, a line in no block: too short a line to be one."""
    come, gone = _lines(added), _lines(removed)
    grown = {edit.after for edit in edits if edit.action == "changed" and edit.before not in gone}
    shrunk = {edit.before for edit in edits if edit.action == "changed" and edit.after not in come}
    return [block for block in added if block.text not in grown], [block for block in removed if block.text not in shrunk]


def _others(edits: Sequence[Edit], added: Sequence[PageBlock], removed: Sequence[PageBlock]) -> list[Edit]:
    """The edits that are more than a line of a block that went, a line of one that came, or both beside each other."""
    if not added and not removed:
        return list(edits)
    come, gone = _lines(added), _lines(removed)
    return [
        edit
        for edit in edits
        if edit.action == "moved"
        or not ((edit.before is None or edit.before in gone) and (edit.after is None or edit.after in come))
    ]


def _lines(blocks: Iterable[PageBlock]) -> set[str]:
    return {line for block in blocks for line in (block.title, *block.text.split("\n"))}


def _touched(block: PageBlock, lines: list[str]) -> bool:
    text = " ".join(block.text.split("\n"))
    return any(line in text or line in block.title for line in lines)


def _alike(one: PageBlock, other: PageBlock) -> bool:
    """Whether two blocks are the same but for noise."""
    olds, news = one.text.split("\n"), other.text.split("\n")
    return len(olds) == len(news) and all(old == new or sense(old) == sense(new) for old, new in zip(olds, news, strict=True))


def _change(block: PageBlock, action: str) -> Block:
    return Block(
        block_key=block.key,
        action=action,  # type: ignore[arg-type]  # one of three literals, a few lines above
        title=block.title,
        text_excerpt=excerpt(" ".join(block.text.split("\n"))),
        metadata=block.metadata,
    )
