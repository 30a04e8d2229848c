"""A run: one poll of a watch, or one pushed result."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from driftline.model.change import Notice, Suppressed

Status = Literal["running", "completed", "partial", "failed"]
Outcome = Literal[
    "baseline",
    "changed",
    "unchanged",
    "blocked",
    "selector_missing",
    "needs_browser",
    "step_failed",
    "signed_out",
    "layout_changed",
    "truncated",
    "error",
]

# Why nothing happened: by the server (304), the hash of the answers, the comparison, or the judge.
Unchanged = Literal["not modified", "same bytes", "same content", "noise only"]

FAILED_OUTCOMES: frozenset[str] = frozenset(
    {"blocked", "selector_missing", "needs_browser", "step_failed", "signed_out", "layout_changed", "truncated", "error"}
)

# Counters of what a run asked of the browser: pages that were loaded, milliseconds that they took.
BROWSER_PAGES: Final = "browser_pages"
BROWSER_MS: Final = "browser_ms"


class BrowserCost(msgspec.Struct, frozen=True, kw_only=True):
    """What checks asked of the browser."""

    checks: int = 0  # that these are the sum of
    pages: int = 0
    took_for: float = 0.0  # seconds in the browser

    def __str__(self) -> str:
        if not self.pages:
            return "not used"
        loads = "page load" if self.pages == 1 else "page loads"
        checks = "check" if self.checks == 1 else f"{self.checks} checks"
        return f"{self.pages:,} {loads}, {self.took_for:.1f} s in the latest {checks}"


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One poll of a watch, or one pushed result. Runs order by (started_at, id)."""

    id: UUID
    watch_id: UUID
    fence: int  # of the lease that it ran under
    run_key: str | None = None  # of a pushed run: a repeated key gets the first answer
    started_at: datetime
    completed_at: datetime | None = None
    status: Status
    outcome: Outcome | None = None  # None while running, and for partial runs without a verdict
    reason: str | None = None  # one line, for failed and partial runs and for re-baselined ones
    counters: dict[str, int] = {}
    warnings: tuple[Notice, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # bounded; `driftline explain` reads it
    diagnostics: dict[str, object] = {}  # the kind's own: missing products, files that failed, ...
    judged_at: datetime | None = None

    @property
    def counted(self) -> dict[str, int]:
        """The counters of what was found, without those of what it cost."""
        return {name: count for name, count in self.counters.items() if name not in (BROWSER_PAGES, BROWSER_MS)}

    @property
    def browser(self) -> BrowserCost:
        """What it asked of the browser."""
        counters = self.counters
        return BrowserCost(checks=1, pages=counters.get(BROWSER_PAGES, 0), took_for=counters.get(BROWSER_MS, 0) / 1000)
