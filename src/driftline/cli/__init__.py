"""The command line: one command, one function; thin. Heavy parts are imported when a command needs them."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `driftline` and leave with its exit code."""
    if sys.argv[1:] in (["agent"], ["agent", "--json"]):  # it stays for weeks: it takes no more along than it needs
        from driftline.agent import run as run_agent

        run_agent(as_json="--json" in sys.argv)
        return
    try:
        from driftline.cli.root import run

        run()
    except KeyboardInterrupt:  # before there was anything that could be stopped
        sys.exit(130)
