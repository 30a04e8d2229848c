"""docs/commands.md, docs/settings.md and docs/asyncapi.yaml, made from the code by `make docs`; a test sees what is old."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import typer

from driftline.cli.root import app
from driftline.settings import OWN_NAMES, PREFIX, Settings
from tests.asyncapi import asyncapi_page

DOCS = Path(__file__).parents[1] / "docs"
FILE_ONLY = {"proxies"}

COMMANDS_HEAD = """# Commands

`driftline COMMAND --help` shows the same. With `--json` a command prints one object per line. A WATCH is a name, an id or the
unique end of an id.

Exit codes: 0 fine; 1 failed; 2 invalid arguments, nothing was written; 3, only with `--exit-code`, there are changes;
130 stopped by the keyboard. What runs until it is stopped (`run`, `serve`, `deliver`, `agent`, the live demo) lets what is in
flight end and leaves with 0, by Ctrl-C and by SIGTERM; a second Ctrl-C leaves at once, with 130. Errors are one line on
standard error that says what to do.
"""

SETTINGS_HEAD = """# Settings

In the environment, or in a file `driftline.toml` in the working folder (or where `DRIFTLINE_CONFIG` points). The environment
wins. A name that does not exist is an error, so that a typo is noticed.

| in the file | in the environment | default | |
|---|---|---|---|
"""

SETTINGS_TAIL = """
Lists are separated by commas in the environment and are arrays in the file:

```toml
db = "postgresql://driftline@localhost/driftline"
allow_hosts = ["127.0.0.1", "10.1.0.0/16"]

[proxies]
office = "http://proxy.example:3128"
```

## For tests

| in the environment | |
|---|---|
| `DRIFTLINE_TEST_POSTGRES` | a server on which tests may create databases; else one of their own, else the usual local port |
| `DRIFTLINE_TEST_RABBIT` | a broker here on which tests may create vhosts; else the usual local port, else one of their own |
| `DRIFTLINE_TEST_FAULTS=whole` | the fault suite in full length, as `make faults` runs it |
| `CI=true` | a service that cannot be found is a failure and not a loud note |
"""


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its full name, those of groups included."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


@functools.cache  # of a hundred commands with their options
def commands_page() -> str:
    """The whole of docs/commands.md."""
    sections = [_section(name, command) for name, command in commands(typer.main.get_command(app))]
    return "\n".join((COMMANDS_HEAD, *sections))


def settings_page() -> str:
    """The whole of docs/settings.md."""
    info = msgspec.inspect.type_info(Settings)
    assert isinstance(info, msgspec.inspect.StructType)
    return SETTINGS_HEAD + "".join(map(_setting, info.fields)) + SETTINGS_TAIL


PAGES: dict[Path, Callable[[], str]] = {
    DOCS / "commands.md": commands_page,
    DOCS / "settings.md": settings_page,
    DOCS / "asyncapi.yaml": asyncapi_page,
}


def _section(name: str, command: Any) -> str:
    arguments = [_argument(each) for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    usage = " ".join(("driftline", name, *arguments, *(("[OPTIONS]",) if options else ())))
    reported = "\n".join(line.strip() for line in (command.help or "").strip().splitlines())
    lines = [f"## {name}", "", f"    {usage}", "", reported, ""]
    if options:
        lines += ["| option | |", "|---|---|", *map(_option, options), ""]
    return "\n".join(lines)


def _argument(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    if argument.nargs == -1 and not name.rstrip("]").endswith("..."):
        name += "..."
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: Any) -> str:
    takes = "" if option.is_flag else f" {option.metavar or max(option.opts, key=len).lstrip('-').replace('-', '_').upper()}"
    spellings = ", ".join(f"`{spelling}{takes}`" for spelling in (*option.opts, *option.secondary_opts))
    known = isinstance(option.default, str | int | float) and option.default not in (False, "")
    default = f" (default: `{option.default}`)" if known else ""
    reported = (option.help or "").strip().replace("|", "\\|")
    return f"| {spellings} | {reported}{default} |"


def _setting(field: msgspec.inspect.Field) -> str:
    assert isinstance(field.type, msgspec.inspect.Metadata), f"the setting {field.name} has no description"
    described = (field.type.extra_json_schema or {})["description"]
    variable = "" if field.name in FILE_ONLY else f"`{OWN_NAMES.get(field.name, PREFIX + field.name.upper())}`"
    match field.default:
        case str() | int() | float() as value if value != "":
            default = f"`{value:g}`" if isinstance(value, float) else f"`{value}`"
        case tuple() as values if values:
            default = f"`{','.join(map(str, values))}`"
        case _:
            default = "a file in the data folder" if field.name == "db" else ""
    return f"| `{field.name}` | {variable} | {default} | {described} |\n"


if __name__ == "__main__":
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
