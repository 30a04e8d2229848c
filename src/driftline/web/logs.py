"""Logs as one JSON object a line: what happened, where, and the facts beside it."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

_SECRET: Final = re.compile(r"(/feeds/|/unsubscribe/[^/]+/)[^/]+")
_USUAL: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonLines(logging.Formatter):
    """A record with its extras."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the record holds."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _USUAL}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=str).decode()


def path_shown(path: str) -> str:
    """The path of a request as logs repeat it: some addresses open something."""
    return _SECRET.sub(r"\1...", path)


def log_json(level: str) -> None:
    """From now on, to standard error."""
    out = logging.StreamHandler()
    out.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[out], force=True)
