"""What of a product's address names the product, and what says by which link a visitor came to it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from driftline.core.identity.urls import clean

# Parts of a path that say what sort of page it is, and not of which thing.
_GENERIC: Final = re.compile(
    r"(?:product|item|goods|prod|articles?|details?|view|show|page|shop|store|catalog|index|display|info)s?"
)
_SCRIPT: Final = re.compile(r"\.(?:php\d?|aspx?|jsp|cgi|cfm|do|pl)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Where the link stood, what was searched for, and what the card beside it showed.
_OF_THE_LINK: Final = frozenset(
    """pos position idx index rank slot place sr srno iid ssid qh src source from origin referrer referer keywords search_key
    searchterm searchtext search query_id ref loc icid intcmp int_pos list listname list_id section widget block ls pro frs sts
    price sale stock review reviews rating ratingscore freeshipping promo promotion quicklink recommended rec personalized
    at sh ppt ppn fm preselect merch""".split()
)
_WAY: Final = re.compile(
    r"track|trk|click|clk|refer|campaign|sess(?:ion|n)|token|emission|banner|ad_?content|recom|impress|share_?id|galler",
    re.IGNORECASE,
)
_THING: Final = re.compile(
    r"(?:.*(?:[_-]|[a-z](?=I)))?(?:[a-z]?id|ids|Id|guid|uuid|key|code|slug|item|sku|pid|variant|v|"
    r"color|colour|size|model|style|ean|gtin|asin)",
    re.IGNORECASE,
)
_CHANCE: Final = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}|1[5-9]\d{8}(?:\d{3})?"
    r"|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[\w.~:+/=|-]{10,}"
)
# A link that counts who follows it, and leads on to what it names.
_LEADS_ON: Final = re.compile(
    r"https?://[^?#]*/(?:clicks?|redirect|redir|goto|out|track(?:ing)?)/?\?"
    r"(?:[^#]*&)?(?:url|u|redirect|target|dest|destination)=([^&#]{4,})"
)


def address(url: str, base: str = "") -> str | None:
    """The clean address of a product, without what differs from link to link."""
    found = clean(url, base)
    if found is None or "?" not in found:
        return found
    if through := _LEADS_ON.match(found):
        inner = clean(unquote(through[1]), found)
        if inner is None or "?" not in inner:
            return inner or found
        found = inner
    path, _, query = found.partition("?")
    if not _names_itself(path):
        return found
    kept = [pair for pair in query.split("&") if pair and not _is_of_the_link(pair)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _names_itself(path: str) -> bool:
    """Whether a path names a thing, by a number or a slug; else its parameters do."""
    *before, last = path.split("/", 3)[-1].rstrip("/").split("/")
    if any(map(str.isdigit, before[-1] if before else "")):
        return True
    if _SCRIPT.search(last):
        return False
    words = _WORD.findall(last.lower())
    return any(map(str.isdigit, last)) or ("-" in last and not all(map(_GENERIC.fullmatch, words)))


def _is_of_the_link(pair: str) -> bool:
    name, _, value = pair.partition("=")
    if name.lower() in _OF_THE_LINK or _WAY.search(name):
        return True
    return _THING.fullmatch(name) is None and _CHANCE.fullmatch(unquote(value)) is not None
