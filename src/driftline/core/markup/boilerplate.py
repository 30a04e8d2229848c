"""Boilerplate elements (cookie banners, advertising, widgets): one table, each row with its reason.

Selectors find candidates by parts of their class and id in a few microseconds; the exact names are checked here.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache


class Boilerplate(NamedTuple):
    """A type of boilerplate that is removed from every page."""

    name: str
    reason: str
    candidates: str  # selectors that find all of it
    words: re.Pattern[str] | None = None  # a class or id that proves it; None: the selector is enough


BOILERPLATE: Final[tuple[Boilerplate, ...]] = (
    Boilerplate("machinery", "code, and fallbacks that no reader sees", "script,style,noscript,iframe"),
    Boilerplate(
        "ads",
        "what an ad slot shows differs from reader to reader",
        "[class*=ad],[id*=ad],[class*=ponsor]",
        lazy_regex(
            r"ads?|adsbygoogle|advert(?:s|isements?|ising)?|(?:google|dfp|gpt|promo|banner|sidebar|side|top|bottom|header|footer|leaderboard|sticky|native|"
            r"display|inline|page|text|partner|sponsor)[-_]?ads?|ad[-_]?(?:slots?|banners?|container|wrapper|wrap|units?|box|placeholder|block|space|zone|"
            r"area|holder|frame|inner|content|label|sidebar|top|bottom|leaderboard|rectangle|mpu|sense)|(?:div[-_]gpt[-_]ad|google_ads?).*|"
            r"sponsor(?:ed)?(?:[-_](?:content|box|post|link|links|block|banner))?",
            re.IGNORECASE,
        ),
    ),
    Boilerplate(
        "consent",
        "banners about cookies come and go with the reader's own",
        "[class*=ookie],[id*=ookie],[class*=onsent]",
        lazy_regex(
            r"(?:js[-_])?(?:eu[-_]?)?(?:gdpr[-_]?)?cookies?[-_]?(?:banner|consent|notice|bar|popup|message|law|policy-banner|disclaimer|modal|overlay|dialog|"
            r"warning|alert|info|script_injected|law-info-bar)(?:[-_].*)?|cookieconsent|cybotcookiebotdialog|onetrust-consent-sdk|"
            r"(?:gdpr|privacy|cmp)[-_]?consent.*|consent[-_]?(?:banner|popup|modal|bar|manager|overlay|dialog|notice)",
            re.IGNORECASE,
        ),
    ),
)
_CANDIDATES: Final = ",".join(row.candidates for row in BOILERPLATE)
_INVISIBLE: Final = frozenset(BOILERPLATE[0].candidates.split(","))
_NEVER: Final = frozenset("html body main article h1 h2 h3 h4 h5 h6".split())
POLICY_LENGTH: Final = 250  # characters; longer text about cookies without a button is a policy, not a banner
_PRESSED: Final = 'button,input,select,[role=button],[onclick],a:not([href]),a[href^="#"],a[href^="javascript:"]'
AD_PAGE: Final = lazy_regex(
    lambda: (
        rf"^(?:/[\w-]{{1,40}}){{0,3}}/(?:ads?|adverts?|classifieds?|listings?|{any_of('advert.address', ending=_ENDING)})"
        r"[/-][\w%.-]{1,120}/?$"
    ),
    re.IGNORECASE,
)
_ENDING: Final = r"\w{0,2}"
_LEADS_AWAY: Final = lazy_regex(r"^(?:https?:)?//|click|redirect|track|banner|delivery", re.IGNORECASE)
MAX_AD_SLOTS: Final = 8  # sites of classified ads have more elements with such names, which are their content


def remove_boilerplate(tree: LexborHTMLParser) -> None:
    """Remove boilerplate from the tree."""
    removed: list[LexborNode] = []
    named: list[int] = []
    for node in tree.css(_CANDIDATES):
        if node.tag not in _INVISIBLE:
            given = node.attributes
            kind = boilerplate_of(given.get("class") or "", given.get("id") or "")
            if not kind or _contains_content(node) or (is_policy(node) if kind == "consent" else is_classified(node)):
                continue
            named.append(len(removed))
        removed.append(node)
    spared = frozenset(named) if len(named) > MAX_AD_SLOTS else frozenset()
    for index in range(len(removed) - 1, -1, -1):  # inner ones first: removing an element removes its children
        if index not in spared:
            removed[index].decompose()


def _contains_content(node: LexborNode) -> bool:
    return node.tag in _NEVER or node.css_first("h1,main,article") is not None


def is_policy(node: LexborNode) -> bool:
    """Whether an element named like a cookie banner is a policy: long text and no button."""
    return len(node.text()) > POLICY_LENGTH and node.css_first(_PRESSED) is None


def is_classified(node: LexborNode) -> bool:
    """Whether an element named like advertising contains classified ads: links to pages of the same site."""
    links = [node.attributes.get("href") or "", *(link.attributes.get("href") or "" for link in node.css("a[href]"))]
    return any(AD_PAGE.search(href) for href in links) and not any(map(_LEADS_AWAY.search, links))


def boilerplate_of(classes: str, identity: str) -> str:
    """The type of boilerplate that an element's names suggest; empty: none."""
    return _boilerplate_called(f"{classes} {identity}")


@short_cache(4096)
def _boilerplate_called(names: str) -> str:
    words = names.split()
    return next((row.name for row in BOILERPLATE if row.words is not None for word in words if row.words.fullmatch(word)), "")
