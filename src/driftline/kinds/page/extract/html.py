"""Extracts from HTML what the C parser provides cheaply, and hashes it; the whole page is built only if the hash differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
# Pictures, and what cannot be pressed beside [disabled].
_PICTURES_AND_OFF: Final = ":is(img,[aria-disabled=true],a[class~=disabled],button[class~=disabled])"
_MOST_BUTTONS: Final = 100
_LONGEST_BUTTON: Final = 100  # characters
_MOST_STATE: Final = 4_000_000  # bytes of a source in which a JSON state is looked for


class Extraction(msgspec.Struct, kw_only=True):
    """The cheap reading of an answer, with the tree for building the page."""

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
        """Whether there is no text at all."""
        return self.size == 0


def extract(source: bytes, url: str, rules: PageRules) -> Extraction:
    """Extract without judging anything, and without running a rule per line."""
    tree = LexborHTMLParser(source)
    special = head.special(tree)
    base = head.base_of(special, url)
    fields = head.fields(special, base)
    linked = [node.text() for node in special.linked_data]
    title = head.title_of(tree)
    _keep_links(special.drawn_links)
    write_drawings(special.drawings)
    spelt = spell_out(special.emoji)
    tree.strip_tags(_CODE)
    if spelt and tree.root is not None:
        tree.root.merge_text_nodes()
    write_states(tree)
    roots, texts, missing, refused = select(tree, rules)
    found = [root.text(separator=_SEPARATOR, strip=True, skip_empty=True) for root in roots]
    size = sum(map(len, found))
    if size < SHELL and not rules.select and len(source) < _MOST_STATE:
        texts = [*texts, *state_lines(source.decode())]
    parts = [*found, *texts, _GAP]
    pictures = False
    for root in roots:
        others = root.css(_PICTURES_AND_OFF)
        images = [node for node in others if node.tag == "img"]
        pictures = pictures or bool(images)
        parts += [*head.addresses(node.attributes.get("href") or "" for node in root.css("a[href]")), _GAP]
        parts += [*head.addresses(node.attributes.get("src") for node in images), _GAP]
        parts += [node.text(strip=True)[:_LONGEST_BUTTON] for node in others if node.tag != "img"][:_MOST_BUTTONS]
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


def _keep_links(links: Iterable[LexborNode]) -> None:
    """Move the links inside drawings next to them, because drawings are removed."""
    for node in links:
        drawing = node.parent
        while drawing is not None and drawing.tag != "svg":
            drawing = drawing.parent
        if drawing is not None and drawing.parent is not None:
            drawing.insert_before(node)
