"""The page's metadata: title, base address, fields of the head and linked data, unprocessed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.identity.urls import clean
from driftline.core.markup import emoji
from driftline.core.markup.embedded_media import embedded
from driftline.core.text.folding import fold
from driftline.kinds.page.extract import states

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
_SHOWN: Final = "iframe video audio embed object".split()
# All that is looked for by itself, in one pass over the elements: each query of its own takes as long as to read the text.
_SPECIAL: Final = (
    ':is(meta[content],link[rel=canonical][href],base[href],script[type*="ld+json" i],iframe[src],video,audio,embed,object,'
    f"svg a,{states.DRAWINGS},{emoji.SELECTOR})"
)


class Special(NamedTuple):
    """Elements that stand for more than their text, by what they are."""

    base: Sequence[LexborNode]
    meta: Sequence[LexborNode]
    canonical: Sequence[LexborNode]
    linked_data: Sequence[LexborNode]
    shown: Sequence[LexborNode]  # players and documents
    drawn_links: Sequence[LexborNode]  # inside of drawings
    drawings: Sequence[LexborNode]
    emoji: Sequence[LexborNode]


def special(tree: LexborHTMLParser) -> Special:
    """The special elements of a page that has not been changed yet."""
    found: dict[str, list[LexborNode]] = defaultdict(list)
    for node in tree.css(_SPECIAL):
        found[node.tag or ""].append(node)
    shown = [node for tag in _SHOWN for node in found[tag]]
    return Special(found["base"], found["meta"], found["link"], found["script"], shown, found["a"], found["svg"], found["img"])


def fields(found: Special, base: str) -> dict[str, str]:
    """The content keys of the head with their values; the first of a repeated one."""
    values: dict[str, str] = {}
    if found.canonical and (url := clean(found.canonical[0].attributes.get("href") or "", base)):
        values[CANONICAL] = url
    for node in found.meta:
        given = node.attributes
        key = (given.get("property") or given.get("name") or "").strip().lower()
        if key in KEYS and (value := fold((given.get("content") or "")[:_LONGEST])):
            values.setdefault(key, value)
    if "og:description" in values:
        values.setdefault("description", values["og:description"])
    if "og:image" in values:
        values["og:image"] = clean(values["og:image"], base) or values["og:image"]
    if shown := {address for node in found.shown if (address := embedded(node, base))}:
        values[EMBEDDED] = " | ".join(sorted(shown))
    return values


def title_of(tree: LexborHTMLParser) -> str:
    """The document's title, else its first heading."""
    head = tree.head
    node = head.css_first("title") if head is not None else None
    title = fold(node.text()) if node is not None else ""
    if not title and (heading := tree.css_first("h1")) is not None:
        title = fold(heading.text())
    return title


def base_of(found: Special, url: str) -> str:
    """What relative addresses start from: <base href> where it makes sense, else the page's own address."""
    return clean(found.base[0].attributes.get("href") or "", url) or url if found.base else url


def language_of(tree: LexborHTMLParser) -> str:
    """As the page declares it."""
    html = tree.root
    return fold((html.attributes.get("lang") if html is not None else None) or "")[:35]


def addresses(found: Iterable[str | None]) -> list[str]:
    """Addresses up to their query, which is where tokens and versions stand, or the place on a page."""
    return [one if "#/" in one or "#!" in one else one.partition("#")[0].partition("?")[0] for one in found if one is not None]
