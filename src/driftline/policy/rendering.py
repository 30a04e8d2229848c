"""When a source is asked for in the browser, and how long that is remembered."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from driftline.core.answers.failure_text import EMPTY_RENDERED
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Watch

REMEMBERED_FOR: Final = timedelta(days=7)  # then the plain answer is tried again: sites change how they are built
IN_VAIN_FOR: Final = timedelta(days=1)  # a browser that did not help is not started again at every check
# What a run says of a page that is read there without having been asked for it.
READ_IN_BROWSER: Final = "read in the browser: scripts make its content"
# Pages that scripts make; parts that they may add.
_MADE_LATER: Final = frozenset({"needs_browser", "selector_missing"})
# Walls that let a browser in by themselves.
_LET_IN: Final = ("challenge: ", "http 403")


def is_rendered_first(watch: Watch, *, at: datetime) -> bool:
    """Whether the plain answer is not asked for at all."""
    options = watch.fetch
    remembered = watch.browser_until is not None and at < watch.browser_until
    return options.method == "GET" and (options.needs_browser or (options.browser == "auto" and remembered))


def is_worth_rendering(options: FetchOptions, outcome: str | None, reason: str | None) -> bool:
    """Whether the browser may get what the plain answer did not hold."""
    if options.browser != "auto" or options.method != "GET" or outcome is None:
        return False
    return outcome in _MADE_LATER or (outcome == "blocked" and (reason or "").startswith(_LET_IN))


def is_better_rendered(outcome: str | None, reason: str | None) -> bool:
    """Whether the browser's ending counts: it got the page, or saw that nothing is on it; else the plain answer says more."""
    return outcome is None or reason == EMPTY_RENDERED


def was_in_vain(watch: Watch, *, at: datetime) -> bool:
    """Whether the browser was asked lately and did not help."""
    return watch.browser_again_at is not None and at < watch.browser_again_at


def asked_again_at(watch: Watch, *, in_vain: bool, at: datetime) -> datetime | None:
    """When a browser that did not help is asked again, after a failed check."""
    return at + IN_VAIN_FOR if in_vain else watch.browser_again_at


def remembered(watch: Watch, *, rendered: bool, at: datetime) -> datetime | None:
    """Until when the browser is asked first, after a good check."""
    if not rendered or watch.fetch.browser != "auto":
        return None
    known = watch.browser_until
    return known if known is not None and at < known else at + REMEMBERED_FOR
