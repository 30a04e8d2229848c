"""Where a link leads: absolute, cleaned of tracking, sessions and tokens."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.identity.urls import clean, plain, without_random
from driftline.core.text.folding import fold
from driftline.core.text.short_cache import short_cache

_NOT_WEB: Final = ("mailto:", "tel:", "sms:", "whatsapp:", "magnet:")
_NOWHERE: Final = ("javascript:", "data:", "about:", "blob:")
_AD_HOSTS: Final = re.compile(
    r"https?://(?:[\w-]{1,60}\.){0,4}(?:doubleclick\.net|googlesyndication\.com|googleadservices\.com|taboola\.com|outbrain\.com|"
    r"criteo\.(?:com|net)|amazon-adsystem\.com|adnxs\.com|rubiconproject\.com|adform\.net)/"
)
_LONGEST: Final = 2_048


@short_cache(4096)  # several readers ask for a page's link, and every page for a menu's
def address(href: str, base: str) -> str | None:
    """What a link points to, or nothing for places on the page itself, scripts and ad servers."""
    text = href[:_LONGEST].strip()
    if not text or text[0] == "#":
        return None
    low = text[:12].lower()
    if low.startswith(_NOT_WEB):
        return fold(text)
    if low.startswith(_NOWHERE):
        return None
    url = clean(absolute(text, base), base)
    return None if url is None or _AD_HOSTS.match(url) else without_random(plain(url))


def absolute(href: str, base: str) -> str:
    """A path joined to its host without the long way through a URL parser, where that is plainly right."""
    if href[:1] == "/" and href[1:2] != "/" and "/." not in href:
        host_ends = base.find("/", 8)
        return (base[:host_ends] if host_ends > 0 else base) + href
    return href
