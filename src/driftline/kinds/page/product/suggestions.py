"""What on a product page is about other products: suggestions below it, the head, the foot and the columns."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.lexicon import any_of
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex

_HEADS: Final = "h2,h3,h4,strong,[role=heading]"
_FRAME: Final = "header,footer,nav,aside"
_LONGEST: Final = 70  # characters of a heading
_SUGGESTS: Final = lazy_regex(
    lambda: rf"{any_of('related.phrase')}|(?:{any_of('related.more')})\s.{{0,30}}(?:{any_of('related.seller')})"
)


def announces(said: str) -> bool:
    """Whether a heading announces other products or pages."""
    low = said.lower().strip(" :…")
    return len(low) <= _LONGEST and _SUGGESTS.search(low) is not None


def of_others(root: LexborNode, heading: LexborNode) -> frozenset[int]:
    """The parts of a page, by memory id, that are not about the product that its heading names."""
    frame = {node.mem_id for node in root.css(_FRAME) if not _holds(node, heading)}
    return frozenset(frame | suggested(root, heading))


def suggested(root: LexborNode, heading: LexborNode) -> set[int]:
    """What holds a heading that announces other products, or follows it."""
    found: set[int] = set()
    for announcing in root.css(_HEADS):
        if announcing.mem_id in found or not announces(fold(announcing.text()[: 4 * _LONGEST])):
            continue
        head, holder = announcing, announcing.parent
        alone = holder is not None and len(fold(head.text())) == len(fold(holder.text()))
        if head.tag == "strong" and not alone:
            continue  # a word in a text
        if alone and holder is not None and holder.tag == "div" and holder.parent is not None:
            head, holder = holder, holder.parent  # <div class="title"><strong>Related</strong></div>
        if holder is not None and not _holds(holder, heading):
            found.add(holder.mem_id)
        following = head.next
        while following is not None and following.mem_id not in found:
            found.add(following.mem_id)
            following = following.next
    return found


def _holds(node: LexborNode, inner: LexborNode) -> bool:
    parent = inner.parent
    while parent is not None:
        if parent.mem_id == node.mem_id:
            return True
        parent = parent.parent
    return False
