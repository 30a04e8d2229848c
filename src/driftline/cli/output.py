"""Output of commands: JSON lines, or tables for people."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from textwrap import fill
from typing import TYPE_CHECKING, Any

import msgspec

from driftline.core.text import time_text
from driftline.core.text.safety.escapes import MANY_LINES, escape, escape_json
from driftline.model.change import Change

if TYPE_CHECKING:
    from rich.console import Console

_FILE_WIDTH = 2_000  # columns if the output is not a terminal
_MIN_WIDTH = 20
_LONG_WORD = 16
_AMOUNT = re.compile(r"[\d.,]{1,20} [A-Z]{3}")
_NO_BREAK = "\u00a0"  # a space without a line break
SEVERITY_STYLES = {"high": "bold red", "medium": "yellow", "low": "dim"}
OUTCOME_STYLES = {"changed": "bold green", "baseline": "cyan", "unchanged": "dim", None: "dim"}


def emit(values: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> None:
    """Print one JSON object per line."""
    rows = [values] if isinstance(values, Mapping) else values
    encoder = msgspec.json.Encoder(decimal_format="string", uuid_format="canonical")
    for row in rows:
        sys.stdout.buffer.write(escape_json(encoder.encode(row)) + b"\n")
    sys.stdout.buffer.flush()


def console(*, stderr: bool = False) -> Console:
    """A terminal that knows its width and whether it has colours."""
    from rich import control
    from rich.console import Console

    replaced: dict[int, Any] = control._CONTROL_STRIP_TRANSLATE  # noqa: SLF001 - its own leaves out ESC; every text passes there
    replaced.update(MANY_LINES)
    screen = Console(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty())
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        screen.width = _FILE_WIDTH  # for grep: one row per line
    elif screen.width < _MIN_WIDTH:
        screen.width = 80  # an unknown width
    return screen


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> None:
    """A table; `empty` says what to do next if there are no rows."""
    from rich.table import Table
    from rich.text import Text

    listed = [[escape(cell, one_line=True) for cell in row] for row in rows]
    if not listed:
        console().print(empty, markup=False)
        return
    screen = console()
    if screen.width < _width(columns, listed):
        for head, *cells in listed:
            named = ((name, cell) for name, cell in zip(columns[1:], cells, strict=True) if cell not in {"", "-"})
            text = ", ".join(f"{name} {_whole(cell)}" for name, cell in named)
            screen.print(Text(head, style="bold"))
            screen.print(Text(fill(text, screen.width, initial_indent="  ", subsequent_indent="  ").replace(_NO_BREAK, " ")))
        return
    grid = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column, *cells in zip(columns, *listed, strict=True):
        grid.add_column(column, overflow="fold", no_wrap=_holds_amounts(cells))
    for row in listed:
        grid.add_row(*(Text(cell, style=SEVERITY_STYLES.get(cell, "")) for cell in row))
    screen.print(grid)


def _whole(cell: str) -> str:
    """A short cell that is not wrapped: sold out."""
    return cell.replace(" ", _NO_BREAK) if len(cell) <= _LONG_WORD else cell


def _holds_amounts(cells: Sequence[str]) -> bool:
    """Whether a column has amounts of money, which are not parted from their currency, and nothing longer."""
    return any(map(_AMOUNT.fullmatch, cells)) and max(map(len, cells)) <= _LONG_WORD


def _width(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The width that a table needs without breaking short words and amounts."""
    widest = 0
    for column in zip(columns, *rows, strict=True):
        whole = _holds_amounts(column[1:])
        parts = [part for cell in column for part in ([cell] if whole else cell.split())]
        widest += 2 + min(_LONG_WORD, max(map(len, parts), default=0))
    return widest - 2


@contextmanager
def progress(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error; none if that is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.update(task, completed=done)


def ago(at: datetime | None, *, now: datetime) -> str:
    """`3 minutes ago`, `in 2 hours`."""
    return "-" if at is None else time_text.ago(at, now=now)


def when(at: datetime | None, otherwise: str = "-") -> str:
    """`15 November 2026, 20:28:03 UTC`."""
    return otherwise if at is None else time_text.exact(at, UTC, seconds=True)


def stamp(at: datetime | None) -> str | None:
    """An instant in JSON."""
    return None if at is None else time_text.stamp(at)


def change_document(change: Change, *, watch_name: str | None = None) -> dict[str, Any]:
    """A change in JSON, with the watch's name if it is known."""
    document = change.shown() | {"at": stamp(change.created_at)}
    return document if watch_name is None else document | {"name": watch_name}


def say(document: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """The result of a command: JSON for programs, or a sentence."""
    if as_json:
        emit(document)
    else:
        console().print(text, markup=False)


def say_more(command: str, cursor: str | None) -> None:
    """How to see the rest of a list, if there is more."""
    if cursor:
        print(f"More: driftline {command} --cursor {cursor}", file=sys.stderr)
