"""The visible text of a card as people see it: split prices joined, struck ones known, one line per block."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import msgspec
from selectolax.lexbor import LexborNode

from driftline.core.buying import asks_to_buy, said_by_value
from driftline.core.later import later
from driftline.core.money_marks import look_up, mark_after
from driftline.core.text import visible

_BLOCKS: Final = frozenset(
    """address article aside blockquote br button dd details div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hr input label li main nav ol option p picture pre section select summary table
    tbody td tfoot th thead tr ul""".split()
)
_UNSEEN: Final = frozenset(
    "script style template noscript svg head meta link iframe canvas object select option textarea".split()
)
_SHOWN: Final = frozenset(("input", "img"))
_STRUCK_TAGS: Final = frozenset({"del", "s", "strike"})
_LINE: Final = later(
    r"(?:^|[\s_-])(?:strike|striked|struck|strikethrough|strike-through|line-through|linethrough|crossed?|barre|tachado)(?:$|[\s_-])",
    re.IGNORECASE,
)
_FORMER: Final = later(
    r"(?:^|[\s_-])(?:old|was|rrp|uvp|msrp|list-?price|compare|compare-?at|before|"
    r"regular|original|retail|previous|prev|instead|statt|ordinary|full-?price|oldprice|wasprice|priceold|pricewas|non-?sale|nosale|"
    r"price-standard|mrp|cut-?price|market-?price|catalog-?price|origin|org|del|text-price|vell|ancien(?:ne)?|anterior|barrat[ao]|pieno|"
    r"antig[ou]o?|antes|streich\w*|alter|altpreis|van-?prijs|oude?|star[aáýy]|puvodni|bezna|eski|ord(?:inarie)?-?pris|f[oø]rpris|vejl|"
    r"rek-?pris)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CURRENT: Final = later(
    r"(?:^|[\s_-])(?:(?<!non-)(?<!non_)sale|special|current|final|now|offer|promo|promotional|discounted|reduced|deal|new-?price|saleprice|pricenow|"
    r"sales-?price|price-sales|selling-?price|shop-?price|onsale|precio-?actual|prix-?actuel|preco-?atual|scontato|neuer|neupreis|voor-?prijs|nowa|yeni|dsc|"
    r"dscntd|price[_-]{1,2}big)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNIT: Final = later(r"(?:unit|base|per|basic)[_-]?price|price[_-]?per|grundpreis|ppu|price[_-]unit", re.IGNORECASE)
_CENTS: Final = later(r"(?:^|[\s_-])(?:cents?|fraction|dec|decimals?|pence|minor|sup)(?:$|[\s_-])", re.IGNORECASE)
_HIDDEN: Final = later(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BESIDE: Final = later(r"(?<!\S)(?:with|without|has|have|no|show|hide)[-_]\S+")  # says what else there is, not what this is
_NAMED_BY: Final = ("class", "data-testid", "data-hook", "data-qa")  # where class names are hashed, tests still need names
_MARKED_CENTS: Final = later(r"[€$£]\s?\d\d")
_POINTED_CENTS: Final = later(r"[.,]\d\d")
_SPACE: Final = later(r"[ \t\n\r\f]{2,}|[\n\r\f]")  # however the source is indented, readers see one space
_CAMEL: Final = later(r"(?<=[a-z])(?=[A-Z])")
MAX_NODES: Final = 4_000  # of one card


class Run(msgspec.Struct):
    """A stretch of text under the same marks."""

    text: str
    struck: bool  # crossed out
    former: bool  # named like a price of before: some shops call their only price the regular one
    current: bool  # marked as the price of now
    unit: bool
    pieces: list[str] = []  # its text nodes, one by one: a badge beside a brand is not one phrase with it


class _Marks(NamedTuple):
    """What the elements around a text say of it."""

    struck: bool = False
    former: bool = False
    current: bool = False
    unit: bool = False
    cents: bool = False


_NOTHING: Final = _Marks()


def read_runs(card: LexborNode, skip: frozenset[int] = frozenset()) -> list[Run]:
    """The card's text in reading order; elements in `skip` (by memory id) are left out, the title for one."""
    runs: list[Run] = []
    marks: dict[int, _Marks | None] = {card.mem_id: _NOTHING}
    blocks: dict[int, int] = {card.mem_id: card.mem_id}  # the block that each element stands in
    written_in = card.mem_id
    for count, node in enumerate(card.traverse(include_text=True)):
        if count > MAX_NODES:
            break
        parent = node.parent
        above = marks.get(parent.mem_id) if parent is not None and node.mem_id != card.mem_id else _NOTHING
        if node.mem_id != card.mem_id and parent is not None and parent.mem_id in marks and above is None:
            marks[node.mem_id] = None
            continue
        if above is None:
            continue
        if node.is_text_node:
            block = blocks.get(parent.mem_id, card.mem_id) if parent is not None else card.mem_id
            if block != written_in and runs and not runs[-1].text.endswith("\n"):
                runs[-1].text += "\n"  # Kettle 3</h1>299 kr
            written_in = block
            _add(runs, _SPACE.sub(" ", visible(node.text_content or "")), above)
            continue
        if node.mem_id != card.mem_id:
            blocks[node.mem_id] = (
                node.mem_id if node.tag in _BLOCKS or parent is None else blocks.get(parent.mem_id, card.mem_id)
            )
            marks[node.mem_id] = None if node.mem_id in skip else _marks(node, above)
            if node.tag in _SHOWN and marks[node.mem_id] is not None and (shown := _shown(node)):
                _add(runs, f"\n{shown}\n", above)
        if node.tag in _BLOCKS and runs and not runs[-1].text.endswith("\n"):
            runs[-1].text += "\n"
    return runs


