"""Options of a command as a watch's rules, schedule and fetch options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from driftline.cli.options import read_mapping
from driftline.errors import BadSchedule, UsageError
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule
from driftline.policy.schedule.every import parse_every
from driftline.policy.schedule.windows import parse_window


def rules_from(file: Path | None, select: Sequence[str] | None) -> dict[str, Any]:
    """The rules of a file, with --select on top."""
    rules = read_mapping(file) if file else {}
    return rules | {"select": list(select)} if select else rules


def schedule_from(every: str | None, cron: str | None, timezone: str, windows: Sequence[str], *, adaptive: bool) -> Schedule:
    """The schedule that the options describe."""
    if every and cron:
        raise BadSchedule("both --every and --cron", every=every, cron=cron, hint="use one of them")
    usual = Schedule()
    return Schedule(
        every_for=parse_every(every) if every else usual.every_for,
        cron=cron,
        timezone=timezone,
        windows=tuple(parse_window(text) for text in windows),
        adaptive=adaptive,
    )


def fetch_options(
    method: str,
    headers: Sequence[str],
    cookies: Sequence[str],
    body: str | None,
    *,
    browser: str = "auto",
    wait_for: str | None = None,
) -> FetchOptions:
    """How the source is asked for, from the options."""
    values = {
        "method": method.upper(),
        "headers": dict(_pair(text, ":", "--header", "'Name: value'") for text in headers),
        "cookies": dict(_pair(text, "=", "--cookie", "'name=value'") for text in cookies),
        "body": body,
        "browser": browser,
        "wait_for": wait_for,
    }
    if body is not None and values["method"] != "POST":
        raise UsageError("only POST can send a body", method=method, hint="use --method POST, or leave out --body")
    try:
        return msgspec.convert(values, FetchOptions)
    except msgspec.ValidationError as error:
        hint = "use GET, POST or HEAD as --method, and auto, never or always as --browser"
        raise UsageError("invalid option", problem=str(error), hint=hint) from None


def _pair(text: str, separator: str, option: str, form: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found or not name.strip():
        raise UsageError("invalid option", option=option, value=text, hint=f"write it as {form}")
    return name.strip(), value.strip()
