"""Logs as JSON, one object per line."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from driftline.core.text.safety.escapes import escape_json
from driftline.core.text.safety.redaction import redact

_USUAL: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonLines(logging.Formatter):
    """A record with its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """One line without secrets and control characters."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _USUAL}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        shown = _without_secrets(msgspec.to_builtins(line, enc_hook=str, str_keys=True))
        return escape_json(msgspec.json.encode(shown)).decode()


def _without_secrets(value: Any) -> Any:
    """The value with every text in it redacted and encodable."""
    match value:
        case str():
            return redact(value).encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_without_secrets(name): _without_secrets(one) for name, one in value.items()}
        case list() | tuple():
            return [_without_secrets(one) for one in value]
    return value


def log_json(level: str) -> None:
    """Log to standard error as JSON."""
    out = logging.StreamHandler()
    out.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[out], force=True)
