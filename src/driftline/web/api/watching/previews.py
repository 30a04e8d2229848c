"""Previews of a source before anything is stored, and replays with other rules."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from litestar import post
from litestar.params import FromPath, JSONBody

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.preview import Preview, preview
from driftline.kinds.registry import KINDS
from driftline.model.change import Finding, Suppressed
from driftline.web.api.documents import ChangeDocument, change_document
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Listed


class OtherRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules to try."""

    rules: dict[str, Any]


class ReplayedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A stored version, compared with the other rules."""

    version: int
    at: datetime
    outcome: str
    reason: str | None
    differs: bool
    told: tuple[ChangeDocument, ...]
    would_tell: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]


@post("/preview", guards=[editor], status_code=200, summary="Preview: what will be watched")
async def preview_watch(caller: Caller, data: JSONBody[WatchInput]) -> Preview:
    """Fetches the source once with these rules. Nothing is stored."""
    draft = caller.app.draft(data)
    with caller.app.pool.preview(caller.app.org.id) as share:
        async with caller.app.fetcher() as fetcher:
            return await preview(fetcher, share, KINDS, draft, clock=caller.app.clock, org_id=caller.app.org.id)


@post("/watches/{watch_id:uuid}/replay", guards=[editor], status_code=200, summary="Show what other rules would have reported")
async def replay_watch(caller: Caller, watch_id: FromPath[UUID], data: JSONBody[OtherRules]) -> Listed[ReplayedDocument]:
    """Runs detection again over the stored versions with other rules, beside what was reported. Nothing is stored."""
    watch = await caller.read(lambda stored: stored.watches.get(watch_id))
    played = await asyncio.to_thread(caller.app.replay, watch, data.rules)
    return Listed(
        items=tuple(
            ReplayedDocument(
                version=one.version,
                at=one.at,
                outcome=one.outcome,
                reason=one.reason,
                differs=one.differs,
                told=tuple(change_document(change) for change in one.reported),
                would_tell=one.would_report,
                suppressed=one.suppressed,
            )
            for one in played
        )
    )


ROUTES = (preview_watch, replay_watch)
