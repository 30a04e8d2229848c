"""The fixed values of one run, and its conclusion."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import msgspec

from driftline.core.answers.failure_text import FailureText
from driftline.core.answers.not_sent_text import not_sent_text
from driftline.engine.check.browser_meter import BrowserMeter
from driftline.engine.check.judging import JudgedReading
from driftline.engine.check.observe import Observation
from driftline.engine.ports import Claim
from driftline.engine.recording import LastSeen
from driftline.kinds.kind import AnyKind, Rules
from driftline.model.change import Change, Finding, Severity
from driftline.model.delivery import NEW_ITEM, first_run_text
from driftline.model.noise.mask import Mask
from driftline.model.run import Outcome, Run, Status, Unchanged
from driftline.model.watch import Watch
from driftline.policy.health import failing


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one claimed watch."""

    claim: Claim
    kind: AnyKind | None  # None: the watch's rules cannot be used at all
    rules: Rules
    recipe: bytes  # of the present rules and parser
    run_id: UUID
    started_at: datetime
    expired: tuple[Mask, ...] = ()  # masks that were removed from the claim
    meter: BrowserMeter = msgspec.field(default_factory=BrowserMeter)  # of what it asks of the browser

    @property
    def watch(self) -> Watch:
        """The claimed watch."""
        return self.claim.watch

    @property
    def same_recipe(self) -> bool:
        """Whether stored fingerprints were made with the recipe of this run."""
        return self.recipe == self.claim.watch.recipe

    @property
    def first(self) -> bool:
        """Whether there is no baseline yet."""
        return self.claim.watch.baseline_run_id is None


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ends, before it becomes rows."""

    status: Status
    outcome: Outcome | None
    unchanged: Unchanged | None = None  # why nothing happened
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    judged: JudgedReading | None = None
    masks: tuple[Mask, ...] = ()
    masks_in_use: tuple[UUID, ...] = ()  # masks that hid something
    last_seen: LastSeen | None = None  # None: as it is stored
    seen: Observation | None = None  # with follow-up answers; None: as it was observed


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check."""

    watch: Watch
    run: Run
    changes: tuple[Change, ...] = ()
    unchanged: Unchanged | None = None  # why nothing happened; None: something did, or the check failed
    stale: bool = False  # the lease was lost: nothing was written, another worker has the watch

    @property
    def headlines(self) -> list[tuple[Severity, str]]:
        """Its changes for a terminal, by severity; all products of a first check are one line."""
        first = self.run.outcome == "baseline"
        new = sum(change.type == NEW_ITEM for change in self.changes) if first else 0
        lines: list[tuple[Severity, str]] = [("low", first_run_text(new))] if new else []
        return lines + [
            (change.severity, f"{change.headline}{not_sent}")
            for change in self.changes
            if not (first and change.type == NEW_ITEM)
            for not_sent in (f" (not sent: {not_sent_text(change.flags['muted'])})" if "muted" in change.flags else "",)
        ]

    @property
    def failing(self) -> FailureText | None:
        """What is wrong with the source and for how many attempts; None if it could be read."""
        if self.run.status != "failed":
            return None
        watch = self.watch  # as it was before the run
        trouble = next((change.type for change in self.changes), watch.trouble)
        after = msgspec.structs.replace(watch, failures=watch.failures + 1, last_outcome=self.run.outcome, trouble=trouble)
        return failing(after, self.run.reason)
