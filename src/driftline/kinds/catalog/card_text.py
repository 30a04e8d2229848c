"""The visible text of a card as people see it: split prices joined, struck ones known, one line per block."""

from __future__ import annotations

import re
from typing import Final

import msgspec
from selectolax.lexbor import LexborNode

_BLOCKS: Final = frozenset(
    """address article aside blockquote br button dd details div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hr input label li main nav ol option p picture pre section select summary table
    tbody td tfoot th thead tr ul""".split()
)
_UNSEEN: Final = frozenset(
    "script style template noscript svg head meta link iframe canvas object select option textarea".split()
)
_STRUCK_TAGS: Final = frozenset({"del", "s", "strike"})
_STRUCK: Final = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike|striked|struck|strikethrough|line-through|linethrough|crossed?|rrp|uvp|msrp|list-?price|compare|compare-?at|before|"
    r"regular|original|retail|previous|prev|instead|statt|barre|tachado|ordinary|full-?price|oldprice|wasprice|priceold|pricewas)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CURRENT: Final = re.compile(
    r"(?:^|[\s_-])(?:sale|special|current|final|now|offer|promo|promotional|discounted|reduced|deal|new-?price|saleprice|pricenow)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(r"(?:unit|base|per|basic)[_-]?price|price[_-]?per|grundpreis|ppu|price[_-]unit", re.IGNORECASE)
_CENTS: Final = re.compile(r"(?:^|[\s_-])(?:cents?|fraction|decimals?|pence|minor|sup)(?:$|[\s_-])", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAX_NODES: Final = 4_000  # of one card


class Run(msgspec.Struct):
    """A stretch of text under the same marks."""

    text: str
    struck: bool  # crossed out, or marked as the price of before
    current: bool  # marked as the price of now
    unit: bool
    pieces: list[str] = []  # its text nodes, one by one: a badge beside a brand is not one phrase with it


def read_runs(card: LexborNode, skip: frozenset[int] = frozenset()) -> list[Run]:
    """The card's text in reading order; elements in `skip` (by memory id) are left out, the title for one."""
    runs: list[Run] = []
    marks: dict[int, tuple[bool, bool, bool, bool] | None] = {card.mem_id: (False, False, False, False)}
    for count, node in enumerate(card.traverse(include_text=True)):
        if count > MAX_NODES:
            break
        parent = node.parent
        above = marks.get(parent.mem_id) if parent is not None and node.mem_id != card.mem_id else (False, False, False, False)
        if node.mem_id != card.mem_id and parent is not None and parent.mem_id in marks and above is None:
            marks[node.mem_id] = None
            continue
        if above is None:
            continue
        if node.is_text_node:
            _add(runs, node.text_content or "", above)
            continue
        if node.mem_id != card.mem_id:
            marks[node.mem_id] = None if node.mem_id in skip else _marks(node, above)
        if node.tag in _BLOCKS and runs and not runs[-1].text.endswith("\n"):
            runs[-1].text += "\n"
    return runs


def _marks(node: LexborNode, above: tuple[bool, bool, bool, bool]) -> tuple[bool, bool, bool, bool] | None:
    """(struck, current, unit, cents) of an element; None where nobody sees it."""
    tag, attributes = node.tag or "", node.attributes
    if tag in _UNSEEN or "hidden" in attributes or _HIDDEN.search(attributes.get("style") or ""):
        return None
    names = _CAMEL.sub("-", attributes.get("class") or "")
    struck, current, unit, _ = above
    if tag in _STRUCK_TAGS or "line-through" in (attributes.get("style") or ""):
        struck = True
    elif tag == "ins":
        struck, current = False, True
    if names:
        if not current and _STRUCK.search(names) and not _CURRENT.search(names):
            struck = True
        elif _CURRENT.search(names):
            current = True
        unit = unit or _UNIT.search(names) is not None
    return struck, current, unit, tag == "sup" or (names != "" and _CENTS.search(names) is not None)


def _add(runs: list[Run], text: str, marks: tuple[bool, bool, bool, bool]) -> None:
    struck, current, unit, cents = marks
    stripped = text.strip()
    last = runs[-1] if runs else None
    if last is not None and (last.struck, last.current, last.unit) == (struck, current, unit):
        ends_in_digit = last.text.rstrip()[-1:].isdigit()
        if cents and ends_in_digit and re.fullmatch(r"\d\d", stripped) and not re.search(r"[.,]\d{1,2}$", last.text):
            last.text = f"{last.text.rstrip()}.{stripped}"
        elif ends_in_digit and stripped[:1].isdigit():
            last.text += "\n" + text  # Chair 3</a> 199 kr: two numbers
        else:
            last.text += text
        if stripped:
            last.pieces.append(stripped)
    elif stripped:
        runs.append(Run(text, struck, current, unit, [stripped]))
    elif last is not None and text:
        last.text += " "
