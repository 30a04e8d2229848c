"""Extensions: packages on the path that add kinds, channels, fetchers or summarizers by entry points.

They are looked for when a name is asked for that is not our own, and imported when they are first used. One that cannot be
imported, lacks something or takes one of our names is left out with its reason, which `driftline doctor` shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

KINDS: Final = "driftline.kinds"
CHANNELS: Final = "driftline.channels"
FETCHERS: Final = "driftline.fetchers"
SUMMARIZERS: Final = "driftline.summarizers"


class ExtensionGroup(msgspec.Struct, frozen=True):
    """What an extension of a group needs, and the names that are taken."""

    needs: tuple[str, ...]  # attributes
    taken: frozenset[str] = frozenset()


GROUPS: Final[Mapping[str, ExtensionGroup]] = {
    KINDS: ExtensionGroup(
        (
            "name",
            "version",
            "rules",
            "traits",
            "check_rules",
            "requests",
            "read",
            "combine",
            "canonical",
            "judge",
            "pack",
            "unpack",
        ),
        frozenset({"page", "catalog", "availability", "sitemap", "site"}),
    ),
    CHANNELS: ExtensionGroup(
        ("at_once", "check_target", "deliver", "close"), frozenset({"email", "webhook", "apprise", "bus"})
    ),
    FETCHERS: ExtensionGroup(("fetch",), frozenset({"http", "https", "file", "data", "javascript", "source"})),
    SUMMARIZERS: ExtensionGroup(("summarize",), frozenset({"local", "openai"})),
}
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")


class Extension(msgspec.Struct, frozen=True, kw_only=True):
    """One entry point of a package; what it leads to, or why it is left out."""

    group: str
    name: str
    package: str  # with its version
    value: Any = None
    problem: str = ""


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to load, and most commands need none

    return {one.name: one for one in reversed(tuple(entry_points(group=group)))}


def extension(group: str, name: str) -> Extension | None:
    """The extension with this name, imported; None: there is none."""
    return _loaded(group, name) if name in _entries(group) else None


@cache
def _loaded(group: str, name: str) -> Extension:
    entry = _entries(group)[name]
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module
    found = Extension(group=group, name=name, package=package)
    if _NAME.fullmatch(name) is None:
        return msgspec.structs.replace(found, problem="its name is not of lower-case letters, digits and dashes")
    if name in GROUPS[group].taken:
        return msgspec.structs.replace(found, problem="driftline has one of this name")
    try:
        value = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it does, driftline goes on without it
        return msgspec.structs.replace(found, problem=f"{type(error).__name__}: {error}"[:300])
    lacking = [need for need in GROUPS[group].needs if not hasattr(value, need)]
    if lacking:
        return msgspec.structs.replace(found, problem=f"it has no {', '.join(lacking)}")
    if group == KINDS and value.name != name:
        return msgspec.structs.replace(found, problem=f"its name is {value.name!r}")
    return msgspec.structs.replace(found, value=value)


def is_usable(group: str, name: str) -> bool:
    """Whether there is an extension of this name that works."""
    found = extension(group, name)
    return found is not None and not found.problem


def usable(group: str) -> dict[str, Any]:
    """What the extensions of a group lead to, by name."""
    return {one.name: one.value for one in all_of(group) if not one.problem}


def all_of(group: str) -> list[Extension]:
    """Every extension of a group, in the order of their names."""
    return [_loaded(group, name) for name in sorted(_entries(group))]
