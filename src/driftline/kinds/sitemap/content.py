"""Reads an article's own page: title, authors, and a fingerprint of its normalized text."""

from __future__ import annotations

from typing import Final

import msgspec
from selectolax.lexbor import LexborHTMLParser

from driftline.core.identity.fingerprint import fingerprint
from driftline.core.markup.boilerplate import remove_boilerplate
from driftline.core.markup.depth import too_deep
from driftline.core.noise.line_noise import without_line_noise
from driftline.core.select.selectors import parse_selector, pick
from driftline.core.text.charset import with_utf8
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadFile

_NOT_ARTICLE: Final = (
    "script, style, template, noscript, svg, iframe, form, nav, header, footer, aside, [role=navigation], [aria-hidden=true]"
)
_MAIN: Final = ("article", "main", "[role=main]", "body")
_MIN_CHARACTERS: Final = 200  # of a container that counts as the article
_TITLES: Final = ('meta[property="og:title"]', 'meta[name="twitter:title"]')
_AUTHORS: Final = ('meta[name="author"]', 'meta[property="article:author"]')
_PUBLISHED: Final = ('meta[property="article:published_time"]', 'meta[name="date"]', 'meta[itemprop="datePublished"]')


class ArticlePage(msgspec.Struct, frozen=True, kw_only=True):
    """The content of an article's page."""

    title: str
    authors: tuple[str, ...]
    published: str | None
    text: str  # the article, one line per paragraph
    content: str  # fingerprint of the text without noise, hex


def read_page(body: bytes, content_type: str = "") -> ArticlePage:
    """The article on a page; raises BadFile if there is no text or the page nests too deeply."""
    source, utf8 = with_utf8(body, content_type)
    if too_deep(utf8):
        raise BadFile("the article's page is nested too deeply")
    tree = LexborHTMLParser(source)
    title = _meta(tree, _TITLES) or _text(tree, "h1") or _text(tree, "title")
    author = _meta(tree, _AUTHORS)
    published = _meta(tree, _PUBLISHED)
    remove_boilerplate(tree)
    lines = _article_lines(tree)
    if not lines:
        raise BadFile("the article's page has no text")
    return ArticlePage(
        title=title[:500],
        authors=(author[:200],) if author else (),
        published=published[:64] or None,
        text="\n".join(lines),
        content=fingerprint(line.encode() for line in without_line_noise(lines)).hex(),
    )


def _article_lines(tree: LexborHTMLParser) -> list[str]:
    for node in reversed(tree.css(_NOT_ARTICLE)):  # inner ones first, so that no removed node is used
        node.decompose()
    best: list[str] = []
    for selector in _MAIN:
        for node in pick(tree, [parse_selector(selector)]).nodes:  # none inside another
            text = sanitize(node.text(separator="\n"))
            lines = [line for line in map(fold, text.split("\n")) if line]
            if sum(map(len, lines)) > sum(map(len, best)):
                best = lines
        if sum(map(len, best)) >= _MIN_CHARACTERS:
            break
    return best


def _meta(tree: LexborHTMLParser, selectors: tuple[str, ...]) -> str:
    for selector in selectors:
        node = tree.css_first(selector)
        content = fold(sanitize(node.attributes.get("content") or "")) if node else ""
        if content:
            return content
    return ""


def _text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return fold(sanitize(node.text())) if node else ""
