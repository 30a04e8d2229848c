"""Boxes that ask for consent inside a page's own text: they come and go as a whole, with something to press or to tick."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.parsed import ParsedPage

_PRESSED: Final = re.compile(r">(?:(?:button|label)\b[^>]*(?:>span[^>]*)?|\w{1,6}[.#][^>]*(?:btn|button)[^>]*)$")
_ASKS: Final = lazy_regex(lambda: any_of("consent.word"))
_LONGEST: Final = 1_500  # characters of a box; a policy says more
_OWN: Final = re.compile(r"(?:main|article)\b[^>]*")  # what holds the page's own text is no box


def consent_boxes(found: Sequence[LineDifference], before: ParsedPage, after: ParsedPage) -> set[tuple[int, int]]:
    """The lines, by their numbers on both sides, of boxes that came or went."""
    boxes: set[tuple[int, int]] = set()
    for page, run in (*((after, run) for run in _runs(found, "added")), *((before, run) for run in _runs(found, "removed"))):
        paths = [page.paths[one.line.place].split(">") for one in run]
        asking = next((path for one, path in zip(run, paths, strict=True) if _ASKS.search((one.line.text or "").lower())), None)
        pressed = next((path for path in paths if _PRESSED.search(">".join(path))), None)
        if asking is None or pressed is None:
            continue
        root = [step for step, _ in takewhile(lambda steps: steps[0] == steps[1], zip(asking, pressed, strict=False))]
        box = [one for one, path in zip(run, paths, strict=True) if path[: len(root)] == root]
        if len(root) > 1 and not _OWN.fullmatch(root[-1]) and sum(len(one.line.text or "") for one in box) <= _LONGEST:
            boxes.update((one.at, one.to) for one in box)
    return boxes


def _runs(found: Sequence[LineDifference], action: str) -> Iterator[list[LineDifference]]:
    """Lines that came or went together, one after the other."""
    run: list[LineDifference] = []
    for one in sorted((one for one in found if one.action == action), key=lambda one: (one.at, one.to)):
        if run and max(one.at, one.to) != max(run[-1].at, run[-1].to) + 1:
            yield run
            run = []
        run.append(one)
    if run:
        yield run
