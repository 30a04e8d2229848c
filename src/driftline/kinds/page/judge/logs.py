"""Recognizes logs, whose lines begin with a time: appended lines are news, lines rotated away at the beginning are not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.parsed import ParsedPage

_STAMP: Final = re.compile(
    r"[\[(<\"]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d?[-/. ][A-Z][a-z]{2}[-/. ]\d|"
    r"[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d|\d\d:\d\d:\d\d|\d{10}(?:\d{3})?\b)"
)
_SAMPLE: Final = 200  # lines
_MOST: Final = 0.8


def rotated(found: Sequence[LineDifference], before: ParsedPage, after: ParsedPage) -> set[int]:
    """The numbers of removed lines at the beginning of a log; none if the page is no log."""
    gone = {one.at for one in found if one.action == "removed"}
    head = next((number for number in range(len(gone) + 1) if number not in gone), 0)
    if not head or before.format != "text" or after.format != "text":
        return set()
    return set(range(head)) if _is_log(before) and _is_log(after) else set()


def _is_log(page: ParsedPage) -> bool:
    lines = page.lines[:_SAMPLE]
    return bool(lines) and sum(1 for line in lines if _STAMP.match(line)) >= _MOST * len(lines)
