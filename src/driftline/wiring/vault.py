"""Secrets and browser sessions: named, checked, sealed and stored."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from driftline.core.text.safety.placeholders import NAME
from driftline.errors import BadRule, UsageError

if TYPE_CHECKING:
    from driftline.model.browser.credentials import NamedSecret, SiteSession
    from driftline.store.vault.sealing import Sealer
    from driftline.store.vault.vault import Vault
    from driftline.wiring.app import App

_LONGEST_SECRET: Final = 8_192  # characters
_LONGEST_MARK: Final = 500


def sealer(app: App) -> Sealer:
    """The one that has the keys of the settings; raises NoSecretKey for a key that is too short."""
    from driftline.store.vault.sealing import Sealer

    return Sealer((app.settings.secret_key, app.settings.secret_key_old))


def vault(app: App) -> Vault:
    """What fetchers open secrets and sessions with."""
    from driftline.store.vault.vault import Vault

    return Vault(app.store, sealer(app), app.clock.now)


def new_key() -> str:
    """A key for the setting."""
    return secrets.token_urlsafe(32)


def set_secret(app: App, name: str, value: str) -> NamedSecret:
    """Store a secret, or replace the one of this name."""
    from driftline.store.vault.vault import secret_place

    if not value or len(value) > _LONGEST_SECRET:
        raise UsageError("invalid secret", length=len(value), hint=f"1 to {_LONGEST_SECRET:,} characters")
    try:
        plain = value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, as from an argument that is not UTF-8
        raise UsageError("invalid secret", hint="write it in UTF-8") from None
    sealed = sealer(app).seal(plain, bound_to=secret_place(app.org.id, _named(name, "secret")))
    return app.write(lambda data: data.secrets.set(name, sealed, at=app.clock.now()))


def rotate(app: App) -> int:
    """Seal everything of every org with the new key; gives how many were under the old one."""
    from driftline.store.vault.vault import resealed

    keys, at = sealer(app), app.clock.now()
    return app.store.write_now(lambda session: sum(resealed(session.org(org.id), keys, at=at) for org in session.orgs()))


def set_session(app: App, name: str, *, url: str, steps: Any, signed_out_if: str | None = None) -> SiteSession:
    """Store a session, or replace the one of this name, which then signs in anew."""
    from driftline.core.identity.urls import complete_url
    from driftline.core.text.step_texts import check_steps, read_steps
    from driftline.model.browser.credentials import SiteSession

    read = read_steps(steps)
    check_steps(read)
    check_scripts(app, read)
    if not read:
        raise BadRule("a session needs steps that sign in", hint="for example: fill #user with ..., click text=Sign in")
    if signed_out_if is not None and len(signed_out_if) > _LONGEST_MARK:
        raise UsageError("signed_out_if is too long", hint=f"{_LONGEST_MARK} characters at most")
    sealer(app).seal(b"", bound_to="")  # without a key nothing could be kept
    session = SiteSession(
        name=_named(name, "session"),
        url=complete_url(url),
        steps=read,
        signed_out_if=(signed_out_if or "").strip() or None,
        created_at=app.clock.now(),
    )
    return app.write(lambda data: data.browser_sessions.set(session))


def check_scripts(app: App, steps: Any) -> None:
    """Refuse `evaluate` where the operator does not allow it."""
    from driftline.model.browser.steps import Evaluate

    if not app.settings.browser_scripts and any(isinstance(step, Evaluate) for step in steps):
        raise BadRule("the step evaluate is not allowed here", hint="the operator can set DRIFTLINE_BROWSER_SCRIPTS=true")


def _named(name: str, what: str) -> str:
    if NAME.fullmatch(name) is None:
        raise UsageError(f"invalid name of a {what}", name=name[:80], hint="1 to 64 letters, digits, dots, dashes, underscores")
    return name
