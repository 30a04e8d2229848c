"""Renders a message as the JSON document that programs get."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import msgspec

from driftline.core.identity.ids import id_text
from driftline.core.text.time_text import stamp
from driftline.deliver.render import wording
from driftline.model.change import Change
from driftline.model.delivery import Judgement, Message, Reported, Section

_ENCODER: Final = msgspec.json.Encoder(decimal_format="string", uuid_format="canonical")
_HERE: Final = "the delivery's own id"  # stands first in `data`, so that its first place is the right one
_DIFF_AT_MOST: Final = 256 * 1024  # bytes of one change's diff


class DocumentWriter:
    """Encodes documents; for a report to many recipients, only the id is replaced."""

    def __init__(self) -> None:
        self._report: Reported | None = None
        self._around: tuple[bytes, bytes] = (b"", b"")

    def encoded(self, message: Message) -> bytes:
        """The document's bytes: `type`, `timestamp` and `data`, as in Standard Webhooks; the same at every attempt."""
        if (
            len(message.sections) != 1
            or message.digest
            or message.sections[0].changes is not message.sections[0].report.changes
        ):
            return _encoded(message, id_text(message.id))
        report = message.sections[0].report
        if self._report is not report:
            before, _, after = _encoded(message, _HERE).partition(_HERE.encode())
            self._report, self._around = report, (before, after)
        before, after = self._around
        return before + id_text(message.id).encode() + after


def _encoded(message: Message, delivery: str) -> bytes:
    data: dict[str, Any] = {"delivery": delivery, "headline": wording.headline(message)}
    if message.sample:
        return _envelope("driftline.test", message.written_at, data)
    reports = [_report(section) for section in message.sections]
    if message.digest:
        return _envelope("driftline.digest", message.written_at, data | {"reports": reports})
    return _envelope("driftline.report", message.sections[0].report.created_at, data | reports[0])


def _report(section: Section) -> dict[str, Any]:
    report = section.report
    return {
        "report": report.id,
        "run": report.run_id,
        "watch": {"id": report.watch_id, "name": report.watch_name, "kind": report.watch_kind, "url": report.watch_url},
        "at": stamp(report.created_at),
        "changes": [_change(change, report.judgements.get(change.id)) for change in section.changes],
    }


def _envelope(kind: str, at: datetime, data: dict[str, Any]) -> bytes:
    return _ENCODER.encode({"type": kind, "timestamp": stamp(at), "data": data})


def _change(change: Change, judged: Judgement | None) -> dict[str, Any]:
    shown = change.shown() | {"at": stamp(change.created_at)}
    if judged is not None and judged.summary:
        shown["summary"] = wording.one_line(judged.summary)
    if judged is not None and judged.fields:
        shown |= {"fields": judged.fields, "fields_before": judged.fields_before}
    diff = msgspec.Raw(_ENCODER.encode(change.diff))
    if len(diff) <= _DIFF_AT_MOST:
        return shown | {"diff": diff}
    # A receiver might refuse the whole message because of it; the API has it.
    return shown | {"diff": None, "flags": change.flags | {"diff_omitted": True}}
