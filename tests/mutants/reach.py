"""Which tests reach a line: as coverage recorded it test by test, the most specific test first."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from coverage.numbits import numbits_to_nums

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("tests/unit", "tests/contract", "tests/integration", "tests/attacks", "tests/browser")  # by what they cost


class Reach:
    """What `make reach` wrote down: by file and line of src, the tests that were seen there."""

    def __init__(self, record: Path) -> None:
        self._data = sqlite3.connect(f"file:{record}?mode=ro", uri=True)
        named = self._data.execute("select id, context from context").fetchall()
        self._tests = {number: context.rpartition("|")[0] for number, context in named if "::" in context}
        weighed = self._data.execute("select context_id, sum(length(numbits)) from line_bits group by context_id")
        self._width = dict(weighed.fetchall())  # how much of src a test goes through

    def tests(self, path: Path, *candidates: range) -> list[str]:
        """The tests that reach one of these lines; where none does, of the next candidates; at last of the whole file."""
        by_line: dict[int, set[int]] = defaultdict(set)
        for context, bits in self._rows(path.as_posix()) or self._rows(path.name):  # it may have moved since
            if context in self._tests:
                for line in numbits_to_nums(bits):
                    by_line[line].add(context)
        for lines in (*candidates, range(1, max(by_line, default=0) + 1)):
            if found := set().union(*(by_line[line] for line in lines if line in by_line)):
                return _varied(dict.fromkeys(self._tests[context] for context in sorted(found, key=self._order)))
        return []

    def unrecorded(self, folder: Path) -> list[str]:
        """The files of tests in a folder that were not there when it was written down."""
        known = {test.partition("::")[0] for test in self._tests.values()}
        while not (ROOT / folder).exists():
            folder = folder.parent
        files = (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / folder).rglob("test_*.py")))
        return [file for file in files if file not in known]

    def _rows(self, path: str) -> list[tuple[int, bytes]]:
        asked = "select context_id, numbits from line_bits join file on file.id = file_id where path like ?"
        return self._data.execute(asked, (f"%/{path}",)).fetchall()

    def _order(self, context: int) -> tuple[int, int, str]:
        test = self._tests[context]
        place = next((at for at, folder in enumerate(FOLDERS) if test.startswith(folder)), len(FOLDERS))
        return place, self._width.get(context, 0), test


def _varied(tests: Iterable[str]) -> list[str]:
    """The first case of every test, then the second of every, and so on: many cases of one test see much the same."""
    seen: Counter[str] = Counter()
    numbered: list[tuple[int, int, str]] = []
    for test in tests:
        name = test.partition("[")[0]
        numbered.append((seen[name], len(numbered), test))
        seen[name] += 1
    return [test for _, _, test in sorted(numbered)]
