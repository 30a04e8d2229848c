"""Recording steps on the picture of a page: what is clicked and typed is done in the browser at once, and becomes a step."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, post
from litestar.params import FromPath

from driftline.core.answers.failure_text import failure_text
from driftline.core.text.step_texts import check_steps, read_steps
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.watch_list import input_of
from driftline.errors import UsageError
from driftline.model.browser.picking import OutlinedElement
from driftline.model.browser.steps import Step, StepResult
from driftline.model.fetch import Failed
from driftline.model.fetch import Request as FetchRequest
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.parts.watch_form import WatchForm, posted, read_form, sentence
from driftline.web.step_recordings import DoneSteps, StepRecordings

_SECRETS_SHOWN: Final = 100  # names to choose from


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """A step that was tried."""

    number: int
    step: str
    outcome: str
    reason: str
    seconds: float
    picture: str  # PNG in base64, of what was visible then


class RecordedPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the recorder shows after a step."""

    steps: tuple[StepRow, ...] = ()
    picture: str = ""  # PNG in base64; empty where the page cannot be painted
    outlines: tuple[OutlinedElement, ...] = ()
    problem: str = ""  # the sentence that says why nothing was done
    ended: bool = False  # nothing is open any more


@post("/add/record", guards=[editor])
async def record_new(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The page of a watch that is being added."""
    form = await posted(await FormValues.form(request), caller.app)
    wanted, errors = read_form(caller.app, WatchInput(url=""), form.values)
    return await _shown(request, caller, form, wanted, errors, back="/add/form")


@post("/watches/{watch_id:uuid}/record", guards=[editor])
async def record_again(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[str]:
    """The page of a stored watch; its steps are done first."""
    form = await posted(await FormValues.form(request), caller.app)
    stored = await caller.read(lambda data: data.watches.get(watch_id))
    wanted, errors = read_form(caller.app, input_of(stored), form.values)
    return await _shown(request, caller, form, wanted, errors, back=f"/watches/{watch_id}/form")


async def _shown(
    request: Request[Any, Any, Any], caller: Caller, form: WatchForm, wanted: WatchInput, errors: dict[str, str], *, back: str
) -> Response[str]:
    secrets = await caller.read(lambda data: data.secrets.page(limit=_SECRETS_SHOWN).rows)
    shown = RecordedPage(problem=next(iter(errors.values()))) if errors else await _started(request, caller, wanted)
    return page(
        request,
        "record.html",
        status=422 if shown.problem else 200,
        kept={name: value for name, value in form.values.items() if name not in ("part", "step", "csrf", "_csrf")},
        subscribe=form.subscribe,
        shown=shown,
        secrets=msgspec.json.encode([secret.name for secret in secrets]).decode(),
        shown_json=msgspec.json.encode(shown).decode().replace("<", "\\u003c"),
        back=back,
        again=back.replace("/form", "/record"),
        url=wanted.url,
    )


async def _started(request: Request[Any, Any, Any], caller: Caller, wanted: WatchInput) -> RecordedPage:
    """The page, with the steps that the form holds done on it."""
    app = caller.app
    draft = app.draft(msgspec.structs.replace(wanted, rules={}))
    options = msgspec.structs.replace(draft.fetch, browser="always", method="GET", body=None, steps=())
    asked = FetchRequest(url=draft.url, options=options, org_id=app.org.id)
    try:
        found = await _recordings(request).start(app, caller.identity.user.id, asked)
    except UsageError as error:
        return RecordedPage(problem=sentence(error), ended=True)
    if isinstance(found, Failed):
        return RecordedPage(problem=failure_text(found.outcome, found.reason).sentence, ended=True)
    return _document(await found.do(draft.fetch.steps))


@post("/record/step", guards=[editor], status_code=200)
async def record_step(request: Request[Any, Any, Any], caller: Caller) -> RecordedPage:
    """Do one more step, and show the page."""
    recording = _recordings(request).of(caller.identity.user.id)
    if recording is None:
        return RecordedPage(problem="The recording ended because nobody used it. Open it again to go on.", ended=True)
    try:
        steps: tuple[Step, ...] = read_steps([(await FormValues.form(request))["step"]])
        check_steps(steps)
    except UsageError as error:
        return RecordedPage(problem=sentence(error))
    return _document(await recording.do(steps))


@post("/record/end", guards=[editor], status_code=204)
async def end_recording(request: Request[Any, Any, Any], caller: Caller) -> None:
    """Close the page in the browser."""
    await _recordings(request).end(caller.identity.user.id)


def _recordings(request: Request[Any, Any, Any]) -> StepRecordings:
    found: StepRecordings = request.app.state.recordings
    return found


def _document(done: DoneSteps) -> RecordedPage:
    return RecordedPage(
        steps=tuple(map(_row, done.results)),
        picture=b64encode(done.page.picture).decode() if done.page else "",
        outlines=done.page.outlines if done.page else (),
        problem="" if done.page else "The page does not let itself be shown. Steps can still be done.",
    )


def _row(result: StepResult) -> StepRow:
    return StepRow(
        number=result.number,
        step=result.step,
        outcome=result.outcome,
        reason=result.sentence,
        seconds=round(result.took_for, 1),
        picture=b64encode(result.picture).decode() if result.picture else "",
    )


ROUTES = (record_new, record_again, record_step, end_recording)
