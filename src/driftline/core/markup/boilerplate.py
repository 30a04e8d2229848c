"""Elements that are no content wherever they stand: one table, each row with its reason.

The parser's selectors find candidates by parts of their class and id, a few microseconds each; the words themselves are
looked at here.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache


class Boilerplate(NamedTuple):
    """What is taken out of every page before it is read."""

    name: str
    reason: str
    candidates: str  # selectors that cannot miss it
    words: re.Pattern[str] | None = None  # a class or id that says so; None: the selector is enough


BOILERPLATE: Final[tuple[Boilerplate, ...]] = (
    Boilerplate("machinery", "code, and fallbacks that no reader sees", "script,style,noscript,iframe"),
    Boilerplate(
        "ads",
        "what an ad slot shows differs from reader to reader",
        "[class*=ad],[id*=ad],[class*=ponsor]",
        re.compile(
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
        re.compile(
            r"(?:js[-_])?(?:eu[-_]?)?(?:gdpr[-_]?)?cookies?[-_]?(?:banner|consent|notice|bar|popup|message|law|policy-banner|disclaimer|modal|overlay|dialog|"
            r"warning|alert|info|script_injected|law-info-bar)(?:[-_].*)?|cookieconsent|cybotcookiebotdialog|onetrust-consent-sdk|"
            r"(?:gdpr|privacy|cmp)[-_]?consent.*|consent[-_]?(?:banner|popup|modal|bar|manager|overlay|dialog|notice)",
            re.IGNORECASE,
        ),
    ),
)
_CANDIDATES: Final = ",".join(row.candidates for row in BOILERPLATE)
_MACHINERY: Final = frozenset(BOILERPLATE[0].candidates.split(","))
_NEVER: Final = frozenset("html body main article h1 h2 h3 h4 h5 h6".split())
LONG: Final = 250  # characters; what says so much about cookies and has nothing to press is a policy, no banner
_PRESSED: Final = 'button,input,select,[role=button],[onclick],a:not([href]),a[href^="#"],a[href^="javascript:"]'
AD_PAGE: Final = lazy_regex(
    lambda: (
        rf"^(?:/[\w-]{{1,40}}){{0,3}}/(?:ads?|adverts?|classifieds?|listings?|{any_of('advert.address', ending=_ENDING)})"
        r"[/-][\w%.-]{1,120}/?$"
    ),
    re.IGNORECASE,
)
_ENDING: Final = r"\w{0,2}"
_LEADS_AWAY: Final = re.compile(r"^(?:https?:)?//|click|redirect|track|banner|delivery", re.IGNORECASE)
MOST_SLOTS: Final = 8  # sites of classified ads have more elements that are called so, and mean their content


def take_out(tree: LexborHTMLParser) -> None:
    """Remove boilerplate from the tree."""
    doomed: list[LexborNode] = []
    named: list[int] = []
    for node in tree.css(_CANDIDATES):
        if node.tag not in _MACHINERY:
            given = node.attributes
            kind = boilerplate_of(given.get("class") or "", given.get("id") or "")
            if not kind or _holds_the_page(node) or (is_policy(node) if kind == "consent" else is_classified(node)):
                continue
            named.append(len(doomed))
        doomed.append(node)
    spared = frozenset(named) if len(named) > MOST_SLOTS else frozenset()
    for index in range(len(doomed) - 1, -1, -1):  # inner ones first: an element goes with all that is in it
        if index not in spared:
            doomed[index].decompose()


def _holds_the_page(node: LexborNode) -> bool:
    return node.tag in _NEVER or node.css_first("h1,main,article") is not None


def is_policy(node: LexborNode) -> bool:
    """Whether an element that is called like a cookie banner says too much, and has nothing to press."""
    return len(node.text()) > LONG and node.css_first(_PRESSED) is None


def is_classified(node: LexborNode) -> bool:
    """Whether an element that is called like advertising holds what people offer each other: links to ads on the site."""
    links = [node.attributes.get("href") or "", *(link.attributes.get("href") or "" for link in node.css("a[href]"))]
    return any(AD_PAGE.search(href) for href in links) and not any(map(_LEADS_AWAY.search, links))


def boilerplate_of(classes: str, identity: str) -> str:
    """The sort of clutter that an element is called like; empty: none."""
    return _boilerplate_called(f"{classes} {identity}")


@short_cache(4096)
def _boilerplate_called(names: str) -> str:
    words = names.split()
    return next((row.name for row in BOILERPLATE if row.words is not None for word in words if row.words.fullmatch(word)), "")
