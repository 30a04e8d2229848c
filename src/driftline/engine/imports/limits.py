"""Limits of an import; reading stops at them with an error."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from driftline.engine.editing.watch_input import Draft, WatchInput
from driftline.errors import BadFile, UsageError

BYTES_AT_MOST: Final = 16 * 1024 * 1024  # of a file
ENTRIES_AT_MOST: Final = 100_000  # of a file, good or bad, on the command line
ENTRIES_OF_A_REQUEST: Final = 10_000  # the same over the API, where others wait
LINES_AT_MOST: Final = 1_000_000  # of a list, with blank ones and comments
LINE_AT_MOST: Final = 64 * 1024  # characters
PROBLEMS_KEPT: Final = 1_000  # further ones are counted
_PROBLEM_AT_MOST: Final = 500  # characters

LineProblem = tuple[int, str]  # a line or entry of a file, and its problem


class ImportedFile(msgspec.Struct, kw_only=True):
    """The watches of a file that can be created, and the problems of the others."""

    good: list[Draft] = []
    bad: list[LineProblem] = []  # the first of them
    bad_count: int = 0
    warned: list[LineProblem] = []  # warnings about good entries; the first of them


def lines_of(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers; raises BadFile if it is not text or has too many lines."""
    reader = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig")
    number = 0
    try:
        while line := reader.readline(LINE_AT_MOST):
            number += 1
            if number > LINES_AT_MOST:
                raise BadFile("the file has too many lines", hint=f"{LINES_AT_MOST:,} at most")
            if len(line) == LINE_AT_MOST and not line.endswith("\n"):
                while (rest := reader.readline(LINE_AT_MOST)) and not rest.endswith("\n"):
                    pass
            yield number, line
    except UnicodeDecodeError as error:
        raise BadFile("not a text file", problem=str(error), hint="give a list of URLs, or a file of a known program") from None


def check_size(data: bytes) -> None:
    """Refuse a file that is larger than any list of watches."""
    if len(data) > BYTES_AT_MOST:
        raise BadFile("the file is too large", size=len(data), hint=f"{BYTES_AT_MOST // 1024**2} MiB at most")


def collect(
    found: Iterable[tuple[int, WatchInput | None, str]],
    draft: Callable[[WatchInput], Draft],
    *,
    entries_at_most: int = ENTRIES_AT_MOST,
) -> ImportedFile:
    """The watches that can be created, the problems of the others, and warnings; raises BadFile at the limit."""
    out = ImportedFile()
    for count, (place, watch_input, problem) in enumerate(found, 1):
        if count > entries_at_most:
            raise BadFile("the file has too many entries", hint=f"{entries_at_most:,} at most; split it")
        refused = problem if watch_input is None else ""
        if watch_input is not None:
            try:
                out.good.append(draft(watch_input))
            except UsageError as error:
                refused = str(error)
        if refused:
            out.bad_count += 1
        problems = out.bad if refused else out.warned
        if (refused or problem) and len(problems) < PROBLEMS_KEPT:
            problems.append((place, (refused or problem)[:_PROBLEM_AT_MOST]))
    return out
