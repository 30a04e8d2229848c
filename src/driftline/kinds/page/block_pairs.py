"""Blocks that went and came under another key and are one all the same: a new token in their link, or another value in them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from driftline.kinds.page.masks import Edit
from driftline.kinds.page.parsed import PageBlock

_SHARED: Final = 0.5  # of the words of the longer one, that two states of a block have in common
_LABEL: Final = 3  # letters of a first word that tells which row it is

Pair = tuple[PageBlock, PageBlock]


def paired(gone: Sequence[PageBlock], come: Sequence[PageBlock], edits: Sequence[Edit], *, turned: bool) -> list[Pair]:
    """Blocks before with what they became; `turned`: no block has the link that it had, so there is a token in all of them."""
    if not gone or not come:
        return []
    found: list[Pair] = []
    for key in (_said, _path_and_title, _title) if turned else (_said, _path_and_title):
        found += _by(key, _left(gone, found, 0), _left(come, found, 1))
    rest = _by(_path, _left(gone, found, 0), _left(come, found, 1))  # /item?id=1 and /item?id=2 may be two things
    found += [pair for pair in rest if _shares_words(*pair)]
    found += _by_edit(_left(gone, found, 0), _left(come, found, 1), edits)
    return found


def _left(blocks: Sequence[PageBlock], found: Sequence[Pair], side: int) -> list[PageBlock]:
    taken = {id(pair[side]) for pair in found}
    return [block for block in blocks if id(block) not in taken]


def _by(key: Callable[[PageBlock], Hashable], gone: Sequence[PageBlock], come: Sequence[PageBlock]) -> Iterator[Pair]:
    """The blocks that one key names on both sides, and only once on each."""
    olds, news = _only(key, gone), _only(key, come)
    for name, old in olds.items():
        new = news.get(name)
        if old is not None and new is not None:
            yield old, new


def _only(key: Callable[[PageBlock], Hashable], blocks: Sequence[PageBlock]) -> dict[Hashable, PageBlock | None]:
    found: dict[Hashable, PageBlock | None] = {}
    for block in blocks:
        name = key(block)
        if name is not None:
            found[name] = None if name in found else block
    return found


def _said(block: PageBlock) -> Hashable:
    return block.title, block.text


def _path_and_title(block: PageBlock) -> Hashable:
    return (block.key.partition("?")[0], block.title) if is_linked(block) else None


def _title(block: PageBlock) -> Hashable:
    return block.title if is_linked(block) else None


def _path(block: PageBlock) -> Hashable:
    return block.key.partition("?")[0] if is_linked(block) else None


def is_linked(block: PageBlock) -> bool:
    """Whether a block is known by where it leads to."""
    return block.key.startswith(("http://", "https://"))


def _by_edit(gone: Sequence[PageBlock], come: Sequence[PageBlock], edits: Sequence[Edit]) -> Iterator[Pair]:
    """Blocks without a link of their own in which a line became another, if most else stayed, or the word that begins them."""
    olds = {line: block for block in gone if not is_linked(block) for line in _lines(block)}
    news = {line: block for block in come if not is_linked(block) for line in _lines(block)}
    taken: set[int] = set()
    for edit in edits:
        old, new = olds.get(edit.before or ""), news.get(edit.after or "")
        if edit.action != "changed" or old is None or new is None or id(old) in taken or id(new) in taken:
            continue
        if _is_one(old, new):
            taken.update((id(old), id(new)))
            yield old, new


def _lines(block: PageBlock) -> tuple[str, ...]:
    return (block.title, *block.text.split("\n"))


def _is_one(old: PageBlock, new: PageBlock) -> bool:
    one, other = (f"{block.title} {block.text}".partition(" ")[0] for block in (old, new))
    return _shares_words(old, new) or (one == other and sum(map(str.isalpha, one)) >= _LABEL)


def _shares_words(old: PageBlock, new: PageBlock) -> bool:
    one, other = ({*block.title.split(), *block.text.split()} for block in (old, new))
    return len(one & other) >= _SHARED * max(len(one), len(other))
