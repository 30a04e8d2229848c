"""Elements that are no content wherever they stand: one table of selectors, each with its reason."""

from __future__ import annotations

from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode


class Clutter(NamedTuple):
    """What is taken out of every page before it is read."""

    name: str
    reason: str
    selector: str


CLUTTER: Final[tuple[Clutter, ...]] = (
    Clutter("machinery", "code and fallbacks, not text", "script,style,template,noscript,iframe,object,embed,svg,canvas"),
    Clutter(
        "ads",
        "what an ad server sends differs from reader to reader",
        "ins.adsbygoogle,[id^=google_ads],[id^=div-gpt-ad],[data-ad-slot],[data-ad-client],[data-google-query-id],[id^=taboola],[class^=taboola],"
        "[class^=OUTBRAIN],[class^=outbrain],[aria-label=Advertisement]",
    ),
    Clutter(
        "consent",
        "banners about cookies come and go with the reader's cookies",
        "#onetrust-consent-sdk,#CybotCookiebotDialog,#cookie-law-info-bar,#usercentrics-root,#didomi-host,#cookie-notice,#cookiescript_injected,"
        "#cookieConsent,#cookie-banner,#cookie-consent,#cookiebanner,.cookie-banner,.cookie-consent,.cookie-notice,.cookie-bar,.cookieconsent,"
        ".cookie-popup,.cc-window,.gdpr-banner,.qc-cmp2-container,[id^=sp_message_container],[id^=cookie-bar]",
    ),
)
# Classes that ad slots carry, and sometimes honest things too: taken out only where few elements have them and none holds the page.
_SLOTS: Final = (
    ".ad,.ads,.advert,.advertisement,.advertising,.adslot,.ad-slot,.ad-banner,.ad-container,.ad-wrapper,.ad-unit,.ad-box,.banner-ad,.sponsored,"
    ".sponsored-content,.google-ad,.dfp-ad,.sponsor-box,#ad,#ads,#advert,#ad-banner,#sidebar-ad,#top-ad,#banner-ad,.promo-ad,.adbox,.ad-placeholder"
)
_FEW: Final = 8  # classified-ad sites have more of them than that, and mean their content
_ALL: Final = ",".join(row.selector for row in CLUTTER)
_NEVER: Final = frozenset(("html", "body", "main", "article"))


def take_out(tree: LexborHTMLParser) -> None:
    """Remove the clutter from the tree."""
    for node in tree.css(_ALL):
        if node.tag not in _NEVER:
            node.decompose()
    slots = tree.css(_SLOTS)
    if len(slots) <= _FEW:
        for node in slots:
            if _is_slot(node):
                node.decompose()


def _is_slot(node: LexborNode) -> bool:
    return node.tag not in _NEVER and node.css_first("h1,main,article") is None
