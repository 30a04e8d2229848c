"""The command line: one command, one function; thin. Heavy parts are imported when a command needs them."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typer import Typer

# A page is tens of thousands of values that go all at once when their last name does: to look for circles among them every
# 700 values is a tenth of a check.
_COLLECTED: Final = (50_000, 20, 20)


def main() -> None:
    """Run `driftline` and leave with its exit code."""
    gc.set_threshold(*_COLLECTED)
    if sys.argv[1:] in (["agent"], ["agent", "--json"]):  # it stays for weeks: it takes no more along than it needs
        from driftline.agent import run as run_agent

        run_agent(as_json="--json" in sys.argv)
        return
    try:
        from driftline.cli.entry import run

        run(_app())
    except KeyboardInterrupt:  # before there was anything that could be stopped
        sys.exit(130)


def _app() -> Typer:
    """All commands; or only those that a timer starts, which do not load the others."""
    if sys.argv[1:2] in (["check"], ["run"]):
        from driftline.cli.entry import app_of
        from driftline.cli.watching import checks

        return app_of(checks.COMMANDS, {})
    from driftline.cli.root import app

    return app