def _shown(node: LexborNode) -> str:
    """What an element without text says: the value of a button, the words on a picture that is one."""
    given = node.attributes
    if node.tag == "input":
        return said_by_value("input", given)
    alt = given.get("alt") or ""
    return alt if alt and asks_to_buy(alt) else ""


def is_hidden(node: LexborNode) -> bool:
    """Whether nobody sees an element, as far as it says so itself."""
    given = node.attributes
    if "hidden" in given or _HIDDEN.search(given.get("style") or ""):
        return True
    # Shopify's themes send this badge with every price, and a style shows it where the price is marked so.
    above = node.parent
    return "price__badge-sold-out" in (given.get("class") or "") and not (
        above is not None and "sold-out" in (above.attributes.get("class") or "")
    )


def _marks(node: LexborNode, above: _Marks) -> _Marks | None:
    """What an element says of its text; None where nobody sees it."""
    tag, attributes = node.tag or "", node.attributes
    if tag in _UNSEEN or is_hidden(node):
        return None
    names = _BESIDE.sub("", _CAMEL.sub("-", " ".join(filter(None, map(attributes.get, _NAMED_BY)))))
    struck, former, current, unit, _ = above
    if tag in _STRUCK_TAGS or "line-through" in (attributes.get("style") or ""):
        struck = True
    elif tag == "ins":
        struck, former, current = False, False, True
    if names:
        if _LINE.search(names):
            struck = True
        elif _FORMER.search(names) and not _CURRENT.search(names):
            former, current = True, False
        elif _CURRENT.search(names):
            current = True
        unit = unit or _UNIT.search(names) is not None
    return _Marks(struck, former, current, unit, tag == "sup" or (names != "" and _CENTS.search(names) is not None))


def _ends_price(last: Run) -> bool:
    """Whether an amount and its currency stand there already: in one text, or to the cent in the one before."""
    said = last.pieces[-1] if last.pieces else ""
    if look_up(said) is not None and len(last.pieces) > 1 and re.search(r"[.,]\d\d$", last.pieces[-2]):
        return True
    at = max((place for place in range(max(0, len(said) - 8), len(said)) if said[place].isdecimal()), default=-1)
    mark = mark_after(said, at + 1) if at >= 0 else None
    return mark is not None and mark[2] == len(said)


def _is_its_sign(last: Run, text: str) -> bool:
    """Whether a sign in an element of its own is that of the amount before it, which has none yet."""
    if last.unit is False or len(text) > 1 or not text or text not in "€£$₽₴₺₹₪₩":
        return False
    return not any(sign in last.text for sign in "€£$₽₴₺₹₪₩")


def _are_cents(last: Run, text: str) -> bool:
    """Whether two digits in an element of their own are the cents of the whole number in the element before: $ 19 99."""
    if len(last.pieces) < 2 or not re.fullmatch(r"\d\d", text) or not last.text.endswith(last.pieces[-1]):
        return False
    return last.pieces[-1].isdecimal() and look_up(last.pieces[-2]) is not None


def _starts_price(text: str) -> bool:
    """Whether a number of its own begins, with or without a currency before it; cents go on with a point."""
    at = 0
    while (mark := mark_after(text, at)) is not None:  # CLP $12.990
        at = mark[2]
    return text[at:].lstrip()[:1].isdigit()


def _add(runs: list[Run], text: str, marks: _Marks) -> None:
    struck, former, current, unit, cents = marks
    stripped = text.strip()
    last = runs[-1] if runs else None
    if last is not None and last.text[-1:].isdigit() and (_POINTED_CENTS.fullmatch(stripped) or _is_its_sign(last, stripped)):
        last.text += stripped  # 29<i class="cents">,99</i>
        last.pieces.append(stripped)
        return
    if last is not None and (last.struck, last.former, last.current, last.unit) == (struck, former, current, unit):
        ends_in_digit = last.text.rstrip()[-1:].isdigit()
        two = re.fullmatch(r"\d\d", stripped) is not None
        if ends_in_digit and two and (cents or _are_cents(last, text)) and not re.search(r"[.,]\d{1,2}$", last.text):
            last.text = f"{last.text.rstrip()}.{stripped}"
        elif ends_in_digit and cents and _MARKED_CENTS.fullmatch(stripped):
            last.text = last.text.rstrip() + stripped  # 29<sup>€99</sup>
        elif (ends_in_digit and _starts_price(stripped)) or (stripped[:1].isdigit() and not two and _ends_price(last)):
            last.text += "\n" + text  # Chair 3</a> 199 kr, Chair 3</a> kr 199, 129 zł</b>14 opinii: two numbers
        else:
            last.text += text
        if stripped:
            last.pieces.append(stripped)
    elif stripped:
        runs.append(Run(text, struck, former, current, unit, [stripped]))
    elif last is not None and text:
        last.text += " "
