"""The marks of lines: what two lines are compared by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from xxhash import xxh3_64_intdigest

from driftline.core.noise import PLACEHOLDER, ROLE, canonical, sense, settle
from driftline.core.noise_quotas import QUOTAS
from driftline.core.text import composed, fold, plainly, title_key
from driftline.kinds.page.walk import Lines

NOISY: Final = 16  # the bit of a mark that says: noise was replaced in this line
_BITS: Final = ~(ROLE | NOISY)
_LONG_AGO: Final = "just now"  # stands for any age
_PIECE: Final = 60  # characters of an element's text beside others in a line
NOISE: Final = xxh3_64_intdigest(b"noise") & _BITS  # the mark of a line that is noise as a whole


_UNREAD: Final = re.compile(r"^\(\d{1,3}\+?\)\s")  # messages that wait for the reader: "(3) Inbox"


def calm_title(title: str) -> str:
    """A title as it is compared: blind to case, noise and what waits for the reader."""
    return title_key(_UNREAD.sub("", sense(title)))


def mark(text: str) -> int:
    """The canonical hash of a line with its role in the low bits."""
    line = composed(text)
    told, role = canonical(line)
    noisy = NOISY if PLACEHOLDER in told and told != line else 0
    return xxh3_64_intdigest(plainly(line if role in QUOTAS else told).encode()) & _BITS | role | noisy


COUNTER: Final = mark("just now")  # of a line that is replaced as a whole by the rules


def settled(marks: Sequence[int]) -> list[int]:
    """The marks of lines once their neighbours were looked at."""
    return settle(marks, NOISE, COUNTER)


def literal_mark(text: str) -> int:
    """The hash of a line as it stands."""
    return xxh3_64_intdigest(composed(text).encode()) & _BITS


def line_marks(texts: Iterable[str], *, literal: bool) -> list[int]:
    """A mark for every line, neighbours looked at."""
    return [literal_mark(text) for text in texts] if literal else settled([mark(text) for text in texts])


def _calmed(line: str, pieces: Sequence[str]) -> str:
    """A line of elements that stand side by side, each told without its noise: "Sign in" and "Cart (2)" are two things."""
    for piece in pieces:
        if len(piece) <= _PIECE and any(map(str.isdigit, piece)):
            told, role = canonical(said := composed(fold(piece)))
            if told != said and role not in QUOTAS:
                line = line.replace(said, told, 1)
    return line


def marks_by_nodes(
    lines: Lines, node_marks: Sequence[int], known: Mapping[int, int], *, literal: bool
) -> tuple[list[int], dict[int, int]]:
    """A mark for every line before neighbours are looked at, and raw hash -> mark of the lines of several nodes, for a memo."""
    make = literal_mark if literal else mark
    marks: list[int] = []
    several: dict[int, int] = {}
    for number, (text, node) in enumerate(zip(lines.texts, lines.nodes, strict=True)):
        if node >= 0 and number not in lines.ages:
            marks.append(node_marks[node])
        else:
            calm = text if literal or number not in lines.pieces else _calmed(text, lines.pieces[number])
            for age in () if literal else lines.ages.get(number, ()):
                calm = calm.replace(fold(age), _LONG_AGO, 1)
            raw = xxh3_64_intdigest(calm.encode())
            several[raw] = found = known[raw] if raw in known else make(calm)
            marks.append(found if calm is text or found == COUNTER else found | NOISY)
    return marks, several
