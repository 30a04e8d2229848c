"""Logs for people at a terminal: one line a record, with nothing in it that acts, and no secret."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import TypeAlias

from driftline.core.text.escapes import escape
from driftline.core.text.redaction import redact

_Raised: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


_USUAL = frozenset((*logging.makeLogRecord({}).__dict__, "message", "asctime", "taskName"))  # what every record has


class PlainLines(logging.Formatter):
    """A record's message with its context; the lines of a traceback are indented, so that none passes for a record."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """One line, whatever the message holds, with all that was said beside it: which page, which problem."""
        said = ", ".join(f"{name}={value}" for name, value in record.__dict__.items() if name not in _USUAL)
        line = super().formatMessage(record)
        return escape(redact(f"{line} ({said})" if said else line), one_line=True)

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - likewise
        """Several lines, none of which begins like a record."""
        return "\n".join(f"  {escape(redact(line))}" for line in super().formatException(ei).split("\n"))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - likewise
        """Like a traceback."""
        return "\n".join(f"  {escape(redact(line))}" for line in stack_info.split("\n"))


def log_plain(level: str) -> None:
    """To standard error, unless somebody has said where logs go."""
    out = logging.StreamHandler()
    out.setFormatter(PlainLines())
    logging.basicConfig(level=level.upper(), handlers=[out])
