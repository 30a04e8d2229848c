"""What a watch may say about how its page is read and judged."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

import msgspec

from driftline.core.answers.schema_fields import check_schema
from driftline.core.pictures.stills import PICTURES
from driftline.core.select.patterns import parse_pattern
from driftline.core.select.selectors import parse_selector
from driftline.errors import BadRule
from driftline.kinds.kind import HEAVY, Rules
from driftline.model.account import Features

DOCUMENTS: Final = (b"%PDF-", b"PK", b"\xd0\xcf\x11\xe0", b"{\\rtf")  # how those begin that are read by a library
IN_A_CHILD: Final = 1 << 40  # a weight beyond all limits


class PageRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """All optional: with none of them the whole page is watched, noise aside."""

    judging: ClassVar[frozenset[str]] = Rules.judging | {"detailed_snapshots", "visual_threshold", "smallest_region", "extract"}

    calibrate: bool = True  # the first run, and one that would tell something, fetch twice: whatever differs is volatile
    read_as: Literal["auto", "text", "json", "table", "pdf", "file"] = msgspec.field(default="auto", name="as")  # what it is
    table_key: str = ""  # the column that the rows of a table are known by; empty: the first without an empty or repeated cell
    compare: Literal["text", "visual"] = "text"  # visual: how it looks in the browser, by its picture
    visual_threshold: float = 0.0  # under `visual`: percent of the picture that has to differ
    smallest_region: int = 0  # under `visual`: pixels; what differs counts only if it is wider or higher than this
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
    order: Literal["ignore", "report"] = "ignore"  # the same entries in another order
    navigation: Literal["record", "notify"] = "record"  # what only menus, footers and breadcrumbs show
    revert_window_for: float = 86_400.0  # seconds in which flips of one difference are sent three times; 0: always

    extract: dict[str, Any] = msgspec.field(default_factory=dict)  # a JSON schema: fields that a language model reads
    detailed_snapshots: bool | None = None  # whether versions keep text and HTML; None: as the org's plan says

    def features(self, plan: Features) -> Features:
        """A watch may keep more than the plan, or less."""
        if self.detailed_snapshots is None:
            return plan
        return msgspec.structs.replace(plan, detailed_snapshots=self.detailed_snapshots and plan.selected_snapshots)

    def weight(self, body: bytes, limit: int = HEAVY) -> int:
        """Documents and pictures are always read in a child process: their readers are the libraries of others."""
        if self.compare == "visual" or (self.read_as != "file" and body.startswith((*DOCUMENTS, *PICTURES))):
            return max(limit, IN_A_CHILD)
        return super().weight(body, limit)

    def selectors(self) -> tuple[str, ...]:
        """What is taken out, then what is asked for."""
        return (*self.remove, *self.select)

    def patterns(self) -> tuple[str, ...]:
        """Of lines."""
        return (*self.ignore_text, *self.keep_text, *self.trigger_text)

    @property
    def literal(self) -> bool:
        """Whether noise patterns keep away from the text: someone named the part that matters."""
        return bool(self.select)


def check(rules: PageRules) -> None:
    """Raise BadRule for what types cannot refuse."""
    for text in rules.selectors():
        parse_selector(text)
    for text in rules.patterns():
        parse_pattern(text)
    if rules.extract:
        check_schema(rules.extract)
    if not 0.0 <= rules.text_threshold <= 1.0:
        raise BadRule(
            "invalid text_threshold", text_threshold=rules.text_threshold, hint="use a number from 0 to 1; the default is 0.90"
        )
    if rules.compare == "visual":
        _check_visual(rules)
    if rules.revert_window_for < 0:
        raise BadRule(
            "invalid revert_window_for", revert_window_for=rules.revert_window_for, hint="use a number of seconds, 0 or more"
        )


def _check_visual(rules: PageRules) -> None:
    """A picture has no lines, and is one picture."""
    of_text = ("remove", "ignore_text", "keep_text", "trigger_text")
    if useless := next((name for name in of_text if getattr(rules, name)), None):
        raise BadRule(
            f'the rule "{useless}" is about text, and compare is visual', hint=f"leave out {useless}, or compare: visual"
        )
    if len(rules.select) > 1:
        raise BadRule("a visual watch takes one selector", select=len(rules.select), hint="make a watch for each part")
    if any(text.startswith("$") for text in rules.select):
        raise BadRule("a visual watch selects by CSS or XPath", select=rules.select[0])
    if not 0.0 <= rules.visual_threshold <= 100.0:
        raise BadRule("invalid visual_threshold", visual_threshold=rules.visual_threshold, hint="use percent, from 0 to 100")
    if rules.smallest_region < 0:
        raise BadRule("invalid smallest_region", smallest_region=rules.smallest_region, hint="use pixels, 0 or more")
