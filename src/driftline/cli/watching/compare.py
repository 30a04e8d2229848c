"""The command that compares two files, without a database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from driftline.cli.options import ExitCode, FormOption, Json, KindName, RulesFile, Select, unreadable
from driftline.cli.output import console, emit, table
from driftline.cli.results.diffs import Form, print_diff
from driftline.errors import BadFile, UsageError

CHANGES_FOUND = 3
NOWHERE = "http://localhost/"


def compare(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The older file.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The newer file.")],
    kind: KindName = "page",
    url: Annotated[str, typer.Option("--url", help="The URL of the pages; relative links start there.")] = NOWHERE,
    select: Select = None,
    rules: RulesFile = None,
    form: FormOption = "text",
    exit_code: ExitCode = False,
    as_json: Json = False,
) -> int:
    """Compare two files: pages, catalogs, slot lists or sitemaps."""
    one, other = _read(before), _read(after)
    match kind:
        case "page":
            changed = _pages(one, other, url, rules, select, form, as_json=as_json)
        case "catalog":
            changed = _catalogs(one, other, url, rules, as_json=as_json)
        case "availability":
            changed = _slots(one, other, url, rules, as_json=as_json)
        case "sitemap":
            changed = _sitemaps(one, other, url, rules, as_json=as_json)
        case _:
            raise UsageError("unknown kind", kind=kind, hint="use page, catalog, availability or sitemap")
    return CHANGES_FOUND if exit_code and changed else 0


def _pages(
    one: bytes, other: bytes, url: str, rules: Path | None, select: list[str] | None, form: Form, *, as_json: bool
) -> bool:
    """Two pages: what counts, what was dropped as noise, and the diff."""
    from driftline.cli.watching.watch_args import rules_from
    from driftline.engine.editing.watch_input import read_rules
    from driftline.kinds.page.kind import KIND
    from driftline.kinds.page.rules import PageRules
    from driftline.pages import compare_pages

    read = msgspec.convert(read_rules(KIND, rules_from(rules, select)), PageRules)
    diff = compare_pages(one, other, url=url, rules=read)
    if as_json:
        emit(msgspec.to_builtins(diff))
        return diff.meaningful
    screen = console()
    lines = f"{diff.severity}, similarity {diff.similarity:.3f}" if diff.meaningful else "No changes"
    screen.print(diff.headline or "No changes", style="bold", markup=False)
    screen.print(lines, style="dim", markup=False)
    for finding in diff.findings:
        if finding.type != "content":
            screen.print(f"  {finding.type}: {finding.headline}", markup=False)
    print_diff(diff.rows, diff.changes, form)
    for dropped in diff.suppressed:
        screen.print(f"  noise ({dropped.rule}): {dropped.before} -> {dropped.after}", style="dim", markup=False)
    return diff.meaningful


def _catalogs(one: bytes, other: bytes, url: str, rules: Path | None, *, as_json: bool) -> bool:
    """Two listings, or two lists of products: prices, stock, what is new."""
    from driftline.catalogs import compare_catalog, read_catalog
    from driftline.cli.watching.watch_args import rules_from
    from driftline.engine.editing.watch_input import read_rules
    from driftline.kinds.catalog.kind import KIND
    from driftline.kinds.catalog.rules import CatalogRules

    read = msgspec.convert(read_rules(KIND, rules_from(rules, None)), CatalogRules)

    def products(text: bytes) -> list[dict[str, Any]]:
        if text.lstrip()[:1] != b"<" and read.card is None:
            try:
                rows = _rows(text, "products")
            except BadFile:
                rows = []
            if all(row.get("url") for row in rows) and (rows or text.strip() in (b"[]", b"")):
                return rows  # as a crawler writes them, and pushed runs have them
        return read_catalog(text, url=None if url == NOWHERE else url, rules=read)

    before, after = products(one), products(other)
    if not as_json:
        console().print(f"{len(before)} products before, {len(after)} after", style="dim", markup=False)
    found = compare_catalog(before, after, read)
    _print_changes(({"type": change.type, "headline": change.headline, "url": change.url} for change in found), as_json=as_json)
    return bool(found)


def _slots(one: bytes, other: bytes, url: str, rules: Path | None, *, as_json: bool) -> bool:
    """Two polls of bookable slots: what opened, closed and dropped."""
    from driftline.cli.watching.watch_args import rules_from
    from driftline.engine.editing.watch_input import read_rules
    from driftline.kinds.availability.kind import KIND
    from driftline.kinds.availability.rules import AvailabilityRules
    from driftline.slots import compare_slots, read_slots

    read = msgspec.convert(read_rules(KIND, rules_from(rules, None)), AvailabilityRules)

    def polled(text: bytes) -> list[dict[str, Any]]:
        try:
            return [msgspec.to_builtins(slot) for slot in read_slots(text, url=url, rules=read)]
        except BadFile:  # plain slots with clock times, or a slot a line
            if rules:
                raise
            return _rows(text, "slots")

    diff = compare_slots(polled(one), polled(other), timezone=read.timezone)
    sides = (("drop", diff.drops), ("opened", diff.opened), ("closed", diff.closed))
    lines = (
        {"type": name, "headline": f"{slot.get('venue_name') or slot['venue_id']} at {slot['time']}", "slot": slot}
        for name, slots in sides
        for slot in slots
    )
    _print_changes(lines, as_json=as_json)
    return bool(diff.opened or diff.closed)


def _sitemaps(one: bytes, other: bytes, url: str, rules: Path | None, *, as_json: bool) -> bool:
    """Two sitemaps: articles added, removed and updated, and what cannot be said: entries without a date or an address."""
    from driftline.cli.watching.watch_args import rules_from
    from driftline.engine.editing.watch_input import read_rules
    from driftline.kinds.sitemap.kind import KIND
    from driftline.kinds.sitemap.rules import SitemapRules
    from driftline.sitemaps import compare_sitemaps

    read = msgspec.convert(read_rules(KIND, rules_from(rules, None)), SitemapRules)
    diff = compare_sitemaps(one, other, url=url, rules=read)
    sides = (("added", diff.added), ("removed", diff.removed), ("updated", diff.updated), ("undated", diff.undated))
    lines = [{"type": name, "headline": article.url, "url": article.url} for name, articles in sides for article in articles]
    lines += [{"type": "bad", "headline": loc or "(no address)", "url": loc} for loc in diff.bad]
    _print_changes(lines, as_json=as_json)
    return bool(diff.added or diff.removed or diff.updated)


def _print_changes(found: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    """Each difference: an object, or a row of a table."""
    listed = list(found)
    if as_json:
        emit(listed)
    else:
        table("", ("type", "what"), [(row["type"], row["headline"]) for row in listed], empty="No changes")


def _rows(text: bytes, name: str) -> list[dict[str, Any]]:
    """A JSON list, JSON lines, or an object that holds the list under `name`."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        try:
            value = [msgspec.json.decode(line) for line in text.splitlines() if line.strip()]
        except msgspec.DecodeError as error:
            raise BadFile(
                "the file is not JSON", problem=str(error), hint=f"give a list of {name}, or one object a line"
            ) from None
    rows = value.get(name) if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadFile("the file holds no list", hint=f"give a list of {name}, or one object a line")
    return rows


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None


COMMANDS = (compare,)
