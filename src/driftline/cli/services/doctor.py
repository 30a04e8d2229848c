"""The command that checks the installation and says how to fix it."""

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
    """Check settings, database and libraries, and show how to fix problems."""
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
    """Each thing that was checked, with what to do if it is not in order."""
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
    yield _browser(settings)
    yield from _extensions()
    yield from _blobs(settings)
    yield from _database(settings)


def _extensions() -> Iterator[dict[str, Any]]:
    """Packages that add something, and why one is left out."""
    from driftline import extensions

    for group in extensions.GROUPS:
        what = f"extension, {group.removeprefix('driftline.').removesuffix('s')}"
        for one in extensions.all_of(group):
            left_out = f"left out: {one.problem}. Fix or uninstall it"
            yield _finding(what, not one.problem, f"{one.name} ({one.package}){' ' + left_out if one.problem else ''}")


def _blobs(settings: Any) -> Iterator[dict[str, Any]]:
    from driftline.store.blobs import FolderBlobs, blobs_for

    try:
        blobs = blobs_for(settings.blobs)
        wide = blobs.open_to_others() if isinstance(blobs, FolderBlobs) else None
    except (DriftlineError, OSError) as error:
        yield _finding("blobs", False, str(error))
        return
    if wide:
        yield _finding("blobs", False, f"other users can read {wide[0]}; run: chmod -R go= {wide[0]}")
    elif wide is not None:
        yield _finding("blobs", True, f"{settings.blobs}, for its owner alone")


def _browser(settings: Any) -> dict[str, Any]:
    """Pages that scripts make need one; all others do not, so that a missing one is no fault unless it was named."""
    from driftline.core.answers.failure_text import failure_text
    from driftline.fetch.browser import chromium

    if not settings.browser:
        return _finding("browser", True, "turned off (DRIFTLINE_BROWSER)")
    why_not = chromium.missing(settings.chromium)
    if why_not is None:
        return _finding("browser", True, chromium.found(settings.chromium))
    advice = failure_text("error", why_not).advice
    return _finding("browser", not settings.chromium, f"none, so pages that scripts make cannot be read. {advice}")


def _private(settings: Any) -> dict[str, Any]:
    from driftline.fetch.egress import Egress

    try:
        Egress(settings.allow_hosts)
    except DriftlineError as error:
        return _finding("private addresses", False, str(error))
    allowed = ", ".join(settings.allow_hosts)
    message = f"allowed: {allowed}" if allowed else "none are allowed (DRIFTLINE_ALLOW_HOSTS)"
    return _finding("private addresses", True, message)


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
    dates = f" with {health.buckets} dates and pages" if health.buckets else ""
    counted = f"{health.watches} watches{dates}, {health.changes} changes"
    yield _finding("database", True, f"{health.database}, schema {health.revision}, {counted}")
    yield _finding(
        "worker",
        late < 600,
        "no watch is overdue"
        if late < 600
        else f"a watch is overdue by {late / 60:.0f} min. Start `driftline run` or `driftline serve`",
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
