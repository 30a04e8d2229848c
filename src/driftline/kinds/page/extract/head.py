"""What a page says about itself outside its text: title, base, fields of its head, linked data; raw, as the markup has it."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.identity.urls import clean
from driftline.core.markup.embedded_media import embedded
from driftline.core.text.folding import fold

# Real pages put request ids, traces and tokens into <meta>; a key is compared when it stands here.
KEYS: Final = frozenset(
    (
        "description keywords author robots og:type "
        "og:title og:description og:image og:price:amount og:price:currency og:availability "
        "product:price:amount product:price:currency product:availability product:condition product:brand "
        "product:sale_price:amount product:sale_price:currency article:published_time article:author article:expiration_time "
        "event:start_time event:end_time event:location citation_title citation_author dc.title dc.creator dc.description"
    ).split()
)
EMBEDDED: Final = "embedded"  # the key of the players and documents that a page shows
CANONICAL: Final = "canonical"
_LONGEST: Final = 10_000  # characters of a field: some write a whole dictionary into their keywords
_SHOWN: Final = "iframe[src],video,audio,embed,object"
_LINKED: Final = 'script[type*="ld+json" i]'


def fields(tree: LexborHTMLParser, base: str) -> dict[str, str]:
    """The content keys of the head with their values; the first of a repeated one."""
    found: dict[str, str] = {}
    canonical = tree.css_first("link[rel=canonical][href]")
    if canonical is not None and (url := clean(canonical.attributes.get("href") or "", base)):
        found[CANONICAL] = url
    for node in tree.css("meta[content]:is([name],[property])"):
        given = node.attributes
        key = (given.get("property") or given.get("name") or "").strip().lower()
        if key in KEYS and (value := fold((given.get("content") or "")[:_LONGEST])):
            found.setdefault(key, value)
    if "og:description" in found:
        found.setdefault("description", found["og:description"])
    if "og:image" in found:
        found["og:image"] = clean(found["og:image"], base) or found["og:image"]
    return found


def linked_data(tree: LexborHTMLParser) -> list[str]:
    """JSON-LD, as it stands."""
    return [node.text() for node in tree.css(_LINKED)]


def embeds(tree: LexborHTMLParser, base: str) -> list[str]:
    """The addresses of players and documents that the page shows."""
    return sorted({address for node in tree.css(_SHOWN) if (address := embedded(node, base))})


def title_of(tree: LexborHTMLParser) -> str:
    """The document's title, else its first heading."""
    head = tree.head
    node = head.css_first("title") if head is not None else None
    title = fold(node.text()) if node is not None else ""
    if not title and (heading := tree.css_first("h1")) is not None:
        title = fold(heading.text())
    return title


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """What relative addresses start from: <base href> where it makes sense, else the page's own address."""
    node = tree.head.css_first("base[href]") if tree.head is not None else None
    return clean(node.attributes.get("href") or "", url) or url if node is not None else url


def language_of(tree: LexborHTMLParser) -> str:
    """As the page declares it."""
    html = tree.root
    return fold((html.attributes.get("lang") if html is not None else None) or "")[:35]


def addresses(root: LexborNode, selector: str, name: str) -> list[str]:
    """The addresses of elements up to their query, which is where tokens and versions stand, or the place on a page."""
    found = [node.attributes.get(name) or "" for node in root.css(selector)]
    return [one if "#/" in one or "#!" in one else one.partition("#")[0].partition("?")[0] for one in found]
