"""The command `driftline` itself: its commands, and how errors leave it."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from driftline.cli import (
    agent,
    applying,
    catalog,
    changes,
    channels,
    checks,
    compare,
    delivery,
    demo,
    doctor,
    feeds,
    orgs,
    pages,
    prices,
    serve,
    users,
    watches,
)
from driftline.errors import DriftlineError, UsageError

FINE, FAILED, USAGE, CHANGES = 0, 1, 2, 3  # exit codes; CHANGES only with --exit-code

app = typer.Typer(
    name="driftline",
    help="Watches web sources and tells people, and programs, what really changed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

for module in (
    watches,
    applying,
    checks,
    changes,
    catalog,
    feeds,
    compare,
    pages,
    prices,
    doctor,
    demo,
    delivery,
    serve,
    agent,
):
    for command in module.COMMANDS:
        app.command(name=command.__name__.rstrip("_").replace("_", "-"))(command)


for name, group in (orgs.GROUPS | users.GROUPS | channels.GROUPS | serve.GROUPS | agent.GROUPS).items():
    app.add_typer(group, name=name)


def _version(asked: bool) -> None:
    if asked:
        from driftline import __version__

        print(f"driftline {__version__}")
        raise typer.Exit


@app.callback(help=app.info.help)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """What stands before any command."""


def run() -> None:
    """Run the command that was asked for; every error is one line that says what to do."""
    _prepare_streams()
    try:
        code = app(prog_name="driftline", standalone_mode=False)
    except UsageError as error:
        code = _complain(str(error), USAGE)
    except DriftlineError as error:
        code = _complain(str(error), FAILED)
    except typer.TyperException as error:
        code = _misunderstood(error)
    except (KeyboardInterrupt, typer.Abort):
        code = _complain("stopped", 130)
    except SystemExit:  # typer's way to say that whoever read us has seen enough
        code = _hushed(FINE)
    except BrokenPipeError:
        code = _hushed(FINE)
    except OSError as error:
        code = _hushed(_complain(f"cannot write or read: {error}; is the disk full?", FAILED))
    sys.exit(code if isinstance(code, int) else FINE)


def _prepare_streams() -> None:
    """A terminal without the letters of a page's title still gets the rest, and a closed one gets nothing."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _hushed(code: int) -> int:
    """Leave without flushing what is left to where nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def _misunderstood(error: typer.TyperException) -> int:
    """What typer says of words that it does not know, and where the known ones are listed."""
    told = error.format_message()
    if told.startswith("Usage: "):  # nothing was asked for
        print(told)
        return USAGE
    context = getattr(error, "ctx", None)
    asked = context.command_path if context is not None else "driftline"
    return _complain(f"{told[:1].lower()}{told[1:].rstrip('.')}; try: {asked} --help", USAGE)


def _complain(text: str, code: int) -> int:
    """One line to standard error."""
    print(f"driftline: {' '.join(text.split())}", file=sys.stderr)
    return code
