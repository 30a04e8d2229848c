"""What lies above a page or is stuck to it, told by its shape: dialogs, requests for consent, sharing links, banners, badges.

Names say most of it (`passing_words`); this is for what has none, or one that nobody can know. The parser's selector is asked
only where a row's marks are in the source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from driftline.core.noise_rules import NUMBER
from driftline.core.passing_words import PAID_FOR
from driftline.core.standing import CODE, is_beside, is_within
from driftline.core.text import fold

_SMALL: Final = 400  # characters of a dialog that asks for something; a longer one has something to say
_CONSENT: Final = 700  # of a layer that asks for consent
_HIGHEST: Final = 6  # elements between a button and the layer that it closes
_MOST: Final = 1_000  # elements of one sort that are looked at
_MOST_BUTTONS: Final = 40  # of which one may close a layer
_PRESSED: Final = "button,[role=button],input[type=button],input[type=submit],a[class]"
_CLOSES: Final = re.compile(r"btn|button|accept|agree|allow|close|dismiss|consent|cookie|cc-", re.IGNORECASE)
_SENTENCE: Final = 25  # bytes of a text that speaks of cookies; a link to their policy is shorter
_COOKIES: Final = re.compile(r"cookie|куки|クッキー|쿠키|ملفات تعريف|עוגיות|evästei", re.IGNORECASE)
_PAGE: Final = frozenset(("html", "body", "main", "article"))
_NUMBER_ALONE: Final = re.compile(rf"\W{{0,3}}{NUMBER}\W{{0,3}}")
_BANNER_SIZES: Final = frozenset(
    ("728x90", "468x60", "160x600", "120x600", "300x600", "970x90", "970x250", "320x50", "320x100", "234x60", "120x60")
)
_AD_CLICK: Final = re.compile(
    r"/ad_?click|[?&]bannerid=|/adserver/|/(?:www/delivery/)?ck\.php|doubleclick\.net/|/banners?/click|/bannerclick|googleadservices\.com/",
    re.IGNORECASE,
)
_TURNING: Final = re.compile(
    r"/(?:banners?|ads?|adv|adverts?|werbung|publicidad|publicite|reklam[ay]?)/", re.IGNORECASE
)  # pictures of these
_MOST_TABLES: Final = 40
_VIEWS: Final = frozenset(
    "views view hits reads visits aufrufe zugriffe ansichten hits vues lectures vistas visitas lecturas visite letture "
    "visualizzazioni acessos visualizações weergaven gelezen wyświetlenia wyświetleń odsłony zobrazení просмотры просмотров "
    "görüntüleme görüntülenme okunma 閲覧 閲覧数 浏览 查看 조회 조회수 المشاهدات".split()
)
_SHARES: Final = (
    "facebook.com/sharer", "facebook.com/share.php", "facebook.com/dialog/share", "twitter.com/intent", "twitter.com/share",
    "x.com/intent", "linkedin.com/share", "linkedin.com/cws/share", "pinterest.com/pin/create", "plus.google.com/share",
    "reddit.com/submit", "tumblr.com/share", "t.me/share", "telegram.me/share", "api.whatsapp.com/send?text", "wa.me/?text",
    "vk.com/share", "xing.com/spi/shares", "getpocket.com/save", "service.weibo.com/share", "connect.ok.ru/offer",
    "b.hatena.ne.jp/entry", "social-plugins.line.me/lineit", "news.ycombinator.com/submitlink", "threads.net/intent",
    "bsky.app/intent",
)  # fmt: skip


class Shape(NamedTuple):
    """A part that is told by its shape."""

    reason: str
    marks: frozenset[bytes]  # of a lower-cased source; without any of them there is none
    selector: str
    is_one: Callable[[LexborNode], LexborNode | None]  # the part that passes
    most: int = _MOST


def _dialog(node: LexborNode) -> LexborNode | None:
    said = len(node.text())
    return node if said <= _SMALL and node.css_first("button,input,a") is not None and not _is_in_page(node) else None


def _consent(node: LexborNode) -> LexborNode | None:
    """The layer that asks for cookies, from what one presses to close it; none in the page's own text."""
    if (node.tag == "a" and not _CLOSES.search(node.attributes.get("class") or "")) or _is_in_page(node):
        return None
    holder = node.parent
    for _ in range(_HIGHEST):
        if holder is None or holder.tag in _PAGE or len(said := holder.text()) > _CONSENT:
            return None
        if _COOKIES.search(said):
            return holder if any(map(_speaks_of_cookies, holder.traverse(include_text=True))) else None
        holder = holder.parent
    return None


def _speaks_of_cookies(node: LexborNode) -> bool:
    over = node.parent
    if not node.is_text_node or over is None or over.tag in ("a", "button"):
        return False
    said = fold(node.text_content or "")
    return len(said.encode()) >= _SENTENCE and _COOKIES.search(said) is not None


def _sharing(node: LexborNode) -> LexborNode | None:
    href = (node.attributes.get("href") or "").lower()
    return node if any(share in href for share in _SHARES) and len(node.text()) <= _SMALL else None


