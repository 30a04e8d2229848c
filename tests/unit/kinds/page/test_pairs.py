"""Our own pages in pairs, with what is said of each edit: pairs.txt and, of sorts of sites of their own, pairs_sites.txt.

A page begins with `# name`, an edit with `## what happens`: lines with `-` become those with `+`, `.` begins another place of
the same edit, `=` is the verdict. `python -m tests.unit.kinds.page.test_pairs` writes the verdicts anew; read the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from driftline import compare_pages

PAIRS: Final = tuple(map(Path(__file__).with_name, ("pairs.txt", "pairs_sites.txt")))
NOTHING: Final = "nothing"


class Pair(NamedTuple):
    """One edit of one page."""

    name: str
    before: str
    after: str
    verdict: str

    def said(self) -> str:
        diff = compare_pages(self.before, self.after, url="https://site.example/page")
        return f"{diff.severity}: {diff.headline}" if diff.meaningful else NOTHING


def pairs(*files: Path) -> Iterator[Pair]:
    for part in (part for file in files or PAIRS for part in ("\n" + file.read_text("utf-8")).split("\n# ")[1:]):
        page, *edits = part.rstrip("\n").split("\n## ")
        name, _, before = page.partition("\n")
        for edit in edits:
            what, *lines = edit.split("\n")
            after, old, new = before, list[str](), list[str]()
            for line in lines:
                sign, text = line[:1], line[2:]
                if sign == "-":
                    old.append(text)
                elif sign == "+":
                    new.append(text)
                elif sign in (".", "="):
                    assert "\n".join(old) in after, (name, what, old)
                    after = after.replace("\n".join(old), "\n".join(new)) if old else after
                    old, new = [], []
            yield Pair(f"{name}: {what}", before, after, lines[-1][2:])


@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair.name) for pair in pairs()])
def test_what_is_said_of_an_edit_is_what_stands_in_the_file(pair: Pair) -> None:
    assert pair.said() == pair.verdict


def test_a_change_back_counts_as_well() -> None:
    counting = [pair for pair in pairs() if pair.verdict != NOTHING]
    assert len(counting) > 100
    backward = {pair.name: pair._replace(before=pair.after, after=pair.before).said() for pair in counting}
    assert [name for name, said in backward.items() if said == NOTHING] == []


if __name__ == "__main__":
    for file in PAIRS:
        said = iter([pair.said() for pair in pairs(file)])
        lines = file.read_text("utf-8").split("\n")
        file.write_text("\n".join(f"= {next(said)}" if line.startswith("= ") else line for line in lines), "utf-8")
