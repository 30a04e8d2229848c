"""The command that compares two files, without a database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from driftline.cli.diffs import Form, print_diff
from driftline.cli.options import ExitCode, FormOption, Json, KindName, RulesFile, Select
from driftline.cli.output import console, emit
from driftline.errors import BadFile, UsageError

CHANGES_FOUND = 3


def compare(
    before: Annotated[Path, typer.Argument(help="The older file.")],
    after: Annotated[Path, typer.Argument(help="The newer file.")],
    kind: KindName = "page",
    url: Annotated[
        str, typer.Option("--url", help="Where the pages come from; links are read relative to it.")
    ] = "http://localhost/",
    select: Select = None,
    rules: RulesFile = None,
    form: FormOption = "text",
    exit_code: ExitCode = False,
    as_json: Json = False,
) -> int:
    """Say what really changed between two files: pages, catalogs, slot lists or sitemaps."""
    one, other = _read(before), _read(after)
    match kind:
        case "page":
            changed = _pages(one, other, url, rules, select, form, as_json=as_json)
        case _:
            raise UsageError("no such kind", kind=kind, hint="use page")
    return CHANGES_FOUND if exit_code and changed else 0


def _pages(
    one: bytes, other: bytes, url: str, rules: Path | None, select: list[str] | None, form: Form, *, as_json: bool
) -> bool:
    """Two pages: what counts, what was dropped as noise, and the diff."""
    from driftline.cli.wishes import rules_from
    from driftline.engine.drafting import read_rules
    from driftline.kinds.page.kind import KIND
    from driftline.kinds.page.rules import PageRules
    from driftline.pages import compare_pages

    read = msgspec.convert(read_rules(KIND, rules_from(rules, select)), PageRules)
    diff = compare_pages(one, other, url=url, rules=read)
    if as_json:
        emit(msgspec.to_builtins(diff))
        return diff.meaningful
    screen = console()
    told = f"{diff.severity}, similarity {diff.similarity:.3f}" if diff.meaningful else "nothing to tell"
    screen.print(diff.headline or "No change that counts", style="bold", markup=False)
    screen.print(told, style="dim", markup=False)
    for finding in diff.findings:
        if finding.type != "content":
            screen.print(f"  {finding.type}: {finding.headline}", markup=False)
    print_diff({"changes": diff.changes}, form)
    for dropped in diff.suppressed:
        screen.print(f"  noise ({dropped.rule}): {dropped.before} -> {dropped.after}", style="dim", markup=False)
    return diff.meaningful


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadFile("cannot be read", file=str(path), problem=error.strerror, hint="give two files") from None


COMMANDS = (compare,)
