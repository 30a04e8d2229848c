"""HTML -> what is compared: first what C gives and its hash; the page itself only where that hash differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.identity.fingerprint import fingerprint
from driftline.core.markup.emoji import spell_out
from driftline.kinds.page.extract import head
from driftline.kinds.page.extract.embedded_state import state_lines
from driftline.kinds.page.extract.selection import select
from driftline.kinds.page.extract.states import write_drawings, write_states
from driftline.kinds.page.rules import PageRules

SHELL: Final = 200  # characters; a page with less text may keep it in a JSON state
_SEPARATOR: Final = "\x00"  # never in parsed text: the parser drops it
_GAP: Final = "\x01"  # between lists that are hashed together
_CODE: Final = ["script", "style", "noscript", "template", "svg", "iframe", "object"]
_OFF: Final = "[aria-disabled=true],a[class~=disabled],button[class~=disabled]"  # what cannot be pressed, beside [disabled]
_MOST_BUTTONS: Final = 100
_LONGEST_BUTTON: Final = 100  # characters
_HEADING_LINKS: Final = ':is(h1,h2,h3,h4,h5,h6) a[href^="#"]'
_MOST_STATE: Final = 4_000_000  # bytes of a source in which a JSON state is looked for


class Extraction(msgspec.Struct, kw_only=True):
    """What an answer holds, as far as C can tell; the tree is kept for the page, should somebody ask for it."""

    url: str
    base: str  # what relative addresses start from
    tree: LexborHTMLParser
    roots: Sequence[LexborNode]
    title: str
    head: dict[str, str]  # content fields, raw
    linked_data: Sequence[str]  # JSON-LD as it stands
    texts: Sequence[str] = ()  # lines without an element: selected by an expression, or of a JSON state
    missing: tuple[str, ...] = ()
    refused: str = ""  # why the watch's selectors were not asked on this page
    size: int = 0  # characters of its text
    pictures: bool = False  # it shows some
    signature: bytes = b""

    @property
    def empty(self) -> bool:
        """No text at all."""
        return self.size == 0


def extract(source: bytes, url: str, rules: PageRules) -> Extraction:
    """Nothing is judged here, and no rule runs on a line because it is there."""
    tree = LexborHTMLParser(source)
    base = head.base_of(tree, url)
    fields = head.fields(tree, base)
    linked = head.linked_data(tree)
    title = head.title_of(tree)
    if shown := head.embeds(tree, base):
        fields[head.EMBEDDED] = " | ".join(shown)
    _keep_links(tree)
    write_drawings(tree)
    tree.strip_tags(_CODE)
    spell_out(tree)
    _drop_anchors(tree)
    write_states(tree)
    roots, texts, missing, refused = select(tree, rules)
    found = [root.text(separator=_SEPARATOR, strip=True, skip_empty=True) for root in roots]
    size = sum(map(len, found))
    if size < SHELL and not rules.select and len(source) < _MOST_STATE:
        texts = [*texts, *state_lines(source.decode())]
    parts = [*found, *texts, _GAP]
    pictures = False
    for root in roots:
        images = head.addresses(root, "img[src]", "src")
        pictures = pictures or bool(images) or root.css_first("img") is not None
        parts += [*head.addresses(root, "a[href]", "href"), _GAP, *images, _GAP]
        parts += [node.text(strip=True)[:_LONGEST_BUTTON] for node in root.css(_OFF)[:_MOST_BUTTONS]]
    if not rules.select:
        parts += [title, *(part for pair in sorted(fields.items()) for part in pair), *sorted(linked)]
    return Extraction(
        url=url,
        base=base,
        tree=tree,
        roots=roots,
        title=title,
        head=fields,
        linked_data=linked,
        texts=texts,
        missing=missing,
        refused=refused,
        size=size + sum(map(len, texts)),
        pictures=pictures,
        signature=fingerprint(part.encode("utf-8", "replace") for part in parts),
    )


def _keep_links(tree: LexborHTMLParser) -> None:
    """Links of drawings stand beside them: the drawing goes, where it leads stays."""
    for node in tree.css("svg a"):
        drawing = node.parent
        while drawing is not None and drawing.tag != "svg":
            drawing = drawing.parent
        if drawing is not None and drawing.parent is not None:
            drawing.insert_before(node)


def _drop_anchors(tree: LexborHTMLParser) -> None:
    """Signs beside headings that lead to them are chosen by a theme, and no part of the heading."""
    for node in tree.css(_HEADING_LINKS):
        if not any(map(str.isalnum, node.text() or "")) and node.css_first("img") is None:
            node.decompose()
