"""Turns the short, constant reasons why a message was not delivered into sentences for users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from driftline.core.answers.failure_text import FailureText, failure_text
from driftline.core.answers.not_sent_text import not_sent_text

_CHECK: Final = "Check the address of the channel"
_REASONS: Final[Mapping[str, FailureText]] = {
    "no mail server is configured (DRIFTLINE_SMTP_HOST)": FailureText(
        "No mail server is set up",
        "Set DRIFTLINE_SMTP_HOST and DRIFTLINE_MAIL_FROM and start driftline again, or add a webhook or a chat",
    ),
    "the address is not confirmed": FailureText("The address is not confirmed", "Open the link in the confirmation mail"),
    "smtp timeout": FailureText("The mail server did not answer in time"),
    "timeout": FailureText("The receiver did not answer in time"),
    "connection refused": FailureText("The receiver refused the connection", "Is it running? " + _CHECK),
    "host not found": FailureText("There is no receiver at this address", _CHECK),
    "url refused": FailureText("This address cannot be reached", _CHECK),
    "address is private; DRIFTLINE_ALLOW_HOSTS may allow it": FailureText(
        "The address is private", "Start driftline with its host in DRIFTLINE_ALLOW_HOSTS to allow it"
    ),
}
_STATUSES: Final[Mapping[str, str]] = {
    "401": "Check the address and the key in it",
    "403": "Check the address and the key in it",
    "404": _CHECK,
    "410": _CHECK,
}
_STARTS: Final[tuple[tuple[str, FailureText], ...]] = (
    (
        "smtp sign-in refused: ",
        FailureText("The mail server refused the sign-in: {}", "Check DRIFTLINE_SMTP_USER"),
    ),
    ("recipient refused: ", FailureText("The mail server refused the address: {}", _CHECK)),
    ("smtp: ", FailureText("The mail server could not be used: {}", "Check DRIFTLINE_SMTP_HOST, _PORT and _TLS")),
    ("smtp ", FailureText("The mail server answered: {}")),
)


def undelivered_text(reason: str) -> FailureText:
    """What went wrong on the way to a channel, or why nothing was sent, and what to do about it."""
    if known := _REASONS.get(reason):
        return known
    if reason.startswith("http "):
        status, _, rest = reason.removeprefix("http ").partition(": ")
        if rest:
            return FailureText(f"The receiver redirects ({status})", "Use the address that it redirects to")
        return FailureText(f"The receiver answered with an error ({status})", _STATUSES.get(status, ""))
    for start, text in _STARTS:
        if reason.startswith(start):
            return text._replace(what=text.what.replace("{}", reason.removeprefix(start)))
    return failure_text(None, not_sent_text(reason) or reason)
