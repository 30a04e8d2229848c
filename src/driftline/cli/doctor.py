"""The command that says what is wrong and how to mend it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from driftline.cli.options import Json
from driftline.cli.output import console, emit
from driftline.errors import DriftlineError


def doctor(as_json: Json = False) -> int:
    """Look at settings, database and parts; say what is wrong and how to mend it."""
    findings = list(_findings())
    if as_json:
        emit(findings)
    else:
        screen = console()
        for finding in findings:
            mark = ("ok  ", "green") if finding["ok"] else ("BAD ", "bold red")
            screen.print(mark[0], style=mark[1], end="")
            screen.print(f"{finding['what']}: {finding['says']}", markup=False)
    return 0 if all(finding["ok"] for finding in findings) else 1


def _findings() -> Iterator[dict[str, Any]]:
    """Each thing looked at, with what to do where it is not well."""
    from driftline import settings as setting_module

    yield _finding("python", sys.version_info >= (3, 11), f"{platform.python_version()} (3.11 or newer is needed)")
    try:
        settings = setting_module.load()
    except DriftlineError as error:
        yield _finding("settings", False, str(error))
        return
    yield _finding("settings", True, f"database {_without_password(settings.db)}")
    yield _private(settings)
    yield _finding("event loop", True, "uvloop" if find_spec("uvloop") else "asyncio (install uvloop for speed)")
    yield from _database(settings)


def _private(settings: Any) -> dict[str, Any]:
    from driftline.fetch.egress import Egress

    try:
        Egress(settings.allow_hosts)
    except DriftlineError as error:
        return _finding("private addresses", False, str(error))
    allowed = ", ".join(settings.allow_hosts)
    told = f"allowed: {allowed}" if allowed else "none may be visited (DRIFTLINE_ALLOW_HOSTS)"
    return _finding("private addresses", True, told)


def _database(settings: Any) -> Iterator[dict[str, Any]]:
    from driftline.wiring import opened

    try:
        with opened(settings) as app:
            now = app.clock.now()
            health = app.store.read_now(lambda session: session.health(at=now))
    except DriftlineError as error:
        yield _finding("database", False, str(error))
        return
    late = (now - health.oldest_due_at).total_seconds() if health.oldest_due_at else 0
    yield _finding(
        "database", True, f"{health.database}, schema {health.revision}, {health.watches} watches, {health.changes} changes"
    )
    yield _finding(
        "worker",
        late < 600,
        "nothing is overdue"
        if late < 600
        else f"a watch is due for {late / 60:.0f} min; start `driftline run` or `driftline serve`",
    )


def _finding(what: str, ok: bool, says: str) -> dict[str, Any]:
    return {"what": what, "ok": ok, "says": says}


def _without_password(url: str) -> str:
    """A database URL that may be shown."""
    place, _, options = url.partition("?")
    head, at, tail = place.rpartition("@")
    scheme, _, login = head.partition("://")
    shown = f"{scheme}://{login.split(':', 1)[0]}@{tail}" if at else place
    return f"{shown}?..." if options else shown


COMMANDS = (doctor,)
