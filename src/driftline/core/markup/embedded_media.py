"""Embedded media of a page: video players and documents in frames, video and audio elements.

Most frames are advertising or widgets, so only known players and documents count.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.identity.urls import clean
from driftline.core.text.lazy_regex import lazy_regex

_LAZY: Final = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data-cmp-src", "data")
# The part of the address that identifies the media; the rest says how it is shown.
_PLAYERS: Final = lazy_regex(
    r"(?:https?:)?//(?:www\.)?("
    r"youtube(?:-nocookie)?\.com/(?:embed/(?!videoseries)[\w-]{6,}|embed/videoseries\?list=[\w-]+)|"
    r"player\.vimeo\.com/video/\d+|dailymotion\.com/embed/video/\w+|geo\.dailymotion\.com/player[^?]*\?video=\w+|"
    r"player\.twitch\.tv/\?(?:video|channel)=\w+|open\.spotify\.com/embed/\w+/\w+|embed\.podcasts\.apple\.com/[^?#]+|"
    r"w\.soundcloud\.com/player/?\?url=[^&]+|bandcamp\.com/EmbeddedPlayer/[^?#]+|archive\.org/embed/[^?#]+|"
    r"fast\.wistia\.(?:net|com)/embed/iframe/\w+|players\.brightcove\.net/\d+/[^?]+\?videoId=\w+|"
    r"cdn\.jwplayer\.com/players/[\w-]+|rutube\.ru/play/embed/\w+|player\.bilibili\.com/player\.html\?[^#]*?(?:bvid|aid)=\w+|"
    r"vk\.com/video_ext\.php\?oid=-?\d+&id=\d+|embed\.ted\.com/talks/[\w/]+|slideshare\.net/slideshow/embed_code/[^?#]+|"
    r"e\.issuu\.com/[^?]*\?.+|issuu\.com/[^?#]+|scribd\.com/embeds/\d+|datawrapper\.dwcdn\.net/\w+|flo\.uri\.sh/visualisation/\d+|"
    r"google\.com/maps/(?:d/)?embed\?.+|maps\.google\.[a-z.]+/maps\?.+|docs\.google\.com/[^?#]+(?:\?url=[^&]+)?|"
    r"drive\.google\.com/file/d/[\w-]+|calendar\.google\.com/calendar/embed\?.+|view\.officeapps\.live\.com/op/\w+\.aspx\?src=[^&]+"
    r")",
    re.IGNORECASE,
)
_DOCUMENT: Final = lazy_regex(r"\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|epub)(?:$|[?#])", re.IGNORECASE)
_FLASH: Final = lazy_regex(r"\.swf(?:$|[?#])", re.IGNORECASE)


def embedded(node: LexborNode, base: str) -> str | None:
    """The address of the embedded media; empty for advertising and widgets."""
    raw = source(node)
    if not raw or raw.startswith(("about:", "data:", "blob:", "javascript:")):
        return None
    if (player := _PLAYERS.match(raw)) is not None:
        return f"https://{player[1]}"
    address = clean(raw, base)
    if address is None or _FLASH.search(address):
        return None
    return address if node.tag not in ("iframe", "object", "embed") or _DOCUMENT.search(address) else None


def source(node: LexborNode) -> str:
    """The address of the element, or of its first source."""
    given = node.attributes
    for name in _LAZY:
        value = (given.get(name) or "").strip()
        if value and not value.startswith(("about:", "data:")):
            return value
    inner = node.css_first("source[src]") if node.tag in ("video", "audio") else None
    return (inner.attributes.get("src") or "").strip() if inner is not None else ""
