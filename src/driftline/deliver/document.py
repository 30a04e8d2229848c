"""A letter as the JSON document that programs get."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from driftline.deliver import wording
from driftline.model.change import Change
from driftline.model.delivery import Letter, Section

_ENCODER: Final = msgspec.json.Encoder(decimal_format="string", uuid_format="canonical")


def document(letter: Letter) -> dict[str, Any]:
    """`type`, `timestamp` and `data`, as Standard Webhooks has it; the same at every attempt."""
    data: dict[str, Any] = {"delivery": letter.id, "headline": wording.headline(letter)}
    if letter.sample:
        return _envelope("driftline.test", letter.written_at, data)
    reports = [_report(section) for section in letter.sections]
    if letter.digest:
        return _envelope("driftline.digest", letter.written_at, data | {"reports": reports})
    return _envelope("driftline.report", letter.sections[0].report.created_at, data | reports[0])


def encoded(letter: Letter) -> bytes:
    """The document's bytes."""
    return _ENCODER.encode(document(letter))


def _envelope(kind: str, at: datetime, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "timestamp": stamp(at), "data": data}


def _report(section: Section) -> dict[str, Any]:
    report = section.report
    return {
        "report": report.id,
        "run": report.run_id,
        "watch": {"id": report.watch_id, "name": report.watch_name, "kind": report.watch_kind, "url": report.watch_url},
        "at": stamp(report.created_at),
        "changes": [_change(change) for change in section.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "id": change.id,
        "watch": change.watch_id,
        "run": change.run_id,
        "item": change.item_id,
        "type": change.type,
        "severity": change.severity,
        "headline": change.headline,
        "url": change.url,
        "before": change.before,
        "after": change.after,
        "diff": change.diff,
        "flags": change.flags,
        "at": stamp(change.created_at),
    }


def stamp(moment: datetime) -> str:
    """RFC 3339, UTC."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