def _banner(picture: LexborNode) -> LexborNode | None:
    """A link that shows nothing but a picture, of a banner's size or paid for."""
    node = picture.parent
    while node is not None and node.tag != "a":
        node = node.parent
    if node is None or fold(node.text()):
        return None
    given = picture.attributes
    size = f"{(given.get('width') or '').strip('px ')}x{(given.get('height') or '').strip('px ')}"
    paid = "sponsored" in (node.attributes.get("rel") or "").lower().split() or _AD_CLICK.search(
        node.attributes.get("href") or ""
    )
    turning = _TURNING.search(given.get("src") or "") is not None and is_beside(node)
    return node if paid or turning or size in _BANNER_SIZES else None


def _labelled(node: LexborNode) -> LexborNode | None:
    label = fold(node.attributes.get("aria-label") or "").lower()
    return node if label in PAID_FOR and len(node.text()) <= _SMALL and node.tag not in _PAGE else None


def _badge(node: LexborNode) -> LexborNode | None:
    """A number beside a sign for views, comments or likes."""
    holder = node.parent
    if holder is None or _NUMBER_ALONE.fullmatch(fold(holder.text()).lower()) is None:
        return None
    return None if is_within(node, CODE) else holder


def _newest(node: LexborNode) -> LexborNode | None:
    """Who joined last: the link that stands behind the words."""
    holder = node.parent
    while holder is not None and holder.tag in ("strong", "b", "em", "i", "span"):
        holder = holder.parent
    said = fold(holder.text())[-120:].lower() if holder is not None else ""
    name = fold(node.text()).lower()
    before = said.rpartition(name)[0].rstrip(" :") if name else ""
    return node if before.endswith(("newest member", "newest member is", "newest user", "neuestes mitglied")) else None


def is_layer(node: LexborNode) -> bool:
    """Whether an element is small, no section of a text, and stands in no page's own text."""
    section = node.tag == "section" or "section" in (node.attributes.get("class") or "").lower().split()
    return not section and len(node.text()) <= _CONSENT and not _is_in_page(node)


def _is_in_page(node: LexborNode) -> bool:
    inner = node.parent
    while inner is not None:
        if inner.tag in ("main", "article") or inner.attributes.get("role") == "main":
            return True
        inner = inner.parent
    return False


SHAPES: Final = (
    Shape(
        "a small dialog asks for something",
        frozenset((b"dialog", b"modal")),
        'dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[class~="modal"]',
        _dialog,
    ),
    Shape(
        "a layer asks for cookies",
        frozenset((b"cookie", "куки".encode(), "クッキー".encode(), "쿠키".encode())),
        _PRESSED,
        _consent,
        _MOST_BUTTONS,
    ),
    Shape("links that share count and vary", frozenset((b"shar", b"intent", b"submit", b"/pin/create")), "a[href]", _sharing),
    Shape("banners rotate", frozenset((b"<img",)), "a[href] img", _banner),
    Shape("a label says advertisement", frozenset((b"aria-label",)), "[aria-label]", _labelled),
    Shape(
        "numbers beside a sign are counters",
        frozenset((b"-eye", b"-comment", b"-heart", b"-thumbs", b"icon-view", b"icon-like")),
        '[class*="-eye"],[class*="-comment"],[class*="-heart"],[class*="-thumbs"],[class*="icon-view"],[class*="icon-like"]',
        _badge,
    ),
    Shape("who joined last", frozenset((b"newest member", b"newest user", b"neuestes mitglied")), "a[href]", _newest),
)
MARKS: Final = frozenset(mark for shape in SHAPES for mark in shape.marks)


def view_columns(body: LexborNode, source: bytes) -> Iterator[int]:
    """The ids of the texts in columns of tables that count views: boards have them beside every topic."""
    for table in body.css("table")[:_MOST_TABLES] if b"<table" in source else ():
        head, *rows = table.css("tr")[:_MOST] or (table,)
        counted = [fold(cell.text()[:_SMALL]).lower() in _VIEWS for cell in _cells(head)]
        for row in map(_cells, rows if any(counted) else ()):
            if len(row) == len(counted):
                for cell, counts in zip(row, counted, strict=True):
                    if counts and _NUMBER_ALONE.fullmatch(fold(cell.text()).lower()):
                        yield from (inner.mem_id for inner in cell.traverse(include_text=True))


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in ("td", "th")]


def layers(body: LexborNode, marks: frozenset[bytes]) -> Iterator[LexborNode]:
    """The parts of a page that lie above it or are stuck to it, by the marks that are in its source."""
    for shape in SHAPES:
        if not shape.marks.isdisjoint(marks):
            nodes = body.css(shape.selector)
            if len(nodes) > shape.most:  # layers stand first or last in a source
                nodes = [*nodes[: shape.most // 2], *nodes[-shape.most // 2 :]]
            for node in nodes:
                if (part := shape.is_one(node)) is not None:
                    yield part
