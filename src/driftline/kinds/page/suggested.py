"""What on a product page is about other products: suggestions below it, the head, the foot and the columns."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.later import later
from driftline.core.passing_words import HEADINGS
from driftline.core.text import fold

_HEADS: Final = "h2,h3,h4,strong,[role=heading]"
_FRAME: Final = "header,footer,nav,aside"
_LONGEST: Final = 70  # characters of a heading
_SUGGESTS: Final = later(
    r"related|similar|also (?:like|liked|bought|viewed|purchased|consider)|(?:may|might) (?:also )?(?:like|love|need)|"
    r"recommend|frequently bought|bought together|pairs? (?:well|nicely|with)|complete the|shop the look|recently viewed|"
    r"more from|customers who|best ?sellers|compare with|ähnlich|"
    r"passend|zubehör|kunden|empfehl|zuletzt angesehen|dazu passt|das könnte|similaires|aussi aim|vous aimerez|"
    r"complétez|relacionados|también|similares|correlat|potrebbe|simili|gerelateerd|"
    r"vergelijkbaar|vaak samen|anderen kochten|podobne|polecane|inni kupili|klienci|liknande|andra köpte|lignende|samankaltai|"
    r"podobné|hasonló|asemănătoare|похожие|с этим товаром|схожі|benzer|関連|おすすめ|この商品を買った|相关|推荐|相關|推薦|"
    r"함께|추천|연관"
)


def announces(said: str) -> bool:
    """Whether a heading announces other products or pages."""
    low = said.lower().strip(" :…")
    return low in HEADINGS or (len(low) <= _LONGEST and _SUGGESTS.search(low) is not None)


def of_others(root: LexborNode, heading: LexborNode) -> frozenset[int]:
    """The parts of a page, by memory id, that are not about the product that its heading names."""
    frame = {node.mem_id for node in root.css(_FRAME) if not _holds(node, heading)}
    return frozenset(frame | _suggestions(root, heading))


def _suggestions(root: LexborNode, heading: LexborNode) -> set[int]:
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
