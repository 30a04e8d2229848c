"""Which Chromium is used, and how it is started: all its traffic goes through the checking proxy, and nothing else is open."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from driftline.errors import BadSetting

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_PACKAGE: Final = "no browser: the extra is not installed"
NO_CHROMIUM: Final = "no browser: Chromium is not installed"
TURNED_OFF: Final = "no browser: turned off"

# Chromium would talk to its maker, to other protocols and to other machines; each of these closes one such way.
_CLOSED: Final = (
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--no-pings",
    "--no-first-run",
    "--disable-features=MediaRouter,OptimizationHints,Translate,DialMediaRouteProvider",
)
# What the text of a page does not need.
_BLIND: Final = ("--blink-settings=imagesEnabled=false", "--disable-remote-fonts")
_SPARING: Final = (
    "--mute-audio",
    "--disable-gpu",
    "--disable-3d-apis",
    "--js-flags=--max-old-space-size=512",
)


def missing(named: str = "") -> str | None:
    """Why there is no browser, as a short reason; None: there is one. `named` is the setting."""
    if find_spec("playwright") is None:
        return NO_PACKAGE
    return None if _path(named) else NO_CHROMIUM


def found(named: str = "") -> str:
    """The program that is started; raises BadSetting."""
    if (path := _path(named)) is None:
        raise BadSetting("Chromium is not installed", chromium=named, hint="install chromium, or set DRIFTLINE_CHROMIUM")
    return path


def _path(named: str) -> str | None:
    if named:
        return named if os.access(named, os.X_OK) and Path(named).is_file() else None
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


def launch_options(path: str, proxy: str, *, sandbox: bool, images: bool = False, mark: str = "") -> dict[str, Any]:
    """How Playwright starts it; `proxy` is the address of the checking proxy, which sees loopback too; `mark` names it."""
    return {
        "executable_path": path,
        "headless": True,
        "chromium_sandbox": sandbox,
        "proxy": {"server": proxy, "bypass": "<-loopback>"},
        "args": [*_CLOSED, *_SPARING, *(() if images else _BLIND), *((mark,) if mark else ())],
        "handle_sigint": False,  # the worker drains first
        "handle_sigterm": False,
        "handle_sighup": False,
    }


def may_use_sandbox() -> bool:
    """Chromium's sandbox does not work for root."""
    return os.geteuid() != 0
