"""Output formats of a diff: unified text, HTML, Markdown, a one-line snippet, and styled pieces for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Literal, NamedTuple

from driftline.core.diff.lines import WordMark
from driftline.core.diff.rows import Row

Style = Literal["plain", "quiet", "added", "removed", "moved"]
_ACTIVE_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>=:@])")
_SIGNS: Mapping[str, tuple[str, Style]] = {
    "changed": ("~", "plain"),
    "added": ("+", "added"),
    "removed": ("-", "removed"),
    "moved": (">", "moved"),
}
_BRACKETS = {"added": ("{+", "+}"), "removed": ("[-", "-]")}
_TAGS = {"same": ("", ""), "added": ("<ins>", "</ins>"), "removed": ("<del>", "</del>")}


class StyledText(NamedTuple):
    """Text in one style; the command line chooses the colours."""

    text: str
    style: Style


def unified(shown: Sequence[Row], *, before: str = "before", after: str = "after") -> str:
    """Plain text in the manner of `diff -u`; a moved line starts with `~` and says where it was. Empty for no difference."""
    if not shown:
        return ""
    lines = [f"--- {before}", f"+++ {after}"]
    for hunk in _hunks(shown):
        lines.append(_hunk_head(hunk))
        for row in hunk:
            lines += _unified_lines(row)
    return "\n".join(lines) + "\n"


def as_html(shown: Sequence[Row]) -> str:
    """A list with `ins` and `del` inside changed lines; classes and no styles, every text escaped."""
    return f'<ol class="diff">{"".join(map(_html_row, shown))}</ol>' if shown else ""


def as_markdown(shown: Sequence[Row]) -> str:
    """A list with bold for what came and struck text for what went; nothing of the page acts as Markdown or HTML."""
    return "".join(f"{_markdown_row(row)}\n" for row in shown)


def snippet(shown: Iterable[Row], *, limit: int = 500) -> str:
    """`[+ new text - old text]` for each difference, on one line and at most `limit` characters long."""
    parts: list[str] = []
    room = limit
    for row in shown:
        if row.action not in ("changed", "added", "removed"):
            continue
        part = _bracket(row, room)
        if len(part) > room:
            text = " ".join([*parts, "…"]) if parts else part
            return text if len(text) <= limit else text[: limit - 1] + "…"
        parts.append(part)
        room -= len(part) + 3  # a space, and the sign that more follows
    return " ".join(parts)


def pieces(shown: Sequence[Row], *, bracketed: bool = False) -> Iterator[list[StyledText]]:
    """Each line as styled pieces, for a terminal; a changed line is one line with its words in both styles.

    Where there are no styles, `bracketed` sets its words apart: `[-old-]{+new+}`.
    """
    for row in shown:
        yield list(_pieces(row, _BRACKETS if bracketed and row.action == "changed" else {}))


def _hunks(shown: Sequence[Row]) -> Iterator[list[Row]]:
    hunk: list[Row] = []
    for row in shown:
        if row.action == "skipped":
            yield hunk
            hunk = []
        else:
            hunk.append(row)
    yield hunk


def _hunk_head(hunk: list[Row]) -> str:
    olds = [row.before for row in hunk if row.before and row.action != "moved"]
    news = [row.after for row in hunk if row.after]
    return f"@@ -{min(olds, default=0)},{len(olds)} +{min(news, default=0)},{len(news)} @@"


def _unified_lines(row: Row) -> list[str]:
    match row.action:
        case "changed":
            return [f"-{row.old}", f"+{row.new}"]
        case "added":
            return [f"+{row.new}"]
        case "removed":
            return [f"-{row.old}"]
        case "moved":
            return [f"~{row.new} {_note(row)}"]
        case "cut":
            return [f"\\ {_note(row)}"]
        case _:
            return [f" {row.new}"]


def _html_row(row: Row) -> str:
    note = f'<span class="diff-note">{_note(row)}</span>' if _note(row) else ""
    numbers = "".join(f' data-{side}="{number}"' for side, number in (("before", row.before), ("after", row.after)) if number)
    body = "".join(f"{_TAGS[mark.action][0]}{escape(mark.text)}{_TAGS[mark.action][1]}" for mark in row.marks)
    return f'<li class="diff-{row.action}"{numbers}>{body}{note}</li>'


def _markdown_row(row: Row) -> str:
    body = "".join(map(_markdown_mark, row.marks))
    note = f"_{_note(row)}_" if _note(row) else ""
    return f"- {' '.join(part for part in (body.strip(), note) if part)}"


def _markdown_mark(mark: WordMark) -> str:
    """Bold and struck text may not begin or end with a space, else the stars are shown as stars."""
    core = mark.text.strip()
    if not core:
        return " " if mark.text else ""
    text = _ACTIVE_MARKDOWN.sub(r"\\\1", core).replace("&", "&amp;").replace("<", "&lt;")
    edge = {"same": "", "added": "**", "removed": "~~"}[mark.action]
    lead, tail = " " * mark.text[:1].isspace(), " " * mark.text[-1:].isspace()
    return f"{lead}{edge}{text}{edge}{tail}"


def _bracket(row: Row, room: int) -> str:
    added = " ".join(mark.text.strip() for mark in row.marks if mark.action == "added").strip()
    removed = " ".join(mark.text.strip() for mark in row.marks if mark.action == "removed").strip()
    each = max(8, (room - 8) // 2)
    parts = [f"{sign} {_short(text, each)}" for sign, text in (("+", added), ("-", removed)) if text]
    return f"[{' '.join(parts)}]"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _pieces(row: Row, edges: Mapping[str, tuple[str, str]]) -> Iterator[StyledText]:
    sign, style = _SIGNS.get(row.action, (" ", "quiet"))
    yield StyledText(f"{sign} ", style)
    for mark in row.marks:
        lead, tail = edges.get(mark.action, ("", ""))
        yield StyledText(f"{lead}{mark.text}{tail}", mark.action if mark.action != "same" else style)
    if note := _note(row):
        yield StyledText(f"  {note}" if row.marks else note, "quiet")


def _note(row: Row) -> str:
    match row.action:
        case "moved":
            return f"(moved from line {row.before})"
        case "skipped":
            return f"({row.count} unchanged lines)"
        case "cut":
            return f"({row.count} more lines differ)"
        case _:
            return ""
