"""The part of a product's address that identifies the product, without what describes the link to it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from driftline.core.identity.urls import clean

# Parts of a path that name the type of page, not the product.
_GENERIC: Final = re.compile(
    r"(?:product|item|goods|prod|articles?|details?|view|show|page|shop|store|catalog|index|display|info)s?"
)
_SCRIPT: Final = re.compile(r"\.(?:php\d?|aspx?|jsp|cgi|cfm|do|pl)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Position of the link, search terms, and what its card showed.
_LINK_PARAMETERS: Final = frozenset(
    """pos position idx index rank slot place sr srno iid ssid qh src source from origin referrer referer keywords search_key
    searchterm searchtext search query_id ref loc icid intcmp int_pos list listname list_id section widget block ls pro frs sts
    price sale stock review reviews rating ratingscore freeshipping promo promotion quicklink recommended rec personalized
    at sh ppt ppn fm preselect merch""".split()
)
_CATEGORY_PART: Final = re.compile(
    r"track|trk|click|clk|refer|campaign|sess(?:ion|n)|token|emission|banner|ad_?content|recom|impress|share_?id|galler",
    re.IGNORECASE,
)
_PRODUCT_ID: Final = re.compile(
    r"(?:.*(?:[_-]|[a-z](?=I)))?(?:[a-z]?id|ids|Id|guid|uuid|key|code|slug|item|sku|pid|variant|v|"
    r"color|colour|size|model|style|ean|gtin|asin)",
    re.IGNORECASE,
)
_RANDOM_VALUE: Final = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}|1[5-9]\d{8}(?:\d{3})?"
    r"|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[\w.~:+/=|-]{10,}"
)
# A tracking link that redirects to an address in its parameters.
_REDIRECTING: Final = re.compile(
    r"https?://[^?#]*/(?:clicks?|redirect|redir|goto|out|track(?:ing)?)/?\?"
    r"(?:[^#]*&)?(?:url|u|redirect|target|dest|destination)=([^&#]{4,})"
)


def address(url: str, base: str = "") -> str | None:
    """The clean address of a product, without parts that differ from link to link."""
    found = clean(url, base)
    if found is None or "?" not in found:
        return found
    if through := _REDIRECTING.match(found):
        inner = clean(unquote(through[1]), found)
        if inner is None or "?" not in inner:
            return inner or found
        found = inner
    path, _, query = found.partition("?")
    if not _names_itself(path):
        return found
    kept = [pair for pair in query.split("&") if pair and not _is_link_parameter(pair)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _names_itself(path: str) -> bool:
    """Whether the path identifies a product, by a number or a slug; else its parameters do."""
    *before, last = path.split("/", 3)[-1].rstrip("/").split("/")
    if any(map(str.isdigit, before[-1] if before else "")):
        return True
    if _SCRIPT.search(last):
        return False
    words = _WORD.findall(last.lower())
    return any(map(str.isdigit, last)) or ("-" in last and not all(map(_GENERIC.fullmatch, words)))


def _is_link_parameter(pair: str) -> bool:
    name, _, value = pair.partition("=")
    if name.lower() in _LINK_PARAMETERS or _CATEGORY_PART.search(name):
        return True
    return _PRODUCT_ID.fullmatch(name) is None and _RANDOM_VALUE.fullmatch(unquote(value)) is not None
