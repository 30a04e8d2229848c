"""States that readers see and no text says: what an icon means, that a text is struck out, what a fixed field shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core import dates
from driftline.core.later import later
from driftline.core.noise import canonical
from driftline.core.signs import IN_PAGES
from driftline.core.text import fold

STRUCK: Final = " (struck out)"
CHECKED: Final = "(checked)"
ICONS: Final = frozenset(("i", "span", "em", "b", "svg"))  # that may stand for a word
_LONGEST: Final = 40  # characters of a state
_MOST: Final = 400  # of one sort that are looked at
_HIGHEST: Final = 4  # elements between an icon and the line it stands in
_HELD_BY: Final = frozenset(("td", "th", "li", "dd", "dt", "p", "tr"))
_CONTROLS: Final = frozenset(("a", "button", "nav", "header", "footer", "label", "summary"))
# Without these in the source there is nothing to write out.
_ICON: Final = IN_PAGES.add(r"(?i)<(?:i|span|em|b|svg)\s[^<>]*(?:title|aria-label)\s?=")
_STRIKE: Final = IN_PAGES.add(r"(?i)<(?:s|del|strike)[\s>]")
_FIXED: Final = IN_PAGES.add(r"(?i)readonly|<input[^<>]*checkbox")
# Ratings and numbers move by themselves, as do who is there and what the reader has read.
_OTHERWISE: Final = re.compile(
    r"\d|star|rating|rated|online|offline|away|idle|read|loading|icon|logo|avatar|verified|share|like|follow|menu|close|search|"
    r"more|info|help|expand|toggle|copy|edit|link|sort|new window|external",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_MADE_UP: Final = re.compile(r"://|^0\d|(?=\S*\d)(?=\S*[A-Za-z])\S{6,}|\d{9,}|[*•]{3,}")
_PRICE: Final = re.compile(
    r"[$€£¥₹₽₩₺₴₪₫฿]|\d\s?(?:kr|zł|kč|ft|lei|tl|eur|usd|gbp|chf|rs)\b|(?:eur|usd|gbp|chf|rs\.?)\s?\d|"
    r"\b(?:price|was|rrp|msrp|uvp|statt|\w*preis|prix|precio|prezzo|preço|cena|pris|hinta)\b.{0,12}\d"
)
_MOMENT: Final = later(rf"\W{{0,3}}(?:{dates.MOMENT})\W{{0,3}}")


def write_states(tree: LexborHTMLParser) -> None:
    """Make such states text of the page."""
    signs = IN_PAGES.found_in(tree.raw_html)
    if _ICON in signs:
        for node in tree.css("i[title],span[title],em[title],b[title],[role=img][aria-label]")[:_MOST]:
            label = said_by_icon(node.tag or "", node.attributes)
            if label and not node.text().strip() and _stands_in_a_line(node):
                node.insert_child(f" {label}")
    if _STRIKE in signs:
        for node in tree.css("s,del,strike")[:_MOST]:
            if _is_struck_text(node.text()):
                node.insert_child(STRUCK)
    if _FIXED in signs:
        for node in tree.css("input[readonly],input[disabled][checked]")[:_MOST]:
            if label := said_by_field(node.attributes):
                node.insert_child(label)


def said_by_icon(tag: str, given: Mapping[str, str | None]) -> str:
    """The word that an icon stands for; empty where it has none, or one that says nothing about the page."""
    if tag not in ICONS:
        return ""
    label = given.get("aria-label") if given.get("role") == "img" else given.get("title")
    said = fold(label or "")
    return said if 0 < len(said) <= _LONGEST and not _OTHERWISE.search(said) else ""


def said_by_field(given: Mapping[str, str | None]) -> str:
    """What a field shows that nobody can fill in; no address, token or day."""
    kind = (given.get("type") or "text").lower()
    if kind == "checkbox" and "disabled" in given:
        return CHECKED if "checked" in given else ""
    if "readonly" not in given or kind not in ("text", "number"):
        return ""
    said = fold(given.get("value") or "")
    if len(said) > _LONGEST or _MADE_UP.search(said) or _MOMENT.fullmatch(said.lower()):
        return ""
    return said


def _is_struck_text(text: str) -> bool:
    """Whether a struck text is words, and not the price of before."""
    said = canonical(fold(text)).text
    return sum(1 for _ in _WORD.finditer(said)) > 1 and not _PRICE.search(said.lower())


def _stands_in_a_line(node: LexborNode) -> bool:
    """Whether an icon stands in a row, an entry or a paragraph, and on nothing that one presses."""
    held = False
    inner = node.parent
    for _ in range(_HIGHEST):
        if inner is None or inner.tag in _CONTROLS:
            return False
        held = held or inner.tag in _HELD_BY
        inner = inner.parent
    return held
