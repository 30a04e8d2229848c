"""What differs between two versions by an eye of its own: what headlines and entries are held against."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.model.change import Block

_CODE: Final = ["script", "style", "noscript", "template", "svg", "iframe"]
_SAID: Final = ("content", "href", "src", "alt", "title", "aria-label", "value", "placeholder")
_WORD: Final = re.compile(r"\w+")
_QUOTED: Final = re.compile("“([^”]*)”")
# Words of ours, in which a headline quotes the page's.
_OURS: Final = frozenset(
    "a added after an and became before changed content described edit edits embedded fell from gone in is it leads line link"
    " main more moved navigation new now of on or page picture price removed rose sold stock text the title to was were".split()
)


class Seen(NamedTuple):
    """What a version shows, and what its markup says besides."""

    lines: list[str]
    besides: list[str]  # title, fields of the head, addresses, descriptions


def seen(source: str) -> Seen:
    """Every text node and telling attribute; of an answer that is no HTML, its lines."""
    if source.lstrip()[:1] in ("{", "["):
        return Seen([line for line in map(fold, re.split(r'[\n"]', source)) if line], [])
    tree = LexborHTMLParser(source)
    title = tree.css_first("title")
    besides = [title.text()] if title is not None else []
    besides += [value for node in tree.css("*") for name, value in node.attributes.items() if value and name in _SAID]
    tree.strip_tags(_CODE)
    text = tree.body.text(separator="\0", strip=True, skip_empty=True) if tree.body is not None else ""
    return Seen([line for line in map(fold, text.split("\0")) if line], [fold(one) for one in besides])


def differing(before: Seen, after: Seen) -> tuple[list[str], list[str]]:
    """The texts that stand on one side only."""
    return one_sided(before.lines, after.lines), one_sided(after.lines, before.lines)


def one_sided(some: Iterable[str], others: Iterable[str]) -> list[str]:
    return list((Counter(some) - Counter(others)).elements())


def names_nothing(headline: str, before: Seen, after: Seen) -> bool:
    """Whether a headline has no word or number of what differs, nor quotes such a text, were it of words of ours ("New")."""
    texts = [*one_sided(before.lines, after.lines), *one_sided(after.lines, before.lines)]
    texts += [*one_sided(before.besides, after.besides), *one_sided(after.besides, before.besides)]
    quotes = " ".join(_QUOTED.findall(headline))
    said = set(_words(headline)) - _OURS
    return not any(said & set(_words(text)) or (len(text) > 1 and text in quotes) for text in texts)


class Standing(NamedTuple):
    """What an entry of a version may be known again by: every address, every value of a document, every text of an element."""

    addresses: Counter[str]
    texts: Counter[str]


def standing(source: str, url: str) -> Standing:
    """All that stands in a version, each as often as it does."""
    if source.lstrip()[:1] in ("{", "["):
        return Standing(Counter(map(str, _scalars(json.loads(source)))), Counter())
    tree = LexborHTMLParser(source)
    addresses = Counter(urljoin(url, node.attributes.get("href") or "") for node in tree.css("a[href]"))
    tree.strip_tags(_CODE)
    texts: Counter[str] = Counter()
    if tree.body is not None:
        _texts_below(tree.body, texts)
    return Standing(addresses, texts)


def _texts_below(node: LexborNode, texts: Counter[str]) -> str:
    """What an element says, its letters and digits alone; elements that say the same as their only child count once."""
    said = [_bare(child.text_content or "") if child.is_text_node else _texts_below(child, texts) for child in _inner(node)]
    whole = "".join(said)
    if whole and (whole not in said or not any(child.is_element_node for child in _inner(node))):
        texts[whole] += 1
    return whole


def _inner(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        if child.is_text_node or child.is_element_node:
            yield child
        child = child.next


def _scalars(value: Any) -> Iterator[object]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        else:
            yield one


def stands_on_both(block: Block, text: str, before: Standing, after: Standing) -> bool:
    """Whether an entry called added or removed stands on the other side as often: by key and title, or by all it says."""
    here, there = (after, before) if block.action == "added" else (before, after)
    known, again, _ = block.block_key.partition("~")
    if not here.texts:  # a document's entries are known by a field
        return there.addresses[known.partition("=")[2]] >= here.addresses[known.partition("=")[2]] > 0
    if known in here.addresses:
        return there.addresses[known] >= here.addresses[known] and there.texts[_bare(block.title)] > 0
    said = _bare(text)
    return not again and 0 < here.texts[said] <= there.texts[said]


def fold(text: str) -> str:
    return " ".join(text.split())


def _bare(text: str) -> str:
    return "".join(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
