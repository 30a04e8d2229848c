"""Blocks of two pages: which came, went, or were edited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from driftline.core.noise import sense
from driftline.core.text import excerpt
from driftline.kinds.page.parsed import PageBlock
from driftline.model.change import Block

MAX_BLOCKS: Final = 200  # that one change carries


def block_changes(
    before: Sequence[PageBlock] | None, after: Sequence[PageBlock] | None, edited: Iterable[str], *, literal: bool
) -> tuple[Block, ...]:
    """Added, removed and modified blocks, where a line that counts (`edited`) stands in them; whatever their order."""
    if before is None or after is None:
        return ()
    lines = [line for line in edited if line]
    old = {block.key: block for block in before}
    new = {block.key: block for block in after}
    found = [_change(block, "added") for key, block in new.items() if key not in old and _touched(block, lines)]
    found += [_change(block, "removed") for key, block in old.items() if key not in new and _touched(block, lines)]
    for key, block in new.items():
        known = old.get(key)
        if known is None or known.text == block.text or not (_touched(block, lines) or _touched(known, lines)):
            continue
        if literal or not _alike(known, block):
            found.append(_change(block, "modified"))
    return tuple(found[:MAX_BLOCKS])


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
