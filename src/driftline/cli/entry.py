"""Starts and ends a command: streams, exit codes, and errors as one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from driftline.cli.help_sections import SectionedGroup
from driftline.core.text.safety.escapes import escape
from driftline.errors import DriftlineError, UsageError

FINE, FAILED, USAGE, CHANGES = 0, 1, 2, 3  # exit codes; CHANGES only with --exit-code


def app_of(commands: Iterable[Callable[..., Any]], groups: Mapping[str, typer.Typer]) -> typer.Typer:
    """The `driftline` command with these subcommands."""
    app = typer.Typer(
        name="driftline",
        cls=SectionedGroup,
        help="Watch web pages, shops, booking pages and sitemaps, and get notified of real changes.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    for command in commands:
        app.command(name=command.__name__.rstrip("_").replace("_", "-"))(command)
    for name, group in groups.items():
        app.add_typer(group, name=name)
    app.callback(help=app.info.help)(_options)
    return app


def _version(show: bool) -> None:
    if show:
        from driftline.cli.version import describe

        print(describe())
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print version, commit and extras.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options before any command."""


def run(app: typer.Typer) -> None:
    """Run the command; every error is one line that says what to do."""
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
    except SystemExit:  # raised by typer when the reader of our output is gone
        code = _hushed(FINE)
    except BrokenPipeError:
        code = _hushed(FINE)
    except OSError as error:
        code = _hushed(_complain(f"cannot write or read: {error}. Is the disk full?", FAILED))
    sys.exit(code if isinstance(code, int) else FINE)


def _prepare_streams() -> None:
    """Replace characters that the terminal cannot show, and ignore a closed output."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _hushed(code: int) -> int:
    """Exit without flushing output that nobody reads."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def _misunderstood(error: typer.TyperException) -> int:
    """Typer's message about invalid arguments, with where to find help."""
    message = error.format_message()
    if message.startswith("Usage: "):  # no command was given
        print(message)
        return USAGE
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "driftline"
    end = "" if message.endswith(("?", ".")) else "."
    return _complain(f"{message[:1].lower()}{message[1:]}{end} Try: {command} --help", USAGE)


def _complain(text: str, code: int) -> int:
    """Print an error as one line to standard error."""
    print(escape(f"driftline: {' '.join(text.split())}", one_line=True), file=sys.stderr)
    return code
