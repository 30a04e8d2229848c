"""A letter as the JSON document that programs get."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from driftline.deliver import wording
from driftline.model.change import Change
from driftline.model.delivery import Letter, Reported, Section

_ENCODER: Final = msgspec.json.Encoder(decimal_format="string", uuid_format="canonical")
_DIFF_AT_MOST: Final = 256 * 1024  # bytes of one change's diff


class Writer:
    """Writes documents. A report goes to many people in a row, and most hear all of it: its changes are written out once."""

    def __init__(self) -> None:
        self._report: Reported | None = None
        self._changes = msgspec.Raw()

    def encoded(self, letter: Letter) -> bytes:
        """The document's bytes: `type`, `timestamp` and `data`, as Standard Webhooks has it; the same at every attempt."""
        data: dict[str, Any] = {"delivery": letter.id, "headline": wording.headline(letter)}
        if letter.sample:
            return _envelope("driftline.test", letter.written_at, data)
        reports = [self._told(section) for section in letter.sections]
        if letter.digest:
            return _envelope("driftline.digest", letter.written_at, data | {"reports": reports})
        return _envelope("driftline.report", letter.sections[0].report.created_at, data | reports[0])

    def _told(self, section: Section) -> dict[str, Any]:
        report = section.report
        return {
            "report": report.id,
            "run": report.run_id,
            "watch": {"id": report.watch_id, "name": report.watch_name, "kind": report.watch_kind, "url": report.watch_url},
            "at": stamp(report.created_at),
            "changes": self._written(section),
        }

    def _written(self, section: Section) -> msgspec.Raw:
        if section.changes is not section.report.changes:
            return _changes(section.changes)
        if self._report is not section.report:
            self._report, self._changes = section.report, _changes(section.changes)
        return self._changes


def _envelope(kind: str, at: datetime, data: dict[str, Any]) -> bytes:
    return _ENCODER.encode({"type": kind, "timestamp": stamp(at), "data": data})


def _changes(changes: tuple[Change, ...]) -> msgspec.Raw:
    return msgspec.Raw(_ENCODER.encode([_change(change) for change in changes]))


def _change(change: Change) -> dict[str, Any]:
    diff = msgspec.Raw(_ENCODER.encode(change.diff))
    whole = len(diff) <= _DIFF_AT_MOST  # else the receiver would refuse the rest with it; the API has it
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
        "diff": diff if whole else None,
        "flags": change.flags if whole else change.flags | {"diff_omitted": True},
        "at": stamp(change.created_at),
    }


def stamp(moment: datetime) -> str:
    """RFC 3339, UTC."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
