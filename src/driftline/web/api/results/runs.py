"""Runs: how each poll ended, runs that a crawler pushes, and the reports they make."""

from __future__ import annotations

import asyncio
from functools import partial
from tempfile import TemporaryFile
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.params import FromPath, QueryParameter

from driftline.engine.history.explain import ExplainedDifference, JudgedChange
from driftline.errors import NotFound
from driftline.model.change import Notice
from driftline.model.run import Run
from driftline.store.rows import Report
from driftline.store.session import OrgData
from driftline.web.api.documents import ReportDocument, RunDocument, report_document, run_document
from driftline.web.auth.guards import editor, pusher, viewer
from driftline.web.auth.request_context import Caller

LARGEST_PUSH: Final = 4 * 1024**3
_CHUNK: Final = 262_144
_PRODUCTS: Final = {"type": ["object", "array"]}
BODY: Final = {
    "description": '{"run_key", "started_at", "completed_at", "status", "products": [...]}, a list of products, or JSON lines',
    "required": True,
    "content": {"application/json": {"schema": _PRODUCTS}, "application/x-ndjson": {"schema": {"type": "string"}}},
}


class PushedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a pushed run."""

    run: UUID
    watch: UUID
    run_key: str | None
    repeated: bool  # the run_key was known: this is the first answer
    status: str
    outcome: str | None
    reason: str | None
    counters: dict[str, int]
    warnings: tuple[Notice, ...]
    report: ReportDocument | None  # its changes: /changes?run=...
    rejected: list[dict[str, Any]]


class ExplanationDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Why each difference of a run was reported or ignored."""

    run: RunDocument
    differences: tuple[ExplainedDifference, ...]
    compared_again: bool
    note: str
    judged: tuple[JudgedChange, ...]  # by the language model, where the watch has an intent


@get("/runs/{run_id:uuid}", guards=[viewer], summary="Show a run")
async def show_run(caller: Caller, run_id: FromPath[UUID]) -> RunDocument:
    """With its outcome, counters and warnings."""
    return run_document(await caller.read(lambda data: data.runs.get(run_id)))


@get("/runs/{run_id:uuid}/report", guards=[viewer], summary="Show the report of a run")
async def show_report(caller: Caller, run_id: FromPath[UUID]) -> ReportDocument:
    """Changes counted by type. A run without changes has no report."""

    def find(data: OrgData) -> Report:
        data.runs.get(run_id)
        report = data.runs.report(run_id)
        if report is None:
            raise NotFound("the run has no report", run=str(run_id), hint="it found no changes")
        return report

    return report_document(await caller.read(find))


@get("/runs/{run_id:uuid}/explain", guards=[viewer], summary="Explain a run")
async def explain_run(caller: Caller, run_id: FromPath[UUID]) -> ExplanationDocument:
    """Every difference, with the rule that ignored it or the reason why it was reported."""
    run = await caller.read(lambda data: data.runs.get(run_id))
    explanation = await asyncio.to_thread(caller.app.explain, run)
    return ExplanationDocument(
        run=run_document(explanation.run),
        differences=explanation.differences,
        compared_again=explanation.compared_again,
        note=explanation.note,
        judged=explanation.judged,
    )


@post("/runs/{run_id:uuid}/judge", guards=[editor], status_code=200, summary="Make the report of a run")
async def judge_run(caller: Caller, run_id: FromPath[UUID]) -> RunDocument:
    """Makes the report of a catalog's run if there is none yet."""
    await caller.read(lambda data: data.runs.get(run_id))
    await caller.app.rejudge().judge(run_id)
    return run_document(await caller.read(lambda data: data.runs.get(run_id)))


@post(
    "/watches/{watch_id:uuid}/runs",
    guards=[pusher],
    request_max_body_size=LARGEST_PUSH,
    body=BODY,
    summary="Push a run",
)
async def push_run(
    request: Request[Any, Any, Any],
    caller: Caller,
    watch_id: FromPath[UUID],
    strict: Annotated[bool, QueryParameter(description="refuse the whole run if a row is invalid", required=False)] = False,
) -> PushedDocument:
    """What your own crawler found, as JSON or JSON lines. The same run_key again returns the first answer."""
    await caller.read(lambda data: data.watches.get(watch_id))
    with TemporaryFile(prefix="driftline-push-") as spool:  # a slow sender holds a file, and no worker
        async for chunk in request.stream():
            spool.write(chunk)
        spool.seek(0)
        ended = await asyncio.to_thread(caller.app.ingest, watch_id, iter(partial(spool.read, _CHUNK), b""), strict=strict)

    def find(data: OrgData) -> tuple[Run, Report | None]:
        return data.runs.get(ended.run_id), data.runs.report(ended.run_id)

    run, report = await caller.read(find)
    rejected = run.diagnostics.get("rejected", [])
    return PushedDocument(
        run=run.id,
        watch=run.watch_id,
        run_key=run.run_key,
        repeated=ended.repeated,
        status=run.status,
        outcome=run.outcome,
        reason=run.reason,
        counters=run.counters,
        warnings=run.warnings,
        report=None if report is None else report_document(report),
        rejected=rejected if isinstance(rejected, list) else [],
    )


ROUTES = (show_run, show_report, explain_run, judge_run, push_run)
