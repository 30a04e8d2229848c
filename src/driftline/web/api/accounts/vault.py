"""Secrets and browser sessions. Values go in and never come out."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import delete, get, put
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from driftline.core.text.step_texts import step_text
from driftline.model.browser.credentials import NamedSecret, SiteSession
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed


class SecretValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The value of a secret."""

    value: Annotated[str, Meta(min_length=1, max_length=8192)]


class NewBrowserSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to sign in to a site."""

    url: Annotated[str, Meta(max_length=4096)]
    steps: Annotated[tuple[Any, ...], Meta(max_length=100)]  # texts such as `click text=Sign in`, or objects with `do`
    signed_out_if: Annotated[str, Meta(max_length=500)] | None = None


class BrowserSessionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A browser session, without its cookies."""

    name: str
    url: str
    steps: tuple[str, ...]
    signed_out_if: str | None
    signed_in_at: datetime | None


@get("/secrets", guards=[editor], summary="List secrets")
async def list_secrets(caller: Caller, limit: Limit = 100, cursor: Cursor = None) -> Listed[NamedSecret]:
    """Their names; values are never shown."""
    found = await caller.read(lambda data: data.secrets.page(limit=limit, cursor=cursor))
    return Listed(items=found.rows, cursor=found.cursor)


@put("/secrets/{name:str}", guards=[editor], summary="Store a secret")
async def set_secret(caller: Caller, name: FromPath[str], data: JSONBody[SecretValue]) -> NamedSecret:
    """A secret of this name is replaced. Used as `{{secret:name}}` in headers, cookies and steps."""
    return await asyncio.to_thread(caller.app.set_secret, name, data.value)


@delete("/secrets/{name:str}", guards=[editor], summary="Remove a secret")
async def remove_secret(caller: Caller, name: FromPath[str]) -> None:
    """Watches that use it fail until it is stored again."""
    await caller.write(lambda data: data.secrets.remove(name))


@get("/browser-sessions", guards=[editor], summary="List browser sessions")
async def list_browser_sessions(caller: Caller, limit: Limit = 100, cursor: Cursor = None) -> Listed[BrowserSessionDocument]:
    """With the steps that sign in, and since when each is signed in."""
    return listed(await caller.read(lambda data: data.browser_sessions.page(limit=limit, cursor=cursor)), _document)


@put("/browser-sessions/{name:str}", guards=[editor], summary="Store how to sign in to a site")
async def set_browser_session(caller: Caller, name: FromPath[str], data: JSONBody[NewBrowserSession]) -> BrowserSessionDocument:
    """A session of this name is replaced, and signs in anew."""

    def store() -> SiteSession:
        return caller.app.set_session(name, url=data.url, steps=data.steps, signed_out_if=data.signed_out_if)

    return _document(await asyncio.to_thread(store))


@delete("/browser-sessions/{name:str}", guards=[editor], summary="Remove a browser session")
async def remove_browser_session(caller: Caller, name: FromPath[str]) -> None:
    """With its cookies; watches that use it fail until it is there again."""
    await caller.write(lambda data: data.browser_sessions.remove(name))


def _document(one: SiteSession) -> BrowserSessionDocument:
    return BrowserSessionDocument(
        name=one.name,
        url=one.url,
        steps=tuple(map(step_text, one.steps)),
        signed_out_if=one.signed_out_if,
        signed_in_at=one.signed_in_at,
    )


ROUTES = (list_secrets, set_secret, remove_secret, list_browser_sessions, set_browser_session, remove_browser_session)
