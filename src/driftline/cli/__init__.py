"""The command line: one command, one function; thin. Heavy parts are imported when a command needs them."""

from __future__ import annotations


def main() -> None:
    """Run `driftline` and leave with its exit code."""
    from driftline.cli.root import run

    run()
