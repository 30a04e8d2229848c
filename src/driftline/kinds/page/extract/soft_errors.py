"""Pages that servers send instead of the page, as if all were well: not found, under maintenance, sign in first.

Told by their title alone, part by part, and only where the title was another one before: what a site says about itself in its
title is not said in passing. A form to sign in is known at the first check as well, where the address does not ask for one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from driftline.core.answers.block_pages import is_sign_in
from driftline.core.answers.gone_titles import says_gone, title_parts
from driftline.core.lexicon import any_of
from driftline.core.text.folding import title_key
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.extract.html import Extraction
from driftline.kinds.page.extract.memo import Memo
from driftline.kinds.page.rules import PageRules
from driftline.model.run import Outcome

_LONGEST_TITLE: Final = 120  # characters
_SHORTER: Final = 0.5  # of the texts that the page had: who is closed or asks to sign in shows less
_DOWN: Final = lazy_regex(
    lambda: (
        r"(?:site\s|we\sare\s|we['’]re\s|currently\s|website\s|temporarily\s|error\s|http\s)*(?:(?:5\d\d\s)?(?:internal\sserver\serror|bad\sgateway|"
        r"service\s(?:temporarily\s)?unavailable|gateway\stime-?out|server\serror)|(?:under|down\sfor|undergoing)\s(?:\w+\s)?maintenance|"
        r"maintenance(?:\smode)?|temporarily\s(?:unavailable|down|offline)|be\sright\sback|(?:an?\s)?error\s(?:has\s)?occurred|"
        r"database\serror|error\sestablishing\sa\sdatabase\sconnection|account\ssuspended|bandwidth\slimit\sexceeded|"
        rf"{any_of('gone.down')})[.!]*"
    )
)
_SIGN_IN: Final = lazy_regex(
    lambda: r"(?:please\s)?(?:sign\s?in|log\s?in|login|signin)(?:\s(?:to\s.{1,40}|required|page))?|" + any_of("gone.sign_in")
)


class StandIn(NamedTuple):
    """A page that was sent instead of the content."""

    outcome: Outcome
    reason: str


_MEMBERS_ONLY: Final = StandIn("blocked", "sign in: the page is shown to members only")
_FORM_TEXT: Final = 600  # bytes; a page with more text has a form on it, but is not a sign-in page
_HEADINGS: Final = 5  # that are looked at


def soft_error(found: Extraction, memo: Memo) -> StandIn | None:
    """The error page that was sent instead of the page described by the memo; None if it is the page itself."""
    if found.size >= memo.size or len(found.title) > _LONGEST_TITLE:
        return None  # error pages are shorter than the page, with a short title
    if found.size <= memo.size * _SHORTER and _says_gone(found):
        return StandIn("error", "answered that there is no such page")
    if not memo.title or title_key(found.title) == memo.title:
        return None
    if says_gone(found.title):
        return StandIn("error", "answered that there is no such page")
    if found.size > memo.size * _SHORTER:
        return None
    parts = title_parts(found.title)
    if any(map(_DOWN.fullmatch, parts)):
        return StandIn("error", "answered that the site is down")
    return _MEMBERS_ONLY if any(map(_SIGN_IN.fullmatch, parts)) and _asks_password(found) else None


def _says_gone(found: Extraction) -> bool:
    """Whether the first heading says that the page does not exist, whatever the title is."""
    body = found.tree.body
    heading = body.css_first("h1,h2") if body is not None else None
    said = " ".join((heading.text() or "").split()).lower() if heading is not None else ""
    return 0 < len(said) <= _LONGEST_TITLE and says_gone(said)


def sign_in_form(found: Extraction, rules: PageRules, asked: str) -> StandIn | None:
    """A sign-in form with hardly any other text, at an address that is not named like one; else None."""
    if rules.select or is_sign_in(asked) or found.size > _FORM_TEXT or not _asks_password(found):
        return None
    headings = [node.text() or "" for node in found.tree.css("h1,h2")[:_HEADINGS]]
    said = [" ".join(text.split()) for text in (found.title, *headings)]
    parts = [part for text in said if len(text) <= _LONGEST_TITLE for part in title_parts(text)]
    return _MEMBERS_ONLY if any(map(_SIGN_IN.fullmatch, parts)) else None


def _asks_password(found: Extraction) -> bool:
    body = found.tree.body
    return body is not None and body.css_first("input[type=password i]") is not None
