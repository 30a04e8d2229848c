"""The quick look at an answer: enough to say that nothing changed, which is how most runs end.

The C side walks the tree; here are only hashes of text nodes, links, images and head sources. What the memo of the latest
snapshot
knows is not looked at again, so that the noise rules run on new text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Final, Literal

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode
from xxhash import xxh3_64_intdigest

from driftline.core.clutter import take_out
from driftline.core.emoji import spell_out
from driftline.core.fingerprint import digest, fingerprint
from driftline.core.inputs import write_out
from driftline.core.passing import Passing, passing
from driftline.core.states import write_states
from driftline.core.structured import Thing, read_structured
from driftline.core.text import fold
from driftline.kinds.page import aside, images, links, metadata
from driftline.kinds.page.lines import NOISY, calm_title, line_marks, literal_mark, mark, settled
from driftline.kinds.page.memo import Memo, column, packed
from driftline.kinds.page.narrow import narrowed, rule_lines
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.state import SHELL, state_lines
from driftline.kinds.page.stretches import Stretch, stretches_of
from driftline.kinds.page.walk import BLANK, Walk

SEPARATOR: Final = "\x00"  # never in parsed text: the parser drops it
_MOST_ADDRESSES: Final = 300  # links that a memo keeps in words, and as many pictures
# A query, a numbered server, or a part between slashes that somebody may have made up on the spot.
_MAY_VARY: Final = re.compile(r"\?|//[a-z.-]{0,30}\d|/(?=[^/]{0,40}\d)[\w.~%+=-]{6,}(?=/|$)")


class Scan(msgspec.Struct, kw_only=True):
    """What the quick look found; the tree is kept for the full page, should somebody ask for it."""

    url: str
    base: str
    source: str
    tree: LexborHTMLParser
    roots: list[LexborNode]
    title: str
    head: dict[str, str] | None  # metadata, where it was read or remembered
    things: list[Thing] | None  # structured data, where it was read
    texts: Sequence[str]  # selected without an element
    nodes: list[bytes]  # text nodes that are not blank
    raw: list[int]
    marks: list[int]  # canonical, before neighbours were looked at
    settled: list[int]
    hrefs: list[str]
    raw_links: list[int]
    links: list[int]
    raw_images: list[int]
    images: list[int]
    raw_data: bytes
    data: bytes
    missing: tuple[str, ...] = ()
    state: bool = False  # the text is in a JSON state
    refused: str = ""  # why the watch's selectors were not asked on this page
    memo: Memo  # that the reading started from
    signature: bytes = b""
    passing: Passing | None = None  # what passes by itself, once somebody asked

    @property
    def title_hash(self) -> bytes:
        """Of the title, blind to case and noise."""
        return digest(calm_title(self.title).encode("utf-8", "replace"))

    @property
    def empty(self) -> bool:
        """No text at all."""
        return not any(self.marks)


def scan(source: str, url: str, rules: PageRules, memo: Memo) -> Scan:
    """Look at an HTML source. The result does not depend on the memo, only its price does."""
    tree = LexborHTMLParser(source)
    base = metadata.base_of(tree, url)
    base_hash = digest(base.encode())
    raw_sources = metadata.sources(tree)
    raw_data = fingerprint(text.encode("utf-8", "replace") for text in raw_sources)
    head: dict[str, str] | None = None
    things: list[Thing] | None = None
    if raw_data == memo.raw_data and base_hash == memo.base:
        data, head = memo.data, memo.head
    else:
        things = read_structured(tree)
        head = metadata.read(tree, things, base)
        data = fingerprint(part.encode("utf-8", "replace") for pair in metadata.told(head) for part in pair)
    take_out(tree)
    write_out(tree)
    write_states(tree)
    spell_out(tree)
    title = metadata.title_of(tree)
    roots, texts, missing, refused = narrowed(tree, rules)
    text = SEPARATOR.join([*(found for root in roots if (found := root.text(separator=SEPARATOR, skip_empty=True))), *texts])
    state = len(text) < SHELL and not rules.select
    if state:
        texts = [*texts, *state_lines(source)]
        text = SEPARATOR.join([text, *texts] if text else texts)
    nodes = text.encode("utf-8", "replace").split(b"\x00") if text else []
    raw = list(map(xxh3_64_intdigest, nodes))
    marks = _marks(raw, nodes, memo.raw, memo.marks, _literal if rules.literal else _canonical)
    calm = marks if rules.literal else settled(marks)
    hrefs = [href for root in roots for href in links.hrefs(root)]
    raw_links = _hashes(hrefs)
    same_base = base_hash == memo.base
    link_marks = _marks(raw_links, hrefs, memo.raw_links if same_base else b"", memo.links, lambda href: links.mark(href, base))
    pictures = [picture for root in roots for picture in images.nodes(root)]
    raw_images = _hashes([picture.html or "" for picture in pictures])
    image_marks = _marks(
        raw_images, pictures, memo.raw_images if same_base else b"", memo.images, lambda picture: images.mark(picture, base)
    )
    looked = Scan(
        url=url,
        base=base,
        source=source,
        tree=tree,
        roots=roots,
        title=title,
        head=head,
        things=things,
        texts=texts,
        nodes=nodes,
        raw=raw,
        marks=marks,
        settled=calm,
        hrefs=hrefs,
        raw_links=raw_links,
        links=link_marks,
        raw_images=raw_images,
        images=image_marks,
        raw_data=raw_data,
        data=data,
        missing=missing,
        state=state,
        refused=refused,
        memo=memo,
        passing=Passing() if rules.select else None,
    )
    looked.signature = _signature(looked, rules)
    return looked


def passing_in(found: Scan) -> Passing:
    """The parts that pass by themselves; none where something was selected."""
    if found.passing is None:
        found.passing = passing(found.tree)
    return found.passing


def lasting(found: Scan, rules: PageRules) -> bytes:
    """The signature without what passes by itself; empty where nothing does."""
    gone = passing_in(found).ids
    if not gone or rules.by_lines:
        return b""
    stays = [
        node.mem_id not in gone
        for root in found.roots
        for node in root.traverse(include_text=True)
        if node.is_text_node and (node.text_content or "").strip(BLANK)
    ]
    stays += [True] * len(found.texts)
    if len(stays) != len(found.marks):
        return b""
    text = list(compress(found.marks, stays))
    hrefs = [mark_of for mark_of, node in zip(found.links, _all(found.roots, links.nodes), strict=True) if node not in gone]
    pictures = [
        mark_of for mark_of, node in zip(found.images, _all(found.roots, images.nodes), strict=True) if node not in gone
    ]
    return _signed(found, rules, text if rules.literal else settled(text), hrefs, pictures)


def aside_marks(found: Scan) -> dict[int, int]:
    """Hashes of the addresses in lists of other pages, with those of what they say."""
    listed = aside.entries(passing_in(found), found.base).items()
    return {xxh3_64_intdigest(url.encode("utf-8", "replace")): mark(text) for url, text in listed}


def is_passing(found: Scan, rules: PageRules) -> bool:
    """Whether nothing but parts that pass differs from the page that left the memo, and no entry in them was rewritten."""
    memo = found.memo
    if not memo.lasting or lasting(found, rules) != memo.lasting:
        return False
    old = dict(zip(column(memo.aside), column(memo.aside_texts), strict=True))
    told = set(old.values())
    return all(old[url] == text if url in old else text not in told for url, text in aside_marks(found).items())


def _all(roots: Sequence[LexborNode], nodes: Callable[[LexborNode], list[LexborNode]]) -> list[int]:
    """The ids of all elements of a sort."""
    return [node.mem_id for root in roots for node in nodes(root)]


def memo_of(
    found: Scan,
    rules: PageRules,
    node_places: Sequence[int],
    link_places: Sequence[int],
    image_places: Sequence[int],
    several: Mapping[int, int],
    head: dict[str, str],
) -> Memo:
    """What this reading leaves for the next."""
    listed = aside_marks(found)
    return Memo(
        base=digest(found.base.encode()),
        raw=packed(found.raw),
        marks=packed(found.marks),
        places=packed(node_places),
        raw_links=packed(found.raw_links),
        links=packed(found.links),
        link_places=packed(link_places),
        raw_images=packed(found.raw_images),
        images=packed(found.images),
        image_places=packed(image_places),
        raw_data=found.raw_data,
        data=found.data,
        head=head,
        title=found.title_hash,
        lasting=lasting(found, rules),
        aside=packed(listed),
        aside_texts=packed(listed.values()),
        raw_lines=packed(several),
        lines=packed(several.values()),
        addresses=_addresses(found),
        address=digest(found.url.encode("utf-8", "replace")),
        stretches=_stretches(found, rules),
    )


def _stretches(found: Scan, rules: PageRules) -> tuple[Stretch, ...]:
    """What lets the next answer be recognised by its source; nothing where rules may look at what pieces leave out."""
    if rules.select or rules.remove or found.state:
        return ()
    noisy = {node for node, mark_of in zip(found.nodes, found.marks, strict=True) if mark_of & NOISY}
    return stretches_of(found.source, found.url, noisy)


def _addresses(found: Scan) -> dict[str, str]:
    """The addresses of links and pictures that may vary: masks for a varying part have to see what stood there."""
    shown: dict[str, str] = {}
    for mark_of, href in zip(found.links, found.hrefs, strict=True):
        if mark_of and len(shown) < _MOST_ADDRESSES and _MAY_VARY.search(href):
            shown[f"{mark_of:016x}"] = links.address(href, found.base) or ""
    # A picture's mark says all: those of before are in the memo, or cannot vary.
    known = found.memo.addresses
    old = set(column(found.memo.images)) if len(known) < _MOST_ADDRESSES else set()
    fresh = _pictures(found) if not old.issuperset(found.images) else ()
    for index, mark_of in enumerate(found.images):
        if not mark_of or len(shown) >= 2 * _MOST_ADDRESSES:
            continue
        said = known.get(f"{mark_of:016x}", "") if mark_of in old else images.told(fresh[index], found.base)
        if said and _MAY_VARY.search(said):
            shown[f"{mark_of:016x}"] = said
    return shown


def address_of(found: Scan, part: Literal["link", "image"], index: int) -> str:
    """What a link points to, or a picture's address and description, by its number."""
    if part == "link":
        return links.address(found.hrefs[index], found.base) or ""
    return images.told(_pictures(found)[index], found.base)


