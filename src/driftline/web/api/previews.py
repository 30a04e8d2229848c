"""What driftline would read, before anything is stored; and what other rules would have told."""

from __future__ import annotations

import asyncio
from contextlib import closing
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from litestar import post
from litestar.params import FromPath, JSONBody

from driftline.engine.drafting import Wish
from driftline.engine.pool import Pool
from driftline.engine.preview import Preview, preview
from driftline.kinds.registry import KINDS
from driftline.model.change import Finding, Suppressed
from driftline.web.api.documents import ChangeDocument, change_document
from driftline.web.auth import editor
from driftline.web.caller import Caller
from driftline.web.paging import Listed


class OtherRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules to try."""

    rules: dict[str, Any]


class ReplayedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One stored version under the other rules."""

    version: int
    at: datetime
    outcome: str
    reason: str | None
    differs: bool
    told: tuple[ChangeDocument, ...]
    would_tell: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]


@post("/preview", guards=[editor], status_code=200, summary="See what would be read")
async def preview_watch(caller: Caller, data: JSONBody[Wish]) -> Preview:
    """One live fetch under these rules; nothing is stored."""
    draft = caller.app.draft(data)
    with closing(Pool(size=1)) as pool:
        async with caller.app.fetcher() as fetcher:
            return await preview(fetcher, pool, KINDS, draft)


@post("/watches/{watch_id:uuid}/replay", guards=[editor], status_code=200, summary="Try other rules on the past")
async def replay_watch(caller: Caller, watch_id: FromPath[UUID], data: JSONBody[OtherRules]) -> Listed[ReplayedDocument]:
    """What they would have told of the stored versions, beside what was told; nothing is written."""
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
                told=tuple(change_document(change) for change in one.told),
                would_tell=one.would_tell,
                suppressed=one.suppressed,
            )
            for one in played
        )
    )


ROUTES = (preview_watch, replay_watch)
