"""The structured document of a change: each level (title, text, links, ...) with before, after and whether it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from driftline.core.diff.render import snippet
from driftline.core.diff.rows import Row
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import ParsedPage

MAX_TEXT: Final = 20_000  # characters of each side's text
MAX_LISTED: Final = 200  # addresses of a kind


def document(before: ParsedPage, after: ParsedPage, judged: JudgedPage, rows: Sequence[Row], alike: float) -> dict[str, Any]:
    """The document that is stored and sent as `changes`; a text that the plan did not keep is null."""
    pictures = judged.images
    described = [one for one in pictures if one.before is not None and one.after is not None]
    changes: dict[str, Any] = {
        "title": {"before": before.title, "after": after.title, "changed": judged.title is not None},
        "description": {
            "before": before.description,
            "after": after.description,
            "changed": "description" in judged.metadata,
        },
        "text": {
            "before": _cut(before.text),
            "after": _cut(after.text),
            "diffSnippet": snippet(rows),
            "changed": bool(judged.lines),
            "similarity": round(alike, 4),
            "lines": dict(Counter(one.action for one in judged.lines)),
        },
        "images": {
            "added": [one.after.url for one in pictures if one.before is None and one.after is not None][:MAX_LISTED],
            "removed": [one.before.url for one in pictures if one.after is None and one.before is not None][:MAX_LISTED],
            "hero": None if judged.hero is None else judged.hero._asdict(),
            "alt": {
                one.after.url: {"before": one.before.alt, "after": one.after.alt}
                for one in described[:MAX_LISTED]
                if one.after is not None and one.before is not None
            },
            "changed": bool(pictures or judged.hero),
        },
        "metadata": {key: pair._asdict() for key, pair in judged.metadata.items()},
        "links": _links(judged),
    }
    for change in judged.offers:
        changes[change.level] = {"before": change.before, "after": change.after, "changed": True}
    return changes


def rows_document(rows: Sequence[Row]) -> list[Any]:
    """The rows of the diff as plain values, for every output format."""
    plain: list[Any] = msgspec.to_builtins(rows)
    return plain


def _links(judged: JudgedPage) -> dict[str, Any]:
    """Changed links: those of the content first, navigation and pagination separately."""
    shown: dict[str, Any] = {"added": [], "removed": [], "changed": bool(judged.links)}
    for change in (*judged.links, *judged.quiet_links):
        role = change.link.role
        place = shown if role == "content" else shown.setdefault(role, {"added": [], "removed": []})
        for side, link in (("added", change.after), ("removed", change.before)):
            if link is not None and len(place[side]) < MAX_LISTED:
                place[side].append(link.url)
    return shown


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
