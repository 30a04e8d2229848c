"""The page of secrets and browser sessions; values go in and never come out."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from litestar import Request, Response, get, post

from driftline.core.text.step_texts import step_text
from driftline.errors import UsageError
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page, to
from driftline.web.pages.public.failing import ErrorNotice, error_notice

_SHOWN: Final = 100


@get("/settings/secrets", guards=[editor])
async def secrets(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Names of secrets, and sessions with their steps."""
    return await _shown(request, caller)


async def _shown(
    request: Request[Any, Any, Any], caller: Caller, *, form: FormValues | None = None, problem: ErrorNotice | None = None
) -> Response[str]:
    values = FormValues.of(request, "cursor", "sessions")

    def find(data: OrgData) -> dict[str, Any]:
        return {
            "secrets": data.secrets.page(limit=_SHOWN, cursor=values["cursor"] or None),
            "sessions": data.browser_sessions.page(limit=_SHOWN, cursor=values["sessions"] or None),
        }

    found = await caller.read(find)
    status = 422 if problem else 200
    return page(
        request,
        "secrets.html",
        status=status,
        **found,
        given=values.given,
        problem=problem,
        form=form or FormValues({}),
        step_text=step_text,
        ready=bool(caller.app.settings.secret_key),
    )


@post("/settings/secrets", guards=[editor])
async def set_secret(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Store a secret, or replace it; what was typed is not shown again."""
    form = await FormValues.form(request)
    try:
        await asyncio.to_thread(caller.app.set_secret, form["name"], form["value"])
    except UsageError as error:
        return await _shown(request, caller, problem=error_notice(error))
    return to("/settings/secrets", done="saved")


@post("/settings/secrets/remove", guards=[editor])
async def remove_secret(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Watches that use it fail from now on, and say so."""
    form = await FormValues.form(request)
    await caller.write(lambda data: data.secrets.remove(form["name"]))
    return to("/settings/secrets", done="saved")


@post("/settings/browser-sessions", guards=[editor])
async def set_session(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Store how to sign in; with an error the form stays as it was filled in."""
    form = await FormValues.form(request)
    steps = [line for line in form["steps"].splitlines() if line.strip()]
    try:
        await asyncio.to_thread(
            lambda: caller.app.set_session(form["name"], url=form["url"], steps=steps, signed_out_if=form["signed_out_if"])
        )
    except UsageError as error:
        return await _shown(request, caller, form=form, problem=error_notice(error))
    return to("/settings/secrets", done="saved")


@post("/settings/browser-sessions/remove", guards=[editor])
async def remove_session(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """With its cookies."""
    form = await FormValues.form(request)
    await caller.write(lambda data: data.browser_sessions.remove(form["name"]))
    return to("/settings/secrets", done="saved")


ROUTES = (secrets, set_secret, remove_secret, set_session, remove_session)