def _pictures(found: Scan) -> list[LexborNode]:
    return [picture for root in found.roots for picture in images.nodes(root)]


def _signature(found: Scan, rules: PageRules) -> bytes:
    text = found.settled
    if rules.by_lines:
        text = line_marks(rule_lines(Walk(found.roots, found.texts).lines, rules)[0], literal=rules.literal)
    return _signed(found, rules, text, found.links, found.images)


def _signed(found: Scan, rules: PageRules, text: Iterable[int], hrefs: Iterable[int], pictures: Iterable[int]) -> bytes:
    """Text in order; links and images as sets; title blind to case; head only where nothing was selected."""
    parts = [packed(filter(None, text)), packed(sorted(set(hrefs) - {0})), packed(sorted(set(pictures) - {0}))]
    if not rules.select:
        parts += (found.title_hash, found.data)
    return b"".join(map(digest, parts))


def _marks(
    raw: list[int],
    texts: Sequence[bytes] | Sequence[str] | Sequence[LexborNode],
    known_raw: bytes,
    known_marks: bytes,
    make: Callable[..., int],
) -> list[int]:
    """The mark of each text, remembered or made."""
    known = dict(zip(column(known_raw), column(known_marks), strict=False)) if known_raw else {}
    found = list(map(known.get, raw))
    if None not in found:
        return found  # type: ignore[return-value]  # mypy does not follow `not in`
    for index, mark_of in enumerate(found):
        if mark_of is None:
            key = raw[index]
            made = known.get(key)
            if made is None:
                made = known[key] = make(texts[index])
            found[index] = made
    return found  # type: ignore[return-value]  # all were made


def _canonical(node: bytes) -> int:
    text = fold(node.decode("utf-8", "replace"))
    return mark(text) if text else 0


def _literal(node: bytes) -> int:
    text = fold(node.decode("utf-8", "replace"))
    return literal_mark(text) if text else 0


def _hashes(texts: Sequence[str]) -> list[int]:
    return list(map(xxh3_64_intdigest, SEPARATOR.join(texts).encode("utf-8", "replace").split(b"\x00"))) if texts else []
