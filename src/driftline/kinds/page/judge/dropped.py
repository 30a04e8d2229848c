"""The rules that drop differences with their reasons (law 10), and what is kept of dropped ones for later rules (law 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from driftline.core.identity.fingerprint import digest
from driftline.kinds.page.parsed import line_hash
from driftline.model.change import Suppressed
from driftline.model.noise.habit import Ignored

VERSION: Final = 5  # of the rules in judge/: another one wherever they drop less, or other things
SEEN: Final = "seen before the rules changed"
_MOST: Final = 20  # that a run keeps
# Rules that depend on neither time nor ignored areas: they drop the same in the same answer.
_TIMELESS: Final = frozenset(
    (
        *("overlay", "advertising", "list of other pages", "beside the text", "order", "rank", "cleaned", "machine field"),
        *("writing", "repeats another field", "told with its line", "told with its entry", "its picture was dropped"),
        "address",
    )
)
MAX_SUPPRESSED: Final = 400  # that are listed one by one; the others are counted by rule
SHOWN: Final = 200  # characters of each side

REASONS: Final[Mapping[str, str]] = {
    "overlay": "cookie banners, dialogs, chats and short hidden parts come and go",
    "advertising": "advertisements differ for every visitor",
    "navigation": "only menus, the footer or breadcrumbs changed",
    "list of other pages": "a list of links to other pages",
    "address": "a number in an address that is new for every version of a page",
    "another quotation": "a quotation beside the text gave way to another one",
    "beside the text": "it is outside the main text",
    "order": "the same entries in another order",
    "rank": "the position of an entry in its list",
    "relative time": "how long ago something was",
    "clock": "a clock: it shows the time of the check",
    "date of today": "the date of the check",
    "date of change": "only the date of the last update changed",
    "day of delivery": "the next day of delivery: it moves with the day of the check",
    "copyright year": "the year of a copyright notice",
    "counter": "a number that changes with visits",
    "cleaned": "the same address without tracking parameters, or the same text without its spaces",
    "token": "a random value, new for every request",
    "machine field": "a technical field, such as a request id",
    "generation time": "how long the server took to make the page",
    "writing": "the same text in another spelling of its characters",
    "name of the site": "the title with or without the name of the site",
    "letter case of the title": "upper and lower case in titles does not count",
    "repeats another field": "it is reported with another part of the page",
    "told with price or stock": "it is reported with the change of price or stock",
    "its picture was dropped": "the picture that stands for the page is outside the main text, or differs at every visit",
    "told with its entry": "it is reported with its entry",
    "told with its line": "it is reported with its line",
    "moves by itself": "only times, counters and tokens can have changed; the old text was not stored",
    SEEN: "it was ignored before driftline's rules changed",
    "flapping": "it keeps switching between two values that were reported",
    "ignore_text": "a rule of the watch ignores this text",
    "keep_text": "a rule of the watch keeps other lines only",
    "trigger_text did not match": "no changed line matches the rule trigger_text",
}


class Reasons:
    """The dropped differences of one comparison, each with its rule."""

    def __init__(self) -> None:
        self._found: list[Suppressed] = []
        self._more: Counter[str] = Counter()

    def note(self, rule: str, place: str, before: str | None, after: str | None) -> None:
        """Add a dropped difference."""
        if len(self._found) >= MAX_SUPPRESSED:
            self._more[rule] += 1
        else:
            self._found.append(
                Suppressed(rule=rule, place=place[-120:], before=(before or "")[:SHOWN], after=(after or "")[:SHOWN])
            )

    @property
    def any(self) -> bool:
        """Whether anything was dropped."""
        return bool(self._found)

    def listed(self) -> list[Suppressed]:
        """The dropped differences; beyond the first few hundred only a count for each rule."""
        return [*self._found, *(Suppressed(rule=rule, place=f"{count} more") for rule, count in self._more.items())]


def ignored_now(dropped: Sequence[Suppressed], before: bytes, after: bytes) -> Ignored | None:
    """What the next check has to know of these dropped differences; None if nothing was dropped."""
    values = {value_of(one.before or None, one.after or None) for one in dropped if one.before or one.after}
    packed = b"".join(sorted(value.to_bytes(8, "little") for value in values))
    if all(one.rule in _TIMELESS for one in dropped):
        return Ignored(VERSION, packed, digest(before + after), tuple(dropped[:_MOST]))
    return Ignored(VERSION, packed) if values else None


def dropped_before(ignored: Ignored | None, before: bytes, after: bytes) -> tuple[Suppressed, ...]:
    """What the latest check dropped between the same two versions, if it need not be judged again."""
    if ignored is None or ignored.rules != VERSION or ignored.answer != digest(before + after):
        return ()
    return ignored.dropped


def seen_before(ignored: Ignored | None) -> frozenset[int]:
    """What the latest check dropped under another version of the rules."""
    if ignored is None or ignored.rules == VERSION:
        return frozenset()
    packed = ignored.values
    return frozenset(int.from_bytes(packed[at : at + 8], "little") for at in range(0, len(packed), 8))


def value_of(before: str | None, after: str | None) -> int:
    """The identity of a difference: the hash of the value in the snapshot, or of the new value if there was none."""
    return line_hash((after or "")[:SHOWN] if before is None else before[:SHOWN])
