"""Secrets and browser sessions of an org, without what is secret in them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from driftline.model.browser.steps import Step


class NamedSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A stored secret: its name is all that anybody is shown."""

    name: str
    created_at: datetime
    changed_at: datetime


class SiteSession(msgspec.Struct, frozen=True, kw_only=True):
    """A signed-in state of the browser, shared by the watches of one site that name it."""

    name: str
    url: str  # where the sign-in steps begin; the state is only used on this origin
    steps: tuple[Step, ...]  # that sign in
    signed_out_if: str | None = None  # a selector or text=... that shows on a page when nobody is signed in
    created_at: datetime
    signed_in_at: datetime | None = None  # None: not yet, or it has to sign in again


class OpenedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session with its secret state, for one request."""

    session: SiteSession
    state: bytes | None  # cookies and local storage, JSON; None: nobody signed in yet
