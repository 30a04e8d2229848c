"""A change's diff document, printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from driftline.cli.output import console
from driftline.core.text.safety.escapes import escape

if TYPE_CHECKING:
    from driftline.core.diff.rows import Row

Form = Literal["text", "html", "markdown", "unified"]
STYLES = {"added": "green", "removed": "strike red", "moved": "magenta", "quiet": "dim"}


def print_diff(shown: Sequence[Row], changes: Mapping[str, Any], form: Form) -> None:
    """The text's difference in the form that was asked for, then what else changed."""
    from driftline.core.diff.render import as_html, as_markdown, pieces, unified

    match form:
        case "html":
            print(escape(as_html(shown)))
        case "markdown":
            print(escape(as_markdown(shown)), end="")
        case "unified":
            print(escape(unified(shown)))
        case "text":
            from rich.text import Text

            screen = console()
            for line in pieces(shown, bracketed=screen.color_system is None):
                screen.print(Text.assemble("  ", *((piece.text, STYLES.get(piece.style, "")) for piece in line)))
            _print_rest(changes)


def _print_rest(changes: Mapping[str, Any]) -> None:
    """Title, metadata, images and links, each with what it was and what it is."""
    screen = console()
    title = changes.get("title") or {}
    if title.get("changed"):
        screen.print(f"  title: {title['before']} -> {title['after']}", markup=False)
    for name, sides in (changes.get("metadata") or {}).items():
        screen.print(f"  {name}: {sides['before']} -> {sides['after']}", markup=False)
    for what in ("images", "links"):
        for sign, side in (("+", "added"), ("-", "removed")):
            for entry in (changes.get(what) or {}).get(side) or ():
                screen.print(
                    f"  {sign} {what[:-1]} {entry if isinstance(entry, str) else entry.get('url', entry)}", markup=False
                )
