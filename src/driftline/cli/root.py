"""The command `driftline` itself: its commands, and how errors leave it."""

from __future__ import annotations

import sys

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


def run() -> None:
    """Run the command that was asked for; every error is one line that says what to do."""
    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        code = _complain(str(error), USAGE)
    except DriftlineError as error:
        code = _complain(str(error), FAILED)
    except typer.TyperException as error:
        code = _complain(str(error) or "no such command; try driftline --help", USAGE)
    except (KeyboardInterrupt, typer.Abort):
        code = _complain("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()
        code = FINE
    sys.exit(code if isinstance(code, int) else FINE)


def _complain(text: str, code: int) -> int:
    """One line to standard error."""
    print(f"driftline: {' '.join(text.split())}", file=sys.stderr)
    return code
