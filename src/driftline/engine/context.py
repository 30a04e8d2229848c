"""What is fixed for the length of one run, and what the run comes to."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import msgspec

from driftline.engine.judging import Judged
from driftline.engine.observe import Observation
from driftline.engine.ports import Claim
from driftline.kinds.kind import AnyKind, Rules
from driftline.model.change import Change, Finding
from driftline.model.item import Mask
from driftline.model.run import Outcome, Run, Status
from driftline.model.watch import Watch


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one claimed watch."""

    claim: Claim
    kind: AnyKind | None  # None: the watch's rules cannot be used at all
    rules: Rules
    recipe: bytes  # of the rules and the parser as they are now
    run_id: UUID
    started_at: datetime

    @property
    def watch(self) -> Watch:
        """The watch, as claimed."""
        return self.claim.watch

    @property
    def same_recipe(self) -> bool:
        """Whether stored fingerprints were made the way that this run makes them."""
        return self.recipe == self.claim.watch.recipe

    @property
    def first(self) -> bool:
        """Whether there is no baseline yet."""
        return self.claim.watch.baseline_run_id is None


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What a run comes to, before it is dressed as rows."""

    status: Status
    outcome: Outcome | None
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    judged: Judged | None = None
    masks: tuple[Mask, ...] = ()
    seen: Observation | None = None  # with the further answers that the verdict needed; None: as it was observed


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """How a check ended."""

    watch: Watch
    run: Run
    changes: tuple[Change, ...] = ()
    stale: bool = False  # the lease was lost meanwhile: nothing was written, somebody else has the watch
