"""Completes what conditions ask about reported changes: selectors are looked for on the stored pages, off the loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from driftline.core.select.presence import found_by
from driftline.engine.pool import Overrun, Share
from driftline.errors import DriftlineError
from driftline.model.condition import ChangeEvidence, StoredBody
from driftline.model.delivery import Reported

Blob = Callable[[str], Awaitable[bytes | None]]


async def with_selectors(report: Reported, blob: Blob, share: Share) -> Reported:
    """The report with an answer for each selector that its conditions name; where there is none, it stays unknown."""
    wanted = sorted(report.needs.selectors)
    if not wanted:
        return report
    known: dict[StoredBody, dict[str, bool | None]] = {}
    evidence: dict[object, ChangeEvidence] = {}
    for id_, one in report.evidence.items():
        if one.body is not None and one.body not in known:
            known[one.body] = await _found(one.body, wanted, blob, share)
        evidence[id_] = msgspec.structs.replace(one, selectors=known[one.body] if one.body is not None else {})
    return msgspec.structs.replace(report, evidence=evidence)


async def _found(body: StoredBody, selectors: list[str], blob: Blob, share: Share) -> dict[str, bool | None]:
    try:
        page = await blob(body.key)
        if page is None:
            return {}
        return await share.compute(2 * len(page), found_by, page, body.content_type, selectors)
    except (Overrun, DriftlineError):
        return {}
