"""Lists of other pages, found by the headings that announce them.

A heading often stands in a box of its own, with a link to all the rest, and the list follows that box.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.passing_stems import ANNOUNCES, IS_NEWEST, LONGEST
from driftline.core.passing_words import HEADINGS, HEADINGS_ASIDE, HEADINGS_BELOW
from driftline.core.signs import Signs
from driftline.core.standing import is_beside
from driftline.core.text import fold

_LARGE: Final = 300  # characters; no heading says so much
_FEWEST: Final = 2  # links that make a list
_LINKED: Final = 0.5  # of a list's text that is links
_CARD: Final = 160  # characters that stand beside the link of one card
_MOST: Final = 400  # headings that are looked at
_LONG_PARAGRAPH: Final = 140  # bytes: the fewer letters a language has, the more bytes each takes
_FEWEST_PARAGRAPHS: Final = 3
_NEVER: Final = frozenset("html body main article h1 h2 h3 h4 h5 h6 form table tbody tr td th".split())
_HEADS: Final = "h2,h3,h4,h5,h6"
_TITLES: Final = (
    "div[class*=title],span[class*=title],p[class*=title],div[class*=head],span[class*=head],strong,dt,"
    "section[aria-label],aside[aria-label],nav[aria-label],div[aria-label]"
)
_PLAIN: Final = "span,div,p,b"  # with nothing but a heading's words in them
# A source in lower case is so in its ASCII letters alone.
_SAID_PLAINLY: Final = Signs(
    b">" + words.encode().lower() + b"<" for said in HEADINGS for words in (said, said[:1].upper() + said[1:])
)
_BOXES: Final = 3  # that a heading may stand in, with nothing else
_BESIDE_A_HEADING: Final = 40  # characters in its box: "View all", arrows of a slider
_GAP: Final = 3  # empty elements between a heading and its list
_DOCUMENT: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|zip)(?:$|[?#])", re.IGNORECASE)
_MARKS: Final = " :：…»›-–—|"


def lists_by_heading(body: LexborNode, small: bytes) -> Iterator[tuple[LexborNode, str]]:
    """The lists below headings that announce other pages, with those: what holds both, or what follows the heading.

    `small` is the source in lower case.
    """
    looked_at = 0
    article: bool | None = None
    plain = [node for node in body.css(_PLAIN) if _is_bare(node)] if _SAID_PLAINLY.found_in(small) else []
    for heading in (*body.css(f"{_HEADS},{_TITLES}"), *plain):
        label = _said(heading.attributes.get("aria-label") or "")
        said = label if _announces(label) else _said(heading.text()[:_LARGE])
        if not _announces(said):
            continue
        looked_at += 1
        if looked_at > _MOST:
            return
        beside = False
        of_others = said in HEADINGS or _is_of_others(said)
        if said not in HEADINGS or said in HEADINGS_BELOW:
            article = _is_article(body) if article is None else article
            if not (beside := is_beside(heading)) and not (article and of_others):
                continue
        cards = beside or (of_others and said not in HEADINGS_BELOW)
        found = heading if said == label and _is_list_below(heading, cards=cards) else _list_of(heading, cards=cards)
        if found is not None and not _offers_documents(found):
            yield found, said


@lru_cache(maxsize=4096)
def _announces(said: str) -> bool:
    """Whether a heading announces other pages, if only beside the content."""
    return said in HEADINGS_ASIDE or (0 < len(said) <= LONGEST and (_is_of_others(said) or IS_NEWEST.search(said) is not None))


def _is_of_others(said: str) -> bool:
    return said not in HEADINGS_ASIDE and ANNOUNCES.search(said) is not None


def _said(text: str) -> str:
    return fold(text).lower().replace("\u0307", "").strip(_MARKS)


def _is_bare(node: LexborNode) -> bool:
    """Whether an element holds one text and nothing else."""
    inner = node.child
    return inner is not None and inner.is_text_node and inner.next is None


def _list_of(heading: LexborNode, *, cards: bool) -> LexborNode | None:
    """What holds a heading and its list, or the list that follows it; with the boxes that hold nothing but the heading."""
    box = heading
    for _ in range(_BOXES):
        holder = box.parent
        if holder is None:
            return None
        if _is_headed_by(heading, holder) and _is_list_below(holder, cards=cards):
            return holder
        following = _following(box)
        if following is not None and _is_list_below(following, cards=cards):
            return following
        if following is not None and len(fold(holder.text())) - len(fold(heading.text())) > _BESIDE_A_HEADING:
            return None
        box = holder
    return None


def _offers_documents(found: LexborNode) -> bool:
    """Whether a list is of documents: they belong to the page, whatever they are called."""
    links = found.css("a[href]")
    return 2 * sum(_DOCUMENT.search(link.attributes.get("href") or "") is not None for link in links) > len(links)


def _following(box: LexborNode) -> LexborNode | None:
    """The next element that says something."""
    following = box.next
    gaps = 0
    while following is not None and gaps <= _GAP:
        if not following.is_text_node and following.tag != "-comment":
            if following.text().strip() or following.css_first("a[href]") is not None:
                return following
            gaps += 1
        following = following.next
    return None


def _is_list_below(node: LexborNode, *, cards: bool) -> bool:
    return node.tag not in _NEVER and is_list_of_links(node, cards=cards)


def _is_article(body: LexborNode) -> bool:
    """Whether the page is a text of several paragraphs."""
    if sum(len(paragraph.text().encode()) >= _LONG_PARAGRAPH for paragraph in body.css("p")) >= _FEWEST_PARAGRAPHS:
        return True
    texts = body.text(separator="\n").split("\n")  # paragraphs may be nothing but texts between line breaks
    return sum(len(text.encode()) >= _LONG_PARAGRAPH for text in texts) >= _FEWEST_PARAGRAPHS


def _is_headed_by(heading: LexborNode, holder: LexborNode) -> bool:
    """Whether a heading is the first in what holds it, and none but those of the entries follows."""
    heads = holder.css("h1,h2,h3,h4,h5,h6")
    if heading.tag not in _HEADS.split(","):
        begins = fold(holder.text()[: 4 * _LARGE]).startswith(fold(heading.text()))
        return begins and (heading.tag != "dt" or len(holder.css("dt")) == 1)
    if not heads or heads[0].mem_id != heading.mem_id:
        return False
    return not any(str(head.tag) <= str(heading.tag) and not _is_linked(head) for head in heads[1:])


def _is_linked(head: LexborNode) -> bool:
    return head.css_first("a[href]") is not None or (head.parent is not None and head.parent.tag == "a")


def is_list_of_links(node: LexborNode, *, cards: bool = False) -> bool:
    """Whether most of a text is links; `cards`: or no more than a price, a button or a teaser stands beside each of them."""
    links = node.css("a[href]")
    if len(links) < _FEWEST:
        return False
    heads = sum(len(head.text().strip()) for head in node.css(_HEADS))
    text = len("".join(node.text().split())) - heads
    linked = sum(len("".join(link.text().split())) for link in links)
    if linked >= text * _LINKED:
        return True
    targets = {link.attributes.get("href") for link in links if link.text().strip() or link.css_first("img") is not None}
    return cards and len(targets) >= _FEWEST and text - linked <= _CARD * len(targets)
