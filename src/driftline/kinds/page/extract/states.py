"""Writes visual states as text, so that they are compared: the meaning of icons, the length of bars, disabled buttons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.text.folding import fold

_LONGEST: Final = 60  # characters of a state
_MOST: Final = 2_000  # elements that are looked at
_HOLDERS: Final = frozenset(("td", "th", "li", "dd", "dt", "p", "tr", "label"))
_HIGHEST: Final = 4  # elements between a state and the row or entry that it stands in
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SELECTOR: Final = (
    ":is(td [title],td [class*=icon],td i,td [aria-label],li [title],li i,dd [title],p i[title],[role=img][aria-label],"
    "[aria-valuenow],progress[value],meter[value],button[disabled],option[disabled],input[type=submit],input[type=button],"
    "input[checked],input[readonly][value],s,del,strike,"
    ":is(h1,h2,h3,h4,h5,h6) a[href^='#'])"
)
DRAWINGS: Final = "svg[aria-label]"  # those in rows are meant; four selectors for them would take longer than to ask each
_ROWS: Final = frozenset(("td", "li", "dd", "p"))
# Classes of icons that say yes or no; others are dress.
_ICON: Final = re.compile(
    r"(?:^|[\s_-])(check|tick|yes|ok|success|done|cross|times|xmark|no|fail|failed|ban|minus|warning|lock|unlock)(?:$|[\s_-])"
)
_WORD: Final = re.compile(r"[^\W\d_]{2}")


def write_states(tree: LexborHTMLParser) -> None:
    """Make such states text of the page, in brackets, so that they are compared as the line that they stand in.

    Signs beside headings that lead to them are chosen by a theme, and no part of the heading: they go.
    """
    found = tree.css(_SELECTOR)
    anchors = [node for node in found if node.tag == "a" and _is_anchor(node)]
    if anchors:
        for node in anchors:
            node.decompose()
        found = tree.css(_SELECTOR)
    for node in found[:_MOST]:
        if (said := _said(node)) and _stands_in_a_row(node):
            node.insert_child(f" [{said}]")


def write_drawings(drawings: Sequence[LexborNode]) -> None:
    """What a drawing in a row means, written before it: drawings themselves are stripped."""
    for node in drawings[:_MOST]:
        label = _cut(node.attributes.get("aria-label"))
        if label and not any(map(str.isdigit, label)) and _stands_in_a_row(node) and _is_within(node, _ROWS):
            node.insert_before(f" [{label}]")


def _is_anchor(node: LexborNode) -> bool:
    if any(map(str.isalnum, node.text() or "")) or not (node.attributes.get("href") or "").startswith("#"):
        return False
    return _is_within(node, _HEADINGS) and node.css_first("img") is None


def _is_within(node: LexborNode, tags: frozenset[str]) -> bool:
    above = node.parent
    while above is not None and above.tag not in tags:
        above = above.parent
    return above is not None


def _said(node: LexborNode) -> str:
    given = node.attributes
    tag = node.tag or ""
    if tag == "option":  # of those that can be chosen, not what asks to choose
        return "disabled" if given.get("value") != "" and "selected" not in given else ""
    if tag == "button":
        return "disabled" if (node.text() or "").strip() else ""
    if tag == "input":
        return _field(given)
    if tag in ("s", "del", "strike"):
        return "struck out" if _WORD.search(node.text() or "") and not _is_replaced(node) else ""
    if "aria-valuenow" in given or tag in ("progress", "meter"):
        return _cut(given.get("aria-valuetext") or given.get("aria-valuenow") or given.get("value"))
    if (node.text() or "").strip():
        return ""
    label = _cut(given.get("title") or given.get("aria-label"))
    if given.get("role") == "img" and any(map(str.isdigit, label)):
        return ""  # a row of stars: visitors move it
    if label:
        return label
    found = _ICON.search((given.get("class") or "")[:200].lower())
    return found[1] if found else ""


def _is_replaced(node: LexborNode) -> bool:
    """Whether a struck number has its successor behind it, as a former price has."""
    behind = node.next
    said = (behind.text() or "") if behind is not None else ""
    return any(map(str.isdigit, node.text() or "")) and any(map(str.isdigit, said))


def _field(given: Mapping[str, str | None]) -> str:
    kind = (given.get("type") or "text").lower()
    if kind in ("submit", "button"):
        return _cut(given.get("value")) + (" (disabled)" if "disabled" in given else "")
    if kind in ("checkbox", "radio"):
        return "checked" if "disabled" in given or "readonly" in given else ""
    return _cut(given.get("value")) if kind in ("text", "number") else ""


def _cut(value: str | None) -> str:
    said = fold((value or "")[: 4 * _LONGEST])
    return said if len(said) <= _LONGEST else ""


def _stands_in_a_row(node: LexborNode) -> bool:
    """Whether it belongs to a line of text; a button, a bar or a struck word is one itself."""
    if node.tag not in ("i", "span", "b", "em", "img", "svg", "a"):
        return True
    inner = node.parent
    for _ in range(_HIGHEST):
        if inner is None or inner.tag in ("nav", "header", "footer", "button"):
            return False
        if inner.tag in _HOLDERS:
            return True
        inner = inner.parent
    return False
