"""Where a page points to: navigation, content and pagination apart, tracking aside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_intdigest

from driftline.core.text import excerpt, fold
from driftline.core.urls import clean, plain, without_random
from driftline.kinds.page.parsed import Link, Role
from driftline.kinds.page.walk import Walk

_NOT_WEB: Final = ("mailto:", "tel:", "sms:", "whatsapp:", "magnet:")
_AD_HOSTS: Final = re.compile(
    r"^https?://(?:[\w-]+\.)*(?:doubleclick\.net|googlesyndication\.com|googleadservices\.com|adservice\.google\.\w+|taboola\.com|outbrain\.com|"
    r"criteo\.(?:com|net)|amazon-adsystem\.com|adnxs\.com|rubiconproject\.com|adform\.net)/"
)
_REMEMBERED: Final = 300  # characters; longer addresses seldom come again
_LONGEST: Final = 60  # characters of what a link says
_REL: Final = frozenset(("next", "prev"))


def nodes(root: LexborNode) -> list[LexborNode]:
    """The link elements below an element."""
    return root.css("a[href]")


def hrefs(root: LexborNode) -> list[str]:
    """The addresses of all links below an element, as they stand."""
    return [_href(node.attributes) for node in nodes(root)]


def _href(given: Mapping[str, str | None]) -> str:
    """Inside SVG the selector also finds `xlink:href`."""
    return given.get("href") or given.get("xlink:href") or ""


def address(href: str, base: str) -> str | None:
    """What a link points to, or nothing for places on the page itself, scripts and ad servers."""
    return _remembered(href, base) if len(href) <= _REMEMBERED else _address(href, base)


def _address(href: str, base: str) -> str | None:
    text = href.strip()
    if not text or text[0] == "#":
        return None
    low = text[:12].lower()
    if low.startswith(_NOT_WEB):
        return fold(text)
    if low.startswith(("javascript:", "data:", "about:", "blob:")):
        return None
    url = clean(absolute(text, base), base)
    return None if url is None or _AD_HOSTS.match(url) else without_random(plain(url))


_remembered: Final = lru_cache(maxsize=4096)(_address)  # several readers ask for a page's link, and every page for a menu's


def absolute(href: str, base: str) -> str:
    """A path joined to its host without the long way through a URL parser, where that is plainly right."""
    if href[:1] == "/" and href[1:2] != "/" and "/." not in href:
        host_ends = base.find("/", 8)
        return (base[:host_ends] if host_ends > 0 else base) + href
    return href


def mark(href: str, base: str) -> int:
    """The hash of a link's address; zero for what is no link to anywhere."""
    url = address(href, base)
    return xxh3_64_intdigest(url.encode("utf-8", "replace")) or 1 if url is not None else 0


def read(walk: Walk, base: str) -> Iterator[tuple[int, Link | None]]:
    """Every link element with the hash of its place, and the link where it points somewhere."""
    for number in walk.links:
        place = walk.place(number)
        node = walk.nodes[number]
        given = node.attributes
        url = address(_href(given), base) if node.mem_id not in walk.passing else None
        if url is None:
            yield place, None
        else:
            above = walk.parents[number]
            around: Role = walk.shapes[above].role if above >= 0 else "content"
            role: Role = "pagination" if (given.get("rel") or "").lower() in _REL else around
            yield place, Link(url, role, place, _said(node, given) if role == "content" else "")


def _said(node: LexborNode, given: Mapping[str, str | None]) -> str:
    """What a link says, if only by a label or a picture's description."""
    picture = None if (text := fold(node.text(separator=" "))) else node.css_first("img[alt]")
    alt = picture.attributes.get("alt") if picture is not None else ""
    return excerpt(text or fold(given.get("aria-label") or given.get("title") or alt or ""), _LONGEST)
