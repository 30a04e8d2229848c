"""Times of day as numbers: nine o'clock is 540 in minutes of the day, or 900 without a colon.

All numbers of an answer decide which form it uses: 570 cannot be a time without a colon, 1730 no minute of a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from driftline.kinds.availability.slot_openness import plain

Form = Literal["minutes", "digits"]

_NAMED: Final = re.compile(
    r"(?:start|begin|end|from|until|slot|open|close)\w*time|time(?:start|end|from|to)?|start|begin|starts|from"
)
_VALUES_AT_MOST: Final = 20_000
_DAY: Final = 24 * 60


def is_number_clock(name: str, value: object) -> bool:
    """Whether a field may be a time of day as a number."""
    return type(value) is int and 0 <= value <= 2400 and _NAMED.fullmatch(name) is not None


def form_of(answer: Any) -> Form | None:
    """The form of an answer's numeric times; None if that is not certain."""
    numbers = set(_numbers(answer))
    if not numbers or max(numbers) < 100:  # hours, or something else
        return None
    minutes = max(numbers) <= _DAY
    digits = all(number % 100 < 60 for number in numbers)
    if minutes and digits:  # both are possible: whole hours are more common
        whole, hundreds = (sum(number % step == 0 for number in numbers) for step in (60, 100))
        minutes, digits = whole > hundreds, hundreds > whole
    return "minutes" if minutes else "digits" if digits else None


def clock(value: int, form: Form | None) -> str | None:
    """The time as 09:00."""
    hours, rest = divmod(value, 60 if form == "minutes" else 100)
    return f"{hours:02}:{rest:02}" if form and hours < 24 and rest < 60 else None


def _numbers(answer: Any) -> Iterator[int]:
    waiting, left = [answer], _VALUES_AT_MOST
    while waiting and left:
        value = waiting.pop()
        left -= 1
        if isinstance(value, list):
            waiting += [one for one in value if isinstance(one, dict | list)]
        elif isinstance(value, dict):
            waiting += [one for one in value.values() if isinstance(one, dict | list)]
            yield from (one for key, one in value.items() if is_number_clock(plain(key), one))
