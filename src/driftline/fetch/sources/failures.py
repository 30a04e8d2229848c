"""How a source of the operator fails."""

from __future__ import annotations


class SourceFailed(Exception):
    """The source could not be read; the message is the reason, for users."""


class TooLarge(SourceFailed):
    """The source has more than may be read."""
