"""The pages of a site as a tree of folders, made from their addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from driftline.model.watch import Watch
from driftline.store.rows import State
from driftline.web.pages.watching.watches import light_of

PAGE_STATES: Final[Mapping[str, State]] = {"failing": "troubled", "paused": "paused", "removed": "retired"}
_DEEPEST: Final = 6  # levels that are indented


class TreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A page, or a folder that is no page itself."""

    label: str  # the address below the folder that it stands in
    level: int
    watch: Watch | None = None
    light: str = ""  # the class of its dot
    state: str = ""


def tree_of(pages: Sequence[Watch]) -> list[TreeRow]:
    """The pages in the order of their addresses, below their folders; a folder is named once, before its first page."""
    rows: list[TreeRow] = []
    open_folders: list[str] = []
    for watch in pages:
        parts = urlsplit(watch.url)
        *folders, last = parts.path.split("/")[1:] or [""]
        kept = 0
        while kept < min(len(folders), len(open_folders)) and folders[kept] == open_folders[kept]:
            kept += 1
        is_folder_itself = not last and not parts.query
        above = range(kept, len(folders) - is_folder_itself)
        rows += [TreeRow(label=f"{folders[level]}/", level=min(level, _DEEPEST)) for level in above]
        open_folders = folders
        light, state = light_of(watch)
        label = f"{folders[-1]}/" if is_folder_itself and folders else last or "/"
        query = f"?{parts.query}" if parts.query else ""
        level = min(len(folders) - (1 if is_folder_itself and folders else 0), _DEEPEST)
        rows.append(TreeRow(label=label + query, level=level, watch=watch, light=light, state=state))
    return rows
