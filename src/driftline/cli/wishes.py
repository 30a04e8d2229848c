"""From the words of a command to a wish for a watch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import time
from pathlib import Path
from typing import Any

import msgspec

from driftline.cli.options import read_mapping
from driftline.engine.drafting import Draft, Wish
from driftline.errors import BadFile, BadSchedule, UsageError
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule, Watch, Window
from driftline.policy.every import parse_every

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WINDOW = re.compile(r"(?:(?P<days>[a-z,\- ]+?) )?(?P<starts>\d{1,2}:\d\d) ?- ?(?P<ends>\d{1,2}:\d\d)", re.ASCII)
_WINDOW_AT_MOST = 100  # characters

Told = tuple[int, str]  # a line or place in a file, and what is to be said of it


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


def parse_window(text: str) -> Window:
    """`mon-fri 08:00-18:00`, `sat,sun 10:00-12:00`, or times alone for every day."""
    words = " ".join(text.lower().split())
    match = _WINDOW.fullmatch(words) if len(words) <= _WINDOW_AT_MOST else None
    try:
        if match is None:
            raise ValueError(text)
        return Window(
            weekdays=_weekdays(match["days"]),
            starts=time.fromisoformat(match["starts"].zfill(5)),
            ends=time.fromisoformat(match["ends"].zfill(5)),
        )
    except ValueError:
        raise BadSchedule("window does not parse", window=text, hint="write it as 'mon-fri 08:00-18:00'") from None


def _weekdays(text: str | None) -> tuple[int, ...]:
    if text is None:
        return tuple(range(7))
    days: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        start, end = _DAYS.index(first[:3]), _DAYS.index((last or first)[:3])
        days += [(start + step) % 7 for step in range((end - start) % 7 + 1)]
    return tuple(sorted(set(days)))


def fetch_options(method: str, headers: Sequence[str], cookies: Sequence[str], body: str | None) -> FetchOptions:
    """How the source is asked for, from the options."""
    values = {
        "method": method.upper(),
        "headers": dict(_pair(text, ":", "--header", "'Name: value'") for text in headers),
        "cookies": dict(_pair(text, "=", "--cookie", "'name=value'") for text in cookies),
        "body": body,
    }
    if body is not None and values["method"] != "POST":
        raise UsageError("only POST sends a body", method=method, hint="use --method POST, or leave out --body")
    try:
        return msgspec.convert(values, FetchOptions)
    except msgspec.ValidationError as error:
        raise UsageError("no such way to fetch", problem=str(error), hint="use GET, POST or HEAD") from None


def _pair(text: str, separator: str, option: str, form: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found or not name.strip():
        raise UsageError("option does not parse", option=option, value=text, hint=f"write it as {form}")
    return name.strip(), value.strip()


def wishes_from_list(
    text: str, kind: str, rules: dict[str, Any], schedule: Schedule, tags: tuple[str, ...]
) -> Iterator[tuple[int, Wish | None, str]]:
    """Each line as (number, wish or None, problem): a URL with a name behind it, or a JSON object of `driftline export`."""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("{"):
            try:
                yield number, msgspec.json.decode(line, type=Wish), ""
            except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
                yield number, None, f"not a watch: {error}"
            continue
        url, _, name = line.partition(" ") if " " in line else line.partition("\t")
        yield number, Wish(url=url, kind=kind, name=name.strip() or None, rules=rules, schedule=schedule, tags=tags), ""


def wishes_from_file(
    data: bytes, kind: str, rules: dict[str, Any], schedule: Schedule, tags: tuple[str, ...]
) -> Iterator[tuple[int, Wish | None, str]]:
    """Each watch of a list or of another program's file as (place, wish or None, problem or warning); `tags` come on top."""
    from driftline.engine.imports import read_foreign

    foreign = read_foreign(data)
    if foreign is None:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadFile(
                "not a text file", problem=str(error), hint="give a list of URLs, or a file of a known program"
            ) from None
        yield from wishes_from_list(text, kind, rules, schedule, tags)
        return
    for found in foreign:
        wish = found.wish
        yield found.place, msgspec.structs.replace(wish, tags=(*wish.tags, *tags)) if wish else None, found.problem


def drafts_from(
    found: Iterable[tuple[int, Wish | None, str]], draft: Callable[[Wish], Draft]
) -> tuple[list[Draft], list[Told], list[Told]]:
    """What can be watched; what cannot, with the reason; and what is to be said of watches that can."""
    good: list[Draft] = []
    bad: list[Told] = []
    warned: list[Told] = []
    for place, wish, problem in found:
        if wish is None:
            bad.append((place, problem))
            continue
        try:
            good.append(draft(wish))
        except UsageError as error:
            bad.append((place, str(error)))
            continue
        if problem:
            warned.append((place, problem))
    return good, bad, warned


def wish_of(watch: Watch) -> Wish:
    """The wish that would make this watch again."""
    return Wish(
        url=watch.url,
        kind=watch.kind,
        name=watch.name,
        tags=watch.tags,
        rules=watch.rules,
        fetch=watch.fetch,
        schedule=watch.schedule,
        paused=watch.paused_at is not None,
    )
