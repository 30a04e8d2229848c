"""Cuts calls of analytics scripts out of a line of text; some crawlers write a whole page, scripts and all, into one line."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

# A call or a name that only analytics scripts have.
_SCRIPT: Final = re.compile(
    r"\b(?:gtag|fbq|ga|_paq\.push|_gaq\.push|dataLayer\.push|ttq\.\w+|twq|hj|clarity|snaptr|pintrk|lintrk|mixpanel\.\w+)\s*\("
    r"|google-analytics\.com/|googletagmanager\.com/|connect\.facebook\.net/|\bGoogleAnalyticsObject\b"
)
_WORD: Final = re.compile(r"\S+")
_CODE: Final = re.compile(r"""\w\(|\)[;(]|[{}=|;]|['"][,)]|^['"]|^(?:window|document)\.""")
_PLAIN_WORDS: Final = 2  # between words of code: var, new, function


def without_scripts(line: str) -> str:
    """The line without the words of code around each analytics script."""
    starts = [found.start() for found in _SCRIPT.finditer(line)]
    if not starts:
        return line
    words = list(_WORD.finditer(line))
    offsets = [word.start() for word in words]
    is_code = [_CODE.search(word[0]) is not None for word in words]
    cut: set[int] = set()
    for start in starts:
        at = max(bisect_right(offsets, start) - 1, 0)
        if at not in cut:
            cut.update(range(_edge(is_code, at, -1), _edge(is_code, at, 1) + 1))
    return " ".join(word[0] for at, word in enumerate(words) if at not in cut)


def _edge(is_code: list[bool], at: int, step: int) -> int:
    """How far the code reaches from one of its words."""
    edge, plain = at, 0
    while 0 <= (at := at + step) < len(is_code) and plain <= _PLAIN_WORDS:
        if is_code[at]:
            edge, plain = at, 0
        else:
            plain += 1
    return edge
