"""Pictures that people see; pixels, beacons and placeholders are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_intdigest

from driftline.core.noise import sense
from driftline.core.text import fold
from driftline.core.urls import clean, plain
from driftline.kinds.page.links import absolute
from driftline.kinds.page.metadata import asset_url
from driftline.kinds.page.parsed import Image
from driftline.kinds.page.walk import Walk

_LAZY: Final = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-image")
_BEACON: Final = re.compile(
    r"/(?:captcha|(?:hit)?counter|count|pixel|beacon|track(?:ing)?|1x1|spacer|blank|clear|transparent)(?:\.(?:gif|png|php|cgi|pl|aspx?)|[/?]|$)|"
    r"^https?://(?:[\w-]+\.)*(?:facebook\.com/tr|google-analytics\.com|doubleclick\.net|googlesyndication\.com|bat\.bing\.com|scorecardresearch\.com|"
    r"quantserve\.com|pixel\.[\w.]+|stats\.wp\.com|mc\.yandex\.ru|informer\.yandex\.ru|top\.mail\.ru|"
    r"(?:\w{0,20}counters?\d?|histats|flagcounter)\.[\w.-]{2,60}/(?!\S*\.(?:jpe?g|webp|avif)(?:$|\?))|analytics\.[\w.]+|matomo\.[\w.]+|hit\.[\w.]+)",
    re.IGNORECASE,
)
_WIDTH: Final = re.compile(r"[-_@](\d{2,4})w?(?=\.[a-z]{3,4}(?:$|\?))")
GAP: Final = "\x01"  # between an address and what else is known of a picture


def nodes(root: LexborNode) -> list[LexborNode]:
    """The picture elements below an element."""
    return root.css("img")


def _source(node: LexborNode) -> str:
    given = node.attributes
    address = ""
    for name in _LAZY:
        if (value := given.get(name)) and not value.startswith("data:"):
            address = value
            break
    if not address:
        address = given.get("src") or ""
        if not address or address.startswith("data:"):
            listed = given.get("srcset") or given.get("data-srcset") or ""
            address = listed.split(",", 1)[0].strip().split(" ", 1)[0] if listed else ""
    address = _without_width(address, given.get("srcset") or given.get("data-srcset") or "")
    return f"{address}{GAP}{given.get('width') or ''}{GAP}{given.get('height') or ''}"


def _without_width(address: str, listed: str) -> str:
    """The address without the width in its name, where the picture comes in several widths: hall-800.jpg 800w."""
    found = _WIDTH.search(address) if listed else None
    return _WIDTH.sub("", address) if found is not None and f"{found[1]}w" in listed else address


def address(source: str, base: str) -> str | None:
    """What a picture is known by, or nothing for what is no picture."""
    url, width, height = source.split(GAP, 2)
    if not url or width.strip("px ") in {"0", "1"} or height.strip("px ") in {"0", "1"}:
        return None
    cleaned = clean(absolute(url.strip(), base), base)
    return None if cleaned is None else _picture(cleaned)


@lru_cache(maxsize=4096)  # logos and icons come again on every page of a site
def _picture(cleaned: str) -> str | None:
    return None if _BEACON.search(cleaned) else asset_url(plain(cleaned))


def mark(node: LexborNode, base: str) -> int:
    """The hash of a picture's address and description; zero for what is none."""
    said = told(node, base)
    return xxh3_64_intdigest(said.encode("utf-8", "replace")) or 1 if said else 0


def told(node: LexborNode, base: str) -> str:
    """A picture's address and description, as they are compared; empty for what is none."""
    url = address(_source(node), base)
    return "" if url is None else f"{url}{GAP}{sense(fold(node.attributes.get('alt') or ''))}"


def read(walk: Walk, base: str) -> Iterator[tuple[int, Image | None]]:
    """Every picture element with the hash of its place, and the picture where there is one."""
    for number in walk.images:
        node, place = walk.nodes[number], walk.place(number)
        url = address(_source(node), base) if node.mem_id not in walk.passing else None
        yield place, None if url is None else Image(url, fold(node.attributes.get("alt") or ""), place)
