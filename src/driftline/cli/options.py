"""Options that several commands share, and how their values are parsed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from driftline.cli.results.diffs import Form
from driftline.errors import BadFile, UsageError

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
Every = Annotated[str | None, typer.Option("--every", help="How often: 90s, 15m, 1h30m, 2d.")]
KindName = Annotated[str, typer.Option("--kind", help="page, catalog, availability, sitemap, site, or an extension's.")]
Select = Annotated[
    list[str] | None, typer.Option("--select", help="Watch only this part (CSS, XPath or JSONPath); may be repeated.")
]
RulesFile = Annotated[Path | None, typer.Option("--rules", help="A YAML or JSON file with the kind's rules.")]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with code 3 if there are changes.")]
FormOption = Annotated[Form, typer.Option("--form", help="Format of the diff: text, html, markdown or unified.")]
Cursor = Annotated[str | None, typer.Option("--cursor", help="Continue where an earlier list ended.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number of rows.")]


def unreadable(path: Path | str, error: OSError) -> BadFile:
    """That a file is not there, or may not be read."""
    return BadFile(f'cannot read "{path}": {(error.strerror or str(error)).lower()}')


def read_document(path: Path) -> Any:
    """The content of a YAML or JSON file."""
    from driftline.engine.imports.yaml_text import read_yaml

    try:
        documents = read_yaml(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from None
    except BadFile as error:
        raise BadFile(error.message, file=str(path), **error.context, hint=error.hint) from None
    if len(documents) > 1:
        raise BadFile("the file holds more than one document", file=str(path), hint="leave out the lines with ---")
    return documents[0] if documents else None


def read_mapping(path: Path) -> dict[str, Any]:
    """The mapping in a YAML or JSON file."""
    value = read_document(path)
    if not isinstance(value, dict):
        raise BadFile("the file holds no mapping", file=str(path), hint="write `name: value` lines")
    return value


def read_span(since: str | None, until: str | None, *, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The instants of --since and --until, where they were given."""
    since_at = read_since(since, now=now) if since else None
    until_at = read_since(until, now=now, name="until") if until else None
    if since_at and until_at and since_at >= until_at:
        raise UsageError("--since is not before --until", hint="swap them")
    return since_at, until_at


def read_since(text: str, *, now: datetime, name: str = "since") -> datetime:
    """An instant: RFC 3339, a date, or a duration ago (`2h`, `3d`)."""
    from driftline.policy.schedule.every import parse_every

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            return now - timedelta(seconds=parse_every(text))
        except UsageError:
            context = {name: text}
            raise UsageError("invalid time", hint="write 2026-01-31, 2026-01-31T08:00Z or 2h", **context) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
