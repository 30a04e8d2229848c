"""Every exception that driftline raises on purpose.

    DriftlineError                 a short message, structured context, and what to do next
    ├── UsageError                 invalid arguments or values; nothing was written (exit code 2)
    │   ├── BadUrl                 not an address that driftline may visit
    │   ├── BadRule                a watch rule that is not valid
    │   ├── BadSchedule            an interval, cron line or window that is not valid
    │   ├── BadFile                a file that cannot be read as what it should be
    │   ├── BadSetting             an environment variable or driftline.toml entry
    │   │   └── NoSecretKey        secrets need a key, and there is none that works
    │   ├── NotFound               no such watch, run, change, ... in this org
    │   ├── Ambiguous              a name or id suffix that matches more than one thing
    │   ├── Refused                understood, and not allowed (an old run, a partial run, ...)
    │   └── Busy                   understood, and too much at once; trying again in a moment helps
    ├── BusUnavailable             the broker cannot be reached, went away, or did not take a message
    └── StoreError                 the database did not do what was asked
        ├── StoreUnavailable       it cannot be reached, or went away; trying again may help
        └── StoreCorrupt           what it holds cannot be decoded

Expected endings of a fetch or a run are values (`model.fetch`, `model.run`), never exceptions.
"""

from __future__ import annotations


class DriftlineError(Exception):
    """A short message, context for people and programs, and a hint on what to do next."""

    def __init__(self, message: str, *, hint: str = "", **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.context = context

    def __str__(self) -> str:
        """The one line for users."""
        details = self.details
        named = details.pop("ref", "")
        listed = ", ".join(f"{name}: {value}" for name, value in details.items())
        line = f"{self.message}{f': {named}' if named else ''}{f' ({listed})' if listed else ''}"
        return f"{line}. {self.hint[:1].upper()}{self.hint[1:]}" if self.hint else line

    @property
    def details(self) -> dict[str, object]:
        """The context without what the message already contains."""
        return {name: value for name, value in self.context.items() if f'"{value}"' not in self.message}


class UsageError(DriftlineError):
    """Invalid arguments or values; nothing was written."""


class BadUrl(UsageError):
    """Not an address that driftline may visit."""


class BadRule(UsageError):
    """A watch rule that is not valid."""


class BadSchedule(UsageError):
    """An interval, cron line or window that is not valid."""


class BadFile(UsageError):
    """A file that cannot be read as what it should be."""


class BadSetting(UsageError):
    """An environment variable or `driftline.toml` entry that is not valid."""


class NoSecretKey(BadSetting):
    """Secrets need a key, and there is none that works."""


class NotFound(UsageError):
    """No such thing in this org."""


class Ambiguous(UsageError):
    """A name or id suffix that matches more than one thing."""


class Refused(UsageError):
    """Understood, and not allowed."""


class Busy(UsageError):
    """Understood, and too much at once: trying again in a moment helps."""


class BusUnavailable(DriftlineError):
    """The broker cannot be reached, went away, or did not take a message; trying again may help."""


class StoreError(DriftlineError):
    """The database did not do what was asked."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, or went away in the middle."""


class StoreCorrupt(StoreError):
    """What the database holds cannot be decoded."""
