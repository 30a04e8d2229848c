"""Turns the short, constant reasons of failed runs into sentences for users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class FailureText(NamedTuple):
    """What is wrong, and what to do about it."""

    what: str  # capitalized, without a full stop
    advice: str = ""  # the same

    @property
    def sentence(self) -> str:
        """What failed and what to do, as one text."""
        return f"{self.what}. {self.advice}" if self.advice else self.what


MADE_BY_SCRIPTS: Final = "made by scripts"  # the reason of `needs_browser`
EMPTY: Final = "empty"
NO_BROWSER: Final = "no browser: "  # how the reason begins where none can be started
EMPTY_RENDERED: Final = "empty in the browser"
_SIGN_IN: Final = "Add a cookie of a signed-in user"
_TYPO: Final = "Check the address"
_REASONS: Final[Mapping[str, FailureText]] = {
    "http 400": FailureText("The site does not understand the request (400)", _TYPO),
    "http 401": FailureText("Sign-in needed (401)", "Add a cookie or an Authorization header"),
    "http 403": FailureText("Access denied (403)", "The site may refuse programs; a cookie or a header may help"),
    "http 404": FailureText("Page not found (404)", _TYPO),
    "http 405": FailureText("The site does not allow this method (405)"),
    "http 410": FailureText("Page removed for good (410)"),
    "http 429": FailureText("Too many requests (429)", "Check less often"),
    "http 451": FailureText("Not available for legal reasons (451)"),
    "http 503": FailureText("The site is not available right now (503)"),
    "http 304 without validators": FailureText('The site answered "not modified" to a plain request (304)'),
    "timeout": FailureText("The site did not answer in time"),
    "host not found": FailureText("There is no site at this address", _TYPO),
    "tls certificate refused": FailureText("The site's certificate is not valid"),
    "tls failed": FailureText("No secure connection could be made", "If the site has no https, write http:// in front"),
    "connection refused": FailureText("The site refused the connection"),
    "connection failed": FailureText("The site could not be reached"),
    "connection lost": FailureText("The connection was lost"),
    "proxy failed": FailureText("The proxy could not reach the site"),
    "unknown proxy": FailureText("Unknown proxy", "The operator adds proxies in the settings"),
    "url refused": FailureText("This address cannot be visited", _TYPO),
    "request header refused": FailureText("A header of this watch cannot be sent", "Check its headers and cookies"),
    "malformed response": FailureText("The site's answer is not valid HTTP"),
    "body cut short": FailureText("The answer was cut off"),
    "body does not decode": FailureText("The answer cannot be decompressed"),
    "body too large": FailureText("The answer is too large", "Allow more with max_bytes"),
    "too many redirects": FailureText("The site redirects in circles"),
    "redirect from https to http": FailureText("Redirects to an address without encryption", "Watch that address itself"),
    "redirect to a refused url": FailureText("Redirects to an address that cannot be visited"),
    "redirect without a target": FailureText("Redirects without an address"),
    "robots.txt": FailureText("The site's robots.txt forbids it", "Watch it with robots off if you may"),
    "host asked to wait": FailureText("The site asked to wait"),
    "answered that there is no such page": FailureText("Page not found (the page says so)", _TYPO),
    "answered that the site is down": FailureText("The site is down (the page says so)"),
    EMPTY: FailureText("The page is empty", "If it may be empty, set the rule empty_is_change"),
    EMPTY_RENDERED: FailureText("The page is empty, in the browser too", "If it may be empty, set the rule empty_is_change"),
    "selection empty": FailureText("The selected part is empty", "If it may be empty, set the rule empty_is_change"),
    MADE_BY_SCRIPTS: FailureText(
        "This page is built by scripts and needs a browser",
        "Install one: pip install 'driftline[browser]', and Chromium (driftline doctor shows what is missing)",
    ),
    "no browser: the extra is not installed": FailureText(
        "This watch asks for a browser, and none is installed",
        "Install it: pip install 'driftline[browser]'; driftline doctor shows what is missing",
    ),
    "no browser: Chromium is not installed": FailureText(
        "This watch asks for a browser, and Chromium is not installed",
        "Install chromium from your system's packages, or set DRIFTLINE_CHROMIUM",
    ),
    "no browser: turned off": FailureText(
        "This watch asks for a browser, and the operator turned it off", "Set the watch's browser to never"
    ),
    "the browser could not hold the page": FailureText("The page took too much memory in the browser"),
    "the browser failed": FailureText("The browser could not load the page"),
    "nests too deep to be read whole": FailureText("The page cannot be read: it is nested too deeply"),
}
# Reasons that contain a part of the source: how they begin, and their text; {} is the rest.
_STARTS: Final[tuple[tuple[str, FailureText], ...]] = (
    ("sign in: redirects to ", FailureText("Redirects to {}: this looks like a sign-in page", _SIGN_IN)),
    ("sign in", FailureText("The site shows a sign-in page instead", _SIGN_IN)),
    ("consent: ", FailureText("Blocked by a cookie banner", "Add a cookie from a browser in which you agreed")),
    ("captcha: ", FailureText("Blocked by a captcha", "Add a cookie from a browser in which you solved it")),
    ("challenge: ", FailureText("Blocked by a robot check ({})", "Add a cookie from a browser that was let in")),
    (
        "address refused: ",
        FailureText("{} is a private address", "To allow it, start driftline with DRIFTLINE_ALLOW_HOSTS={}"),
    ),
    (
        "cards read: ",
        FailureText(
            "Only {} products can be read: the layout of the page changed, or most are gone",
            "Preview the watch and set the rule card, or accept the page as it is now",
        ),
    ),
    ("step ", FailureText("Step {}", "See what each step does: driftline steps WATCH --try")),
    ("signed out: ", FailureText("Signed out: {}", "Check the sign-in steps of its session, and the secrets in them")),
    ("unknown secret: ", FailureText('There is no secret named "{}"', "Store it: driftline secret set NAME")),
    ("unknown session: ", FailureText('There is no session named "{}"', "Make it: driftline session set NAME")),
    (
        "session of another site: ",
        FailureText("The session belongs to {}", "A session is only used on the site that it was made for"),
    ),
    ("no key: ", FailureText("The secrets cannot be read: {}", "Set DRIFTLINE_SECRET_KEY to the key that stored them")),
    ("nothing matches ", FailureText("Nothing on the page matches {}", "Check the selector")),
    ("too much to read: ", FailureText("The page cannot be read completely: reading {}")),
)
_OUTCOMES: Final[Mapping[str, str]] = {
    "blocked": "Blocked",
    "selector_missing": "The selected part is missing",
    "needs_browser": "This page is built by scripts and needs a browser",
    "step_failed": "A step on the page failed",
    "signed_out": "Signed out",
    "layout_changed": "The page is built in another way than before",
    "truncated": "The page cannot be read completely",
    "error": "The page cannot be read",
}
_VENDOR_UNKNOWN: Final = " (unknown)"


def failure_text(outcome: str | None, reason: str | None) -> FailureText:
    """The text for how a run ended; the reason itself if the table has no text for it."""
    if not reason:
        return FailureText(_OUTCOMES.get(outcome or "", "The check failed"))
    if (known := _REASONS.get(reason)) is not None:
        return known
    if reason.startswith("http 5"):
        return FailureText(f"The site has an error ({reason.removeprefix('http ')})")
    if reason.startswith("http "):
        return FailureText(f"The site refuses the page ({reason.removeprefix('http ')})")
    place, _, rest = reason.partition(": ")
    if rest and place.startswith(("http://", "https://")):  # one file of several
        inner = failure_text(outcome, rest)
        return inner._replace(what=f"{inner.what} ({place})")
    for start, text in _STARTS:
        if reason.startswith(start):
            what, advice = (words.replace("{}", reason.removeprefix(start)) for words in text)
            return FailureText(what.replace(_VENDOR_UNKNOWN, ""), advice)
    return FailureText(reason[:1].upper() + reason[1:])


def with_tries(what: str, *, failures: int, alert_after: int, reported: bool) -> str:
    """`Page not found (404), 2 of 3 tries` until it is reported, then the number of failures in a row."""
    if failures < 1 or (failures == 1 and reported):
        return what
    return f"{what} ({failures} checks in a row)" if reported else f"{what}, {failures} of {max(failures, alert_after)} tries"
