"""`driftline agent` as a process of its own, without the command line's imports: it needs a quarter less memory."""

from __future__ import annotations

import sys

import msgspec

from driftline.core.text.safety.escapes import escape
from driftline.errors import DriftlineError, UsageError
from driftline.wiring import opened


def run(*, as_json: bool) -> None:
    """Work until stopped, then leave with an exit code; an error is one line that says what to do."""
    try:
        work(as_json=as_json)
    except DriftlineError as error:
        print(escape(f"driftline: {' '.join(str(error).split())}", one_line=True), file=sys.stderr)
        sys.exit(2 if isinstance(error, UsageError) else 1)


def work(*, as_json: bool) -> None:
    """Deal with messages until SIGTERM or Ctrl-C, then say how many there were."""
    with opened() as app:
        counts = app.run_agent()
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(dict(counts)) + b"\n")
        sys.stdout.buffer.flush()
    else:
        summary = ", ".join(f"{count} {what}" for what, count in counts.items())
        print(f"stopped; messages: {summary or 'none'}", file=sys.stderr)
