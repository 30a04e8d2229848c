"""Conditions: tried on the history of a watch before they are saved, and set for tags."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import get, post, put
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from driftline.engine.history.trial import Tried
from driftline.kinds.registry import KINDS
from driftline.policy.conditions.checking import checked_condition
from driftline.policy.conditions.written import LONGEST
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed

ConditionText = Annotated[str, Meta(max_length=LONGEST)]


class TrialOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is tried; what is left out is as the watch has it."""

    when: ConditionText | dict[str, Any] | None = None  # `price < 80`, or the same as a tree
    intent: Annotated[str, Meta(max_length=500)] | None = None  # a sentence that the model judges each change by
    rules: dict[str, Any] | None = None  # the stored versions are judged again with these
    since: Annotated[datetime, Meta(tz=True)] | None = None  # null: 90 days ago
    limit: Annotated[int, Meta(ge=1, le=500)] = 100
    cursor: Annotated[str, Meta(max_length=500)] | None = None


class TrialDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One page of changes, newest first, with what would have happened to each."""

    items: tuple[Tried, ...]
    notified: int  # of these
    model_calls: int  # what trying the intent cost
    model_tokens: int
    next: str | None  # the cursor of the changes before these


class TagCondition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The condition of all watches with a tag."""

    tag: Annotated[str, Meta(min_length=1, max_length=200)]
    when: ConditionText | dict[str, Any]  # empty: none


@post("/watches/{watch_id:uuid}/trial", guards=[editor], status_code=200, summary="Try a condition on past changes")
async def try_condition(caller: Caller, watch_id: FromPath[UUID], data: JSONBody[TrialOf]) -> TrialDocument:
    """Which changes would have been sent under another condition or other rules, and why. Nothing is stored."""
    watch = await caller.read(lambda stored: stored.watches.get(watch_id))
    found = await caller.app.trying(
        watch, when=data.when, intent=data.intent, rules=data.rules, since_at=data.since, limit=data.limit, cursor=data.cursor
    )
    return TrialDocument(
        items=found.rows,
        notified=found.notified,
        model_calls=found.model_calls,
        model_tokens=found.model_tokens,
        next=found.cursor,
    )


class ExtractionOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which fields are read."""

    schema: dict[str, Any] | None = None  # null: the watch's own, its rule `extract`
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None  # null: the latest


class ExtractionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a version that a language model read, as far as they stand in its text."""

    version: int
    fields: dict[str, Any]
    refused: tuple[str, ...]  # fields whose value does not stand in the page
    reason: str  # why there are none
    model_calls: int
    model_tokens: int


@post("/watches/{watch_id:uuid}/extract", guards=[editor], status_code=200, summary="Read fields of a page by a JSON schema")
async def extract_fields(caller: Caller, watch_id: FromPath[UUID], data: JSONBody[ExtractionOf]) -> ExtractionDocument:
    """A language model reads them from a stored version; a value that does not stand there is refused. Nothing is stored."""
    watch = await caller.read(lambda stored: stored.watches.get(watch_id))
    ref, found, cost = await caller.app.extracting(watch, data.schema, version=data.version)
    return ExtractionDocument(
        version=ref.version,
        fields=found.fields,
        refused=found.refused,
        reason=found.reason,
        model_calls=cost.calls,
        model_tokens=cost.tokens,
    )


@get("/tag-conditions", guards=[viewer], summary="List the conditions of tags")
async def list_tag_conditions(caller: Caller, limit: Limit = 100, cursor: Cursor = None) -> Listed[TagCondition]:
    """A watch's changes are sent where its own condition and those of all its tags hold."""
    found = await caller.read(lambda data: data.tag_conditions.page(limit=limit, cursor=cursor))
    return listed(found, lambda row: TagCondition(tag=row[0], when=row[1]))


@put("/tag-conditions", guards=[editor], summary="Set the condition of a tag")
async def set_tag_condition(caller: Caller, data: JSONBody[TagCondition]) -> TagCondition:
    """An empty condition removes it."""
    when = checked_condition(data.when, [kind.traits.subject for kind in KINDS.values()])
    await caller.write(lambda stored: stored.tag_conditions.set(data.tag, when))
    return TagCondition(tag=data.tag, when=when)


ROUTES = (try_condition, extract_fields, list_tag_conditions, set_tag_condition)
