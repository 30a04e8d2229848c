"""Logs for a terminal: one line per record, without control characters and secrets."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import TypeAlias

from driftline.core.text.safety.escapes import escape
from driftline.core.text.safety.redaction import redact

_Raised: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


_STANDARD_FIELDS = frozenset(
    (*logging.makeLogRecord({}).__dict__, "message", "asctime", "taskName")
)  # attributes of every record


class PlainLines(logging.Formatter):
    """A record's message with its context; traceback lines are indented, so that none looks like a record."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """One line with the message and its extra fields."""
        fields = ", ".join(f"{name}={value}" for name, value in record.__dict__.items() if name not in _STANDARD_FIELDS)
        line = super().formatMessage(record)
        return escape(redact(f"{line} ({fields})" if fields else line), one_line=True)

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - likewise
        """Several indented lines."""
        return "\n".join(f"  {escape(redact(line))}" for line in super().formatException(ei).split("\n"))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - likewise
        """Like a traceback."""
        return "\n".join(f"  {escape(redact(line))}" for line in stack_info.split("\n"))


def log_plain(level: str) -> None:
    """Log to standard error, unless logging is configured already."""
    out = logging.StreamHandler()
    out.setFormatter(PlainLines())
    logging.basicConfig(level=level.upper(), handlers=[out])
