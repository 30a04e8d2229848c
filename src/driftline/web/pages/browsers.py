"""Names of browsers by their user agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# In the order of matching: most browsers also claim to be several others.
_NAMES: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser(agent: str) -> str:
    """`Firefox on Linux`; the user agent itself if it is unknown."""
    name, system = _first(_NAMES, agent), _first(_SYSTEMS, agent)
    if not name:
        return agent or "Unknown browser"
    return f"{name} on {system}" if system else name


def _first(known: Sequence[tuple[str, str]], agent: str) -> str:
    return next((name for mark, name in known if mark in agent), "")
