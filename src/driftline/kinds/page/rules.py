"""What a watch may say about how its page is read and judged."""

from __future__ import annotations

from typing import Literal

from driftline.core.patterns import parse_pattern
from driftline.core.select import parse_selector
from driftline.errors import BadRule
from driftline.kinds.kind import Rules


class PageRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """All optional: with none of them the whole page is watched, noise aside."""

    calibrate: bool = True  # the first run, and one that would tell something, fetch twice: whatever differs is volatile
    select: tuple[str, ...] = ()  # CSS, XPath 1.0 or JSONPath; what any of them finds is the page
    remove: tuple[str, ...] = ()  # CSS or XPath; taken out before anything is read
    ignore_text: tuple[str, ...] = ()  # lines that match are not there; plain text or /regex/
    keep_text: tuple[str, ...] = ()  # only lines that match are there
    trigger_text: tuple[str, ...] = ()  # a content change counts only where an added or removed line matches
    sort_lines: bool = False
    unique_lines: bool = False
    sensitivity: Literal["any", "threshold"] = "any"
    text_threshold: float = 0.90  # under `threshold`, text counts as changed strictly below this similarity
    empty_is_change: bool = False  # a page that lost all its text is news, not an error
    revert_window_for: float = 86_400.0  # seconds in which A, B, A is told once, as noise evidence

    @property
    def literal(self) -> bool:
        """Whether noise patterns keep away from the text: someone named the part that matters."""
        return bool(self.select)

    @property
    def by_lines(self) -> bool:
        """Whether a rule needs the visible lines, so that text nodes alone do not do."""
        return bool(self.ignore_text or self.keep_text or self.sort_lines or self.unique_lines)


def check(rules: PageRules) -> None:
    """Raise BadRule for what types cannot refuse."""
    for text in (*rules.select, *rules.remove):
        parse_selector(text)
    for text in (*rules.ignore_text, *rules.keep_text, *rules.trigger_text):
        parse_pattern(text)
    if not 0.0 <= rules.text_threshold <= 1.0:
        raise BadRule("text_threshold is a part of one", text_threshold=rules.text_threshold, hint="0.90 is the default")
    if rules.revert_window_for < 0:
        raise BadRule("revert_window_for is negative", revert_window_for=rules.revert_window_for, hint="give it in seconds")
