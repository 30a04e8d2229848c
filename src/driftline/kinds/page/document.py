"""The structured document of a change: every level with before, after and whether it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from driftline.core.diff_rows import Row
from driftline.core.render_diff import snippet
from driftline.kinds.page.levels import Levels, Pointers
from driftline.kinds.page.masks import Edit
from driftline.kinds.page.parsed import ParsedPage, Role

MAX_TEXT: Final = 20_000  # characters of each side's text
MAX_LISTED: Final = 200  # addresses of a kind


def document(
    before: ParsedPage,
    after: ParsedPage,
    levels: Levels,
    edits: Sequence[Edit],
    rows: Sequence[Row],
    alike: float,
) -> dict[str, Any]:
    """`changes` as the source material has it; a text that the plan did not keep is null, never invented."""
    images = levels.images
    changes: dict[str, Any] = {
        "title": {"before": before.title, "after": after.title, "changed": levels.title is not None},
        "description": {
            "before": before.description,
            "after": after.description,
            "changed": "description" in levels.metadata,
        },
        "text": {
            "before": _cut(before.text),
            "after": _cut(after.text),
            "diffSnippet": snippet(rows),
            "changed": bool(edits),
            "similarity": round(alike, 4),
            "lines": dict(Counter(edit.action for edit in edits)),
        },
        "images": {
            "added": list(images.added[:MAX_LISTED]),
            "removed": list(images.removed[:MAX_LISTED]),
            "hero": None if images.hero is None else images.hero._asdict(),
            "alt": {url: pair._asdict() for url, pair in list(images.alts.items())[:MAX_LISTED]},
            "changed": bool(images),
        },
        "metadata": {key: pair._asdict() for key, pair in levels.metadata.items()},
        "links": _links(levels.links),
    }
    for change in levels.offers:
        changes[change.level] = {"before": change.before, "after": change.after, "changed": True}
    return changes


def rows_document(rows: Sequence[Row]) -> list[Any]:
    """The diff for people, as plain values that any rendering starts from."""
    plain: list[Any] = msgspec.to_builtins(rows)
    return plain


def _links(links: Mapping[Role, Pointers]) -> dict[str, Any]:
    shown: dict[str, Any] = {"added": [], "removed": [], "changed": bool(links)}
    for role, pointers in links.items():
        listed = {"added": list(pointers.added[:MAX_LISTED]), "removed": list(pointers.removed[:MAX_LISTED])}
        shown.update(listed if role == "content" else {role: listed})
    return shown


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
