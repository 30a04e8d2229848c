"""The one table, for people."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

FLOOR = "floor: fetch + parse + text + hash"
BEGIN, END = "<!-- written by make bench -->", "<!-- until here -->"
SCALE_BEGIN, SCALE_END = "<!-- sizes, written by make bench -->", "<!-- sizes until here -->"


class Row(NamedTuple):
    """One contender's figures."""

    name: str
    version: str
    checks_per_second: float  # by the wall clock, start-up and all
    cpu_ms: float  # per check, start-up not counted
    start_up_ms: float  # CPU to look at one page
    rss_mb: float
    precision: float | None  # None: nothing was said to have changed
    recall: float | None
    checks_per_second_with_latency: float

    def line(self) -> str:
        """For the terminal, while it runs."""
        return (
            f"{self.name:36} {self.checks_per_second:8.0f}/s {self.cpu_ms:8.2f} ms CPU {self.rss_mb:6.0f} MB"
            f"  precision {_share(self.precision)}  recall {_share(self.recall)}"
            f"  {self.checks_per_second_with_latency:6.0f}/s with latency"
        )


def write_report(rows: Sequence[Row], *, pages: int, rounds: int, to: Path | None) -> None:
    """The table of contenders."""
    put(_lines(rows, pages, rounds), (BEGIN, END), to)


def put(lines: Iterable[str], marks: tuple[str, str], to: Path | None) -> None:
    """Print lines, or put them between their marks in a document whose other words stay."""
    text = "\n".join(lines)
    if to is None:
        print(text)
        return
    begin, end = marks
    document = to.read_text(encoding="utf-8")
    block = f"{begin}\n{text}\n{end}"
    written, count = re.subn(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: block, document, flags=re.DOTALL)
    if count != 1:
        raise RuntimeError(f"{to} has {count} places for the table, not one")
    to.write_text(written, encoding="utf-8")
    print(f"written to {to.name}")


def _lines(rows: Sequence[Row], pages: int, rounds: int) -> Iterable[str]:
    floor = next((row.cpu_ms for row in rows if row.name == FLOOR), None)
    yield f"{pages} pages, the best of {rounds} rounds (other work on the machine only ever adds), {_machine()}."
    libraries = ", ".join(f"{name} {version(name)}" for name in ("aiohttp", "selectolax", "uvloop"))
    yield f"Python {platform.python_version()}, {libraries}."
    yield ""
    yield "| | CPU ms per check | x parse floor | checks/s | with 200 ms latency | start-up | peak RSS | precision | recall |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        ratio = f"{row.cpu_ms / floor:.1f}" if floor else ""
        yield (
            f"| {f'{row.name} {row.version}'.strip()} | {row.cpu_ms:.2f} | {ratio} | {row.checks_per_second:,.0f} "
            f"| {row.checks_per_second_with_latency:,.0f} | {row.start_up_ms:,.0f} ms | {row.rss_mb:.0f} MB "
            f"| {_share(row.precision)} | {_share(row.recall)} |"
        )


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.2f}"


def _machine() -> str:
    model = platform.processor() or platform.machine()
    if sys.platform == "linux":
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        model = found[1].strip() if found else model
    return f"{os.cpu_count()} cores of {model}, {platform.system()}"
