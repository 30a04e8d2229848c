"""Builds the whole page if its extraction differs from the latest snapshot: lines, entries, links, pictures, fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from driftline.core.text.folding import excerpt, fold
from driftline.core.text.safety.sanitize import sanitize, sanitize_all
from driftline.kinds.page.documents.non_html import Document
from driftline.kinds.page.extract import head, images
from driftline.kinds.page.extract.entries import find_entries
from driftline.kinds.page.extract.html import Extraction
from driftline.kinds.page.extract.linked_data import linked_fields, things_in
from driftline.kinds.page.extract.links import address
from driftline.kinds.page.extract.regions import Regions, regions
from driftline.kinds.page.extract.walk import Walk
from driftline.kinds.page.parsed import LONGEST_TITLE, Image, Link, ListEntry, ParsedPage, flags_of, packed_twos
from driftline.kinds.page.product.reading import product_of
from driftline.kinds.page.rules import PageRules

_LONGEST_LINK: Final = 80  # characters of what a link says
_MOST_LINKS: Final = 5_000
_TITLES: Final = frozenset(("title", "name", "headline", "text", "label"))
_TYPE: Final = "og:type"  # tells what a page is, and is no content of it
_TO_PEOPLE: Final = ("mailto:", "tel:")  # such a link leads to no other page
_NOT_FOR_SALE: Final = frozenset(("overlay", "advert", "navigation", "beside"))


def build(found: Extraction, rules: PageRules) -> ParsedPage:
    """The ParsedPage of an HTML answer."""
    walk = Walk(found.roots)
    where = regions(walk)
    known: dict[int, str | None] = {}

    def leads_to(number: int) -> str | None:
        if number not in known:
            given = walk.nodes[number].attributes
            known[number] = address(given.get("href") or given.get("xlink:href") or "", found.base)
        return known[number]

    entries = find_entries(walk, where.size, leads_to)
    paths: dict[str, int] = {}
    article = any(where.main)
    language = head.language_of(found.tree)
    texts = sanitize_all([*walk.texts, *found.texts])
    things = things_in(found)

    def not_for_sale() -> frozenset[int]:
        return frozenset(node.mem_id for node, region in zip(walk.nodes, where.of, strict=True) if region in _NOT_FOR_SALE)

    sold = product_of(found, rules, texts, things, not_for_sale, language=language, listed=len(entries.entries))
    if sold.others:
        _set_apart(walk, where, sold.others)
    flags, places = bytearray(), list[int]()
    owners = [entry + 1 for entry in entries.of_line]
    for holder, link, whole in zip(walk.line_holders, walk.line_links, walk.line_whole, strict=True):
        shape = walk.shapes[holder]
        linked = whole and not (leads_to(link) or "").startswith(_TO_PEOPLE)
        outside = article and not where.main[holder]
        heading = bool(shape.heading)
        flags.append(flags_of(where.of[holder], outside=outside, linked=linked, heading=heading, hidden=shape.hidden))
        places.append(paths.setdefault(shape.path, len(paths)))
    for _ in found.texts:
        flags.append(0)
        places.append(paths.setdefault("", len(paths)))
        owners.append(0)
    order = _ordered(texts, rules)
    if order is not None:
        texts = [texts[at] for at in order]
        flags = bytearray(flags[at] for at in order)
        places, owners = [places[at] for at in order], [owners[at] for at in order]
    links = tuple(_links(walk, where, entries.of_element, leads_to, paths))
    pictures = _hero_first(_images(walk, where, entries.of_element, found.base, paths), found.head.get("og:image"))
    metadata = (
        {}
        if rules.select
        else {key: sanitize(value) for key, value in (found.head | linked_fields(things)).items() if key != _TYPE}
    )
    return ParsedPage(
        url=found.url,
        title=sanitize(found.title),
        description=sanitize(found.head.get("description") or ""),
        language=language,
        text="\n".join(texts),
        places=packed_twos(places),
        flags=bytes(flags),
        entry_of=packed_twos(owners),
        paths=tuple(paths),
        entries=tuple(entries.entries),
        article=article,
        images=pictures,
        links=links,
        metadata=metadata,
        price_candidates=sold.candidates,
        offer=sold.offer,
        classification=sold.classification,
        literal=rules.literal,
        missing=found.missing,
        signature=found.signature,
    )


def _set_apart(walk: Walk, where: Regions, others: frozenset[int]) -> None:
    """What a shop suggests beside its product advertises other pages."""
    for number, node in enumerate(walk.nodes):
        parent = walk.parents[number]
        if node.mem_id in others or (parent >= 0 and where.of[parent] == "advert"):
            where.of[number] = "advert"


def build_document(found: Document, url: str, rules: PageRules, signature: bytes) -> ParsedPage:
    """A ParsedPage from an answer that is no HTML: values instead of lines, entries of lists by their key."""
    texts = sanitize_all(found.lines.texts)
    paths: dict[str, int] = {}
    keys: dict[str, int] = {}
    places = [paths.setdefault(path, len(paths)) for path in found.lines.paths]
    owners = [keys.setdefault(key, len(keys)) + 1 if key else 0 for key in found.lines.entries]
    titles: dict[int, tuple[int, str]] = {}
    depths: dict[str, int | None] = {}
    for text, owner in zip(texts, owners, strict=True) if found.format != "table" else ():  # a row is no named value
        if not owner:
            continue
        name, _, value = text.partition(": ")
        depth = depths[name] if name in depths else depths.setdefault(name, _depth_of_title(name))
        if depth is not None and value and (owner not in titles or depth < titles[owner][0]):
            titles[owner] = (depth, value)
    heading = flags_of("content", outside=False, linked=False, heading=True, hidden=False)
    flags = [heading if number in found.lines.headings else 0 for number in range(len(texts))] if found.lines.headings else []
    order = _ordered(texts, rules)
    if order is not None:
        flags = [flags[at] for at in order] if flags else []
        texts, places, owners = [texts[at] for at in order], [places[at] for at in order], [owners[at] for at in order]
    named = list(keys)
    if found.format != "table":
        named = [titles[number][1] if number in titles else key.partition("=")[2] or key for number, key in enumerate(keys, 1)]
    entries = tuple(
        ListEntry(key, title if len(title) <= LONGEST_TITLE else excerpt(title, LONGEST_TITLE), linked=True)
        for key, title in zip(sanitize_all(list(keys)), named, strict=True)
    )
    return ParsedPage(
        url=url,
        format=found.format,
        title=sanitize(found.title),
        text="\n".join(texts),
        places=packed_twos(places),
        flags=bytes(flags),
        entry_of=packed_twos(owners),
        paths=tuple(paths),
        entries=entries,
        document=found.type,
        literal=rules.literal or found.format == "table",
        truncated=found.truncated,
        missing=found.missing,
        signature=signature,
    )


def _depth_of_title(name: str) -> int | None:
    """How deep in its entry a value lies that is called like a title: its own comes before that of a part; None: no title."""
    called = name.rpartition(".")[2].rpartition("[]")[2].lower()
    return name.count(".") + name.count("[]") if called in _TITLES else None


def _ordered(texts: list[str], rules: PageRules) -> list[int] | None:
    """The numbers of the lines that are left, in their order, where the watch wants them sorted or once each."""
    if not (rules.sort_lines or rules.unique_lines):
        return None
    order = (
        list({texts[at]: at for at in range(len(texts) - 1, -1, -1)}.values())
        if rules.unique_lines
        else list(range(len(texts)))
    )
    return sorted(order, key=lambda at: texts[at]) if rules.sort_lines else sorted(order)


def _links(
    walk: Walk,
    where: Regions,
    entry_of: Sequence[int],
    leads_to: Callable[[int], str | None],
    paths: dict[str, int],
) -> Iterable[Link]:
    """Each address once, where it stands first; content wins over navigation."""
    article = any(where.main)
    kept: dict[str, Link] = {}
    for number in walk.links[:_MOST_LINKS]:
        url = leads_to(number)
        if url is None:
            continue
        seen = kept.get(url)
        if seen is not None and (seen.region == "content" or where.of[number] != "content"):
            continue
        node, shape = walk.nodes[number], walk.shapes[number]
        said = fold(node.text(separator=" ")) or fold(node.attributes.get("aria-label") or node.attributes.get("title") or "")
        place = paths.setdefault(shape.path, len(paths))
        outside = article and not where.main[number]
        kept[url] = Link(
            sanitize(url), sanitize(excerpt(said, _LONGEST_LINK)), where.of[number], place, entry_of[number], outside
        )
    return kept.values()


def _images(walk: Walk, where: Regions, entry_of: Sequence[int], base: str, paths: dict[str, int]) -> list[Image]:
    article = any(where.main)
    kept: dict[str, Image] = {}
    for number in walk.images:
        given = walk.nodes[number].attributes
        url = images.address(images.source_of(given), base)
        if url is None or (key := images.picture_key(url)) in kept:
            continue
        place = paths.setdefault(walk.shapes[number].path, len(paths))
        outside = article and not where.main[number]
        kept[key] = Image(
            sanitize(url), sanitize(fold(given.get("alt") or "")), where.of[number], place, entry_of[number], outside
        )
    return list(kept.values())


def _hero_first(found: list[Image], named: str | None) -> tuple[Image, ...]:
    """The pictures, with the page's own main picture first."""
    hero = images.picture_key(named) if named else None
    return tuple(sorted(found, key=lambda image: images.picture_key(image.url) != hero) if hero else found)
