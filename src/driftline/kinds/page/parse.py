"""The whole page, built when the scan says that something differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from driftline.core.money_regions import shared_sign_currency
from driftline.core.sanitize import sanitize
from driftline.core.signs import IN_PAGES
from driftline.core.structured import Thing, read_structured
from driftline.core.text import fold
from driftline.kinds.page import aside, blocks, images, links, metadata
from driftline.kinds.page.classify import classify
from driftline.kinds.page.documents import Document
from driftline.kinds.page.lines import line_marks, marks_by_nodes, settled
from driftline.kinds.page.memo import column, encode, packed
from driftline.kinds.page.narrow import rule_lines
from driftline.kinds.page.offers import offer_of, offer_within, price_candidates
from driftline.kinds.page.parsed import Image, Link, ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.scan import Scan, memo_of, passing_in
from driftline.kinds.page.shelf import Shelf
from driftline.kinds.page.walk import Walk

_STRUCTURED: Final = IN_PAGES.add(r"ld\+json|itemscope|itemprop|typeof")  # without these there is no structured data


def build(found: Scan, rules: PageRules) -> ParsedPage:
    """A ParsedPage from a scanned HTML answer."""
    passed = passing_in(found)
    walk = Walk(found.roots, found.texts, passed.ids, passed.ages)
    lines = walk.lines
    texts, places = rule_lines(lines, rules)
    known = dict(zip(column(found.memo.raw_lines), column(found.memo.lines), strict=True))
    own, several = marks_by_nodes(lines, found.marks, known, literal=rules.literal)
    marks = line_marks(texts, literal=rules.literal) if rules.by_lines else own if rules.literal else settled(own)
    all_links = list(links.read(walk, found.base))
    all_images = list(images.read(walk, found.base))
    head, things = _head(found)
    sections = blocks.read(found.roots, walk, own, found.base)
    candidates = price_candidates(texts)
    body = found.tree.body
    for_sale = candidates or "roduct" in found.source  # what is sold out may have lost its price
    shelf = Shelf(body, walk.passing, title=found.title) if for_sale and not rules.select else Shelf()
    title = f"{found.title} {shelf.heading}" if things else ""  # by which a page's own product is known
    classification = classify(things, head, title, blocks=sections, texts=texts, shelf=shelf)
    html = found.tree.root
    language = fold((html.attributes.get("lang") if html is not None else None) or "")[:35]
    hint = shared_sign_currency(language, found.url)
    offer = offer_of(things, head, shelf, classification, title=title, candidates=candidates, hint=hint)
    return ParsedPage(
        url=found.url,
        title=sanitize(found.title),
        description=sanitize(head.get("description") or head.get("og:description") or ""),
        language=language,
        text=sanitize("\n".join(texts)),
        marks=packed(marks),
        places=packed(places),
        paths=walk.names(),
        blocks=sections,
        images=_pictures([image for _, image in all_images if image], head),
        aside=aside.entries(passed, found.base),
        links=_once([link for _, link in all_links if link]),
        metadata={} if rules.select else {key: sanitize(value) for key, value in head.items()},
        price_candidates=candidates,
        offer=offer_within(offer, texts) if rules.select else offer,
        classification=classification,
        literal=rules.literal,
        missing=found.missing,
        signature=found.signature,
        memo=encode(
            memo_of(found, rules, lines.node_places, [at for at, _ in all_links], [at for at, _ in all_images], several, head)
        ),
    )


def _head(found: Scan) -> tuple[dict[str, str], Sequence[Thing]]:
    """Metadata and structured data, read from the source where the scan, which took scripts and clutter out, did not."""
    head, things = found.head, found.things
    if things is None and (head is None or _STRUCTURED in IN_PAGES.found_in(found.tree.raw_html)):
        whole = LexborHTMLParser(found.source)
        things = read_structured(whole)
        head = metadata.read(whole, things, found.base) if head is None else head
    return head or {}, things or ()


def build_document(document: Document, url: str, rules: PageRules, signature: bytes) -> ParsedPage:
    """A ParsedPage from an answer that is no HTML."""
    texts, places = rule_lines(document.lines, rules)
    return ParsedPage(
        url=url,
        format=document.format,
        title=sanitize(document.title),
        text=sanitize("\n".join(texts)),
        marks=packed(line_marks(texts, literal=rules.literal)),
        places=packed(places),
        literal=rules.literal,
        truncated=document.truncated,
        missing=document.missing,
        signature=signature,
    )


def _once(found: list[Link]) -> tuple[Link, ...]:
    """Each address once, where it stands first; content wins over navigation."""
    kept: dict[str, Link] = {}
    for link in found:
        known = kept.get(link.url)
        if known is None or (known.role != "content" and link.role == "content"):
            kept[link.url] = link
    return tuple(kept.values())


def _pictures(found: list[Image], head: dict[str, str]) -> tuple[Image, ...]:
    """Each picture once, the one that the page itself names first; one that is described in several ways says nothing."""
    kept: dict[str, Image] = {}
    for image in found:
        known = kept.setdefault(image.url, image)
        if known.alt != image.alt:
            kept[image.url] = Image(image.url, "", known.place)
    ordered = list(kept.values())
    hero = head.get("og:image") or head.get("twitter:image")
    if hero in kept:
        ordered.sort(key=lambda image: image.url != hero)
    return tuple(ordered)
