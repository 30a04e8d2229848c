"""Every exception that driftline raises on purpose.

    DriftlineError                 a constant message, structured context, and what to do next
    ├── UsageError                 the caller's words are off; nothing was written (exit code 2)
    │   ├── BadUrl                 not an address that driftline may visit
    │   ├── BadRule                a watch rule that does not parse or does not fit the kind
    │   ├── BadSchedule            an interval, cron line or window that makes no sense
    │   ├── BadFile                a file that cannot be read as what it should be
    │   ├── BadSetting             an environment variable or driftline.toml entry
    │   ├── NotFound               no such watch, run, change, ... in this org
    │   ├── Ambiguous              a name or id suffix that fits more than one thing
    │   └── Refused                understood, and not allowed (an old run, a partial run, ...)
    ├── BusUnavailable             the broker cannot be reached, went away, or did not take a message
    └── StoreError                 the database did not do what was asked
        ├── StoreUnavailable       it cannot be reached, or went away; trying again may help
        └── StoreCorrupt           what it holds cannot be decoded

Expected endings of a fetch or a run are values (`model.fetch`, `model.run`), never exceptions.
"""

from __future__ import annotations


class DriftlineError(Exception):
    """A constant message for grouping, context for reading, a hint for acting."""

    def __init__(self, message: str, *, hint: str = "", **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.context = context

    def __str__(self) -> str:
        """The one line that a person sees."""
        told = ", ".join(f"{name}={value!r}" for name, value in self.context.items())
        line = f"{self.message} ({told})" if told else self.message
        return f"{line}; {self.hint}" if self.hint else line


class UsageError(DriftlineError):
    """The caller's words are off; nothing was written."""


class BadUrl(UsageError):
    """Not an address that driftline may visit."""


class BadRule(UsageError):
    """A watch rule that does not parse or does not fit the kind."""


class BadSchedule(UsageError):
    """An interval, cron line or window that makes no sense."""


class BadFile(UsageError):
    """A file that cannot be read as what it should be."""


class BadSetting(UsageError):
    """An environment variable or `driftline.toml` entry that makes no sense."""


class NotFound(UsageError):
    """No such thing in this org."""


class Ambiguous(UsageError):
    """A name or id suffix that fits more than one thing."""


class Refused(UsageError):
    """Understood, and not allowed."""


class BusUnavailable(DriftlineError):
    """The broker cannot be reached, went away, or did not take a message; trying again may help."""


class StoreError(DriftlineError):
    """The database did not do what was asked."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, or went away in the middle."""


class StoreCorrupt(StoreError):
    """What the database holds cannot be decoded."""
