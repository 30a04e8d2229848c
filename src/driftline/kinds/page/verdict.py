"""What counts of the difference between the latest snapshot and the page now; loaded where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import msgspec

from driftline.kinds.kind import Baseline, Verdict
from driftline.kinds.page.diff import compare
from driftline.kinds.page.documents.files import another_type, is_read_now
from driftline.kinds.page.judge.dropped import ignored_now, seen_before
from driftline.kinds.page.judge.habits import Habits
from driftline.kinds.page.judge.moments import Times
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.report.usual import is_usual, lowered, may_be_lowered
from driftline.kinds.page.rules import PageRules
from driftline.model.item import Observed
from driftline.model.noise.mask import Mask


def verdict_of(
    before: Baseline[ParsedPage], observed: Observed[ParsedPage], rules: PageRules, masks: Sequence[Mask], *, at: datetime
) -> Verdict:
    """Judged against the snapshot from before the run; nothing where there is none."""
    past = before.snapshots.get(observed.key)
    if past is None:
        return Verdict()
    state = observed.state
    if is_read_now(past.state, state):
        return Verdict()  # the text becomes the baseline
    if refused := another_type(past.state, state):
        return Verdict(noise=frozenset((observed.key,)), refused=refused)
    times = Times(past.at, at)
    limit = partial(before.limits, at=at, window_for=rules.revert_window_for)
    seen = seen_before(before.ignored)
    diff = compare(past.state, state, rules, masks, times=times, limit=limit, known=before.habits, seen=seen)
    habits = diff.habits or Habits(known=tuple(before.habits))
    if not diff.stored:
        noise = frozenset() if seen else frozenset((observed.key,))  # other rules: the page as it is becomes the baseline
        ignored = None if seen else ignored_now(diff.suppressed, past.fingerprint, observed.fingerprint)
        return Verdict(noise=noise, suppressed=diff.suppressed, masks=habits.masks, habits=habits.known, ignored=ignored)
    version = {"previous": past.version, "current": past.version + 1}
    findings = tuple(
        msgspec.structs.replace(finding, key=observed.key, diff={**(finding.diff or {}), "version": version})
        for finding in diff.findings
    )
    if any(map(may_be_lowered, findings)) and is_usual(diff.places, before.history, at):
        findings = tuple(lowered(finding) if may_be_lowered(finding) else finding for finding in findings)
    return Verdict(findings=findings, suppressed=diff.suppressed, step=diff.step, masks=habits.masks, habits=habits.known)
