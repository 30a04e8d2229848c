"""The visible text of a product card: split prices joined, crossed-out ones marked, one line per block."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec
from selectolax.lexbor import LexborNode

from driftline.core.commerce.buy_buttons import asks_to_buy, value_text
from driftline.core.commerce.currency_symbols import look_up, mark_after
from driftline.core.lexicon import any_of
from driftline.core.markup.outline import Outline
from driftline.core.text.folding import without_invisible
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

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
_MARKING: Final = _STRUCK_TAGS | {"ins", "sup"}
_LINE: Final = lazy_regex(
    r"(?:^|[\s_-])(?:strike|striked|struck|strikethrough|strike-through|line-through|linethrough|crossed?|barre|tachado)(?:$|[\s_-])",
    re.IGNORECASE,
)
_FORMER: Final = lazy_regex(
    lambda: (
        r"(?:^|[\s_-])(?:old|was|former|rrp|uvp|msrp|list-?price|compare|compare-?at|before|"
        r"regular|original|retail|previous|prev|instead|ordinary|full-?price|oldprice|wasprice|priceold|pricewas|non-?sale|nosale|"
        r"price-standard|mrp|cut-?price|market-?price|catalog-?price|origin|org|del|text-price|"
        rf"{any_of('price.name.old')})(?:$|[\s_-])"
    ),
    re.IGNORECASE,
)
_CURRENT: Final = lazy_regex(
    r"(?:^|[\s_-])(?:(?<!non-)(?<!non_)sale|special|current|final|now|offer|promo|promotional|discounted|reduced|deal|new-?price|saleprice|pricenow|"
    r"sales-?price|price-sales|selling-?price|shop-?price|onsale|precio-?actual|prix-?actuel|preco-?atual|scontato|neuer|neupreis|voor-?prijs|nowa|yeni|dsc|"
    r"dscntd|price[_-]{1,2}big)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNIT: Final = lazy_regex(r"(?:unit|base|per|basic)[_-]?price|price[_-]?per|grundpreis|ppu|price[_-]unit", re.IGNORECASE)
_CENTS: Final = lazy_regex(r"(?:^|[\s_-])(?:cents?|fraction|dec|decimals?|pence|minor|sup)(?:$|[\s_-])", re.IGNORECASE)
_HIDDEN: Final = lazy_regex(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HIDING: Final = frozenset("hidden d-none is-hidden ng-hide no-display display-none u-hidden u-hide hide".split())
_ON_SOME: Final = lazy_regex(r"^(?:xs|sm|md|lg|xl|\d?xxl|\d?xl|print|group-hover|hover)[:-]|^d-(?:xs|sm|md|lg|xl|xxl)-")
_BESIDE: Final = lazy_regex(r"(?<!\S)(?:with|without|has|have|no|show|hide)[-_]\S+")  # names something else than this price
_KNOWN_BY: Final = ("data-testid", "data-hook", "data-qa")  # often meaningful where class names are hashed
_TESTED: Final = frozenset(_KNOWN_BY)
_MARKED_CENTS: Final = lazy_regex(r"[€$£]\s?\d\d")
_POINTED_CENTS: Final = lazy_regex(r"[.,]\d\d")
_SPACE: Final = lazy_regex(r"[ \t\n\r\f]{2,}|[\n\r\f]")  # any run of spaces is shown as one
_CAMEL: Final = lazy_regex(r"(?<=[a-z])(?=[A-Z])")
_WORD_ENDS: Final = ("-", "\u2013", "\u2014", ")", "%", "*")
_BADGE: Final = "price__badge-sold-out"
_LONGEST_MARK: Final = 6  # characters of a currency behind a number
_LONGEST: Final = 256  # characters of classes that are remembered
MAX_NODES: Final = 4_000  # per card


class TextRun(msgspec.Struct):
    """A piece of text under the same marks."""

    text: str
    struck: bool  # crossed out
    former: bool  # its class names a former price; some shops use that name for their only price
    current: bool  # marked as the current price
    unit: bool
    pieces: list[str] = []  # its text nodes: a badge next to a brand is not one phrase with it
    places: list[tuple[int, int]] = []  # offset of each piece, and its index in the outline

    def place_of(self, offset: int) -> int:
        """The outline index of the piece at an offset."""
        at = bisect_right(self.places, offset, key=itemgetter(0)) - 1
        return self.places[at][1] if at >= 0 else -1

    def piece_of(self, offset: int) -> str:
        """The piece at an offset."""
        at = bisect_right(self.places, offset, key=itemgetter(0)) - 1
        return self.pieces[at] if at >= 0 else ""


class Marks(NamedTuple):
    """What the surrounding elements say about a text."""

    struck: bool = False
    former: bool = False
    current: bool = False
    unit: bool = False
    cents: bool = False


_NOTHING: Final = Marks()
_HIDE: Final = Marks(cents=True, unit=True, former=True, current=True, struck=True)  # of a hidden element


def read_runs(card: LexborNode, skip: frozenset[int] = frozenset()) -> list[TextRun]:
    """The card's text in reading order; elements in `skip` (by memory id), such as the title, are left out."""
    outline = Outline(card, MAX_NODES)
    return outlined_runs(outline, 0, frozenset(at for ident in skip if (at := outline.places.get(ident, 0))))


def outlined_runs(outline: Outline, card: int, skip: frozenset[int] = frozenset()) -> list[TextRun]:
    """The same for an element of an outline; `skip` has indexes."""
    runs: list[TextRun] = []
    tags, texts, attributes, parents = outline.tags, outline.texts, outline.attributes, outline.parents
    marks: dict[int, Marks] = {card: _NOTHING}
    blocks: dict[int, int] = {card: card}  # the block element around each element
    written_in = at = card
    end = min(outline.ends[card], card + MAX_NODES)
    if tags[card] in _BLOCKS:
        at += 1
    while at < end:
        tag, inside = tags[at], parents[at]
        above = marks.get(inside, _NOTHING)
        if not tag:
            block = blocks.get(inside, card)
            if block != written_in and runs and not runs[-1].text.endswith("\n"):
                runs[-1].text += "\n"  # Kettle 3</h1>299 kr
            written_in = block
            _add(runs, _SPACE.sub(" ", without_invisible(texts[at])), above, at)
        elif at != card:
            own = _HIDE if at in skip else _marks(tag, attributes[at], attributes[inside], above)
            if own is _HIDE:
                if tag in _BLOCKS and runs and not runs[-1].text.endswith("\n"):
                    runs[-1].text += "\n"
                at = outline.ends[at]
                continue
            marks[at] = own
            blocks[at] = at if tag in _BLOCKS else blocks.get(inside, card)
            if tag in _SHOWN and (shown := _shown(tag, attributes[at])):
                _add(runs, f"\n{shown}\n", above, at)
            if tag in _BLOCKS and runs and not runs[-1].text.endswith("\n"):
                runs[-1].text += "\n"
        at += 1
    return runs


def _shown(tag: str, attributes: Mapping[str, str | None]) -> str:
    """The text of an element without text nodes: the value of a button, the alternative text of a picture."""
    if tag == "input":
        return value_text("input", attributes)
    alt = attributes.get("alt") or ""
    return alt if alt and asks_to_buy(alt) else ""


def shown_text(outline: Outline, at: int) -> str:
    """The visible text of an element, with a space between elements."""
    end, place = outline.ends[at], at + 1
    if place == end or (place + 1 == end and not outline.tags[place]):
        return outline.texts[place] if place < end else ""
    texts: list[str] = []
    while place < end:
        tag = outline.tags[place]
        if not tag:
            texts.append(outline.texts[place])
        elif tag in _UNSEEN or is_unseen(outline.attributes[place], outline.attributes[outline.parents[place]]):
            place = outline.ends[place]
            continue
        place += 1
    return " ".join(texts)


def is_hidden(node: LexborNode) -> bool:
    """Whether the element itself is marked as hidden."""
    above = node.parent
    return is_unseen(node.attributes, above.attributes if above is not None else {})


def is_unseen(attributes: Mapping[str, str | None], around: Mapping[str, str | None]) -> bool:
    """The same by attributes: the element's own, and those of its parent."""
    if "hidden" in attributes or ((style := attributes.get("style")) and _HIDDEN.search(style)):
        return True
    classes = attributes.get("class")
    if not classes:
        return False
    # Shopify's themes put this badge next to every price; styles show it only on marked prices.
    unmarked = _BADGE in classes and "sold-out" not in (around.get("class") or "")
    return unmarked or _hides(classes)


@short_cache(4096)
def _hides(classes: str) -> bool:
    """Whether classes hide an element on every screen; `hidden md:block` hides it on small ones only."""
    names = classes.split()
    return not _HIDING.isdisjoint(names) and not any(map(_ON_SOME.search, names))


def _marks(tag: str, attributes: Mapping[str, str | None], around: Mapping[str, str | None], above: Marks) -> Marks:
    """The marks that an element gives its text."""
    if len(attributes) == 1 and (classes := attributes.get("class")) and len(classes) <= _LONGEST and _BADGE not in classes:
        return _classed(tag, classes, above)  # as nearly all elements are
    if tag in _UNSEEN or (attributes and is_unseen(attributes, around)):
        return _HIDE
    if not attributes and tag not in _MARKING:
        return above._replace(cents=False) if above.cents else above
    struck, former, current, unit, _ = above
    style = attributes.get("style")
    if tag in _STRUCK_TAGS or (style and "line-through" in style):
        struck = True
    elif tag == "ins":
        struck, former, current = False, False, True
    names = attributes.get("class") or ""
    if not _TESTED.isdisjoint(attributes):
        names = " ".join(filter(None, (names, *map(attributes.get, _KNOWN_BY))))
    return _with_names(tag, names, struck, former, current, unit)


@lru_cache(maxsize=4096)  # the cards of a listing share their class names
def _classed(tag: str, classes: str, above: Marks) -> Marks:
    """The marks that an element with nothing but classes gives its text."""
    if tag in _UNSEEN or _hides(classes):
        return _HIDE
    struck, former, current, unit, _ = above
    if tag in _STRUCK_TAGS:
        struck = True
    elif tag == "ins":
        struck, former, current = False, False, True
    return _with_names(tag, classes, struck, former, current, unit)


def _with_names(tag: str, names: str, struck: bool, former: bool, current: bool, unit: bool) -> Marks:
    cents = tag == "sup"
    if names:
        line, was, now, per, small = _named(names)
        if line:
            struck = True
        elif was and not now:
            former, current = True, False
        elif now:
            current = True
        unit, cents = unit or per, cents or small
    return Marks(struck, former, current, unit, cents)


@short_cache(4096)
def _named(names: str) -> tuple[bool, bool, bool, bool, bool]:
    """What class names say about a text: crossed out, former, current, unit, cents."""
    names = _BESIDE.sub("", _CAMEL.sub("-", names))
    return tuple(found.search(names) is not None for found in (_LINE, _FORMER, _CURRENT, _UNIT, _CENTS))  # type: ignore[return-value]


def _ends_price(last: TextRun) -> bool:
    """Whether the text already ends with an amount and its currency."""
    ending = last.pieces[-1] if last.pieces else ""
    if look_up(ending) is not None and len(last.pieces) > 1 and re.search(r"[.,]\d\d$", last.pieces[-2]):
        return True
    at = max((place for place in range(max(0, len(ending) - 8), len(ending)) if ending[place].isdecimal()), default=-1)
    mark = mark_after(ending, at + 1) if at >= 0 else None
    return mark is not None and mark[2] == len(ending)


def _is_its_sign(last: TextRun, text: str) -> bool:
    """Whether a currency sign in its own element belongs to the amount before it, which has none."""
    if last.unit is False or len(text) > 1 or not text or text not in "€£$₽₴₺₹₪₩":
        return False
    return not any(sign in last.text for sign in "€£$₽₴₺₹₪₩")


def _is_its_currency(shown: str, text: str) -> bool:
    """Whether a text is a currency and nothing else, behind a number."""
    return shown[-1:].isdecimal() and 0 < len(text) <= _LONGEST_MARK and look_up(text) is not None


def _are_cents(last: TextRun, text: str) -> bool:
    """Whether two digits in their own element are the cents of the number before: $ 19 99."""
    if len(last.pieces) < 2 or not re.fullmatch(r"\d\d", text) or not last.text.rstrip(" ").endswith(last.pieces[-1]):
        return False
    return last.pieces[-1].isdecimal() and look_up(last.pieces[-2]) is not None


def _are_apart(last: TextRun, shown: str, text: str, stripped: str) -> bool:
    """Whether two elements without a space between them are two words: 199,-</b><i>Was 249,-, for members</i><i>Valid until."""
    if text[:1].isupper() and (shown[-1:].islower() or shown[-1:] in _WORD_ENDS):
        return True
    return shown[-1:].isalpha() and text[:1].isalpha() and (_starts_price(stripped) or _ends_price(last))


def _starts_price(text: str) -> bool:
    """Whether the text starts with a number of its own, with or without a currency; cents would start with a point."""
    at = 0
    while (mark := mark_after(text, at)) is not None:  # CLP $12.990
        at = mark[2]
    return text[at:].lstrip()[:1].isdigit()


def _is_one_word(last: TextRun, text: str) -> bool:
    """Whether the last letter before and the first letter of the text would stand together."""
    return last.text[-1:].isalpha() and text[:1].isalpha()


def _add(runs: list[TextRun], text: str, marks: Marks, place: int) -> None:
    struck, former, current, unit, cents = marks
    stripped = text.strip()
    last = runs[-1] if runs else None
    if last is not None and text[:1] == " " and last.text[-1:] in (" ", "\n"):
        text = text[1:]  # any run of spaces is shown as one
    shown = last.text.rstrip(" ") if last is not None else ""
    if last is not None and shown[-1:].isdigit() and (_POINTED_CENTS.fullmatch(stripped) or _is_its_sign(last, stripped)):
        last.places.append((len(shown), place))
        last.text = shown + stripped  # 29<i class="cents">,99</i>
        last.pieces.append(stripped)
        return
    if last is not None and unit and not last.unit and _is_its_currency(shown, stripped):
        unit = False  # 12,900<i class="price-unit">KRW: the class speaks of the currency
    if last is not None and (last.struck, last.former, last.current, last.unit) == (struck, former, current, unit):
        if stripped:
            last.places.append((len(last.text), place))
        ends_in_digit = shown.rstrip()[-1:].isdigit()
        two = len(stripped) == 2 and stripped.isdecimal()
        if ends_in_digit and two and (cents or _are_cents(last, stripped)) and not re.search(r"[.,]\d{1,2}$", shown):
            last.text = f"{last.text.rstrip()}.{stripped}"
        elif ends_in_digit and cents and _MARKED_CENTS.fullmatch(stripped):
            last.text = last.text.rstrip() + stripped  # 29<sup>€99</sup>
        elif (ends_in_digit and _starts_price(stripped)) or (stripped[:1].isdigit() and not two and _ends_price(last)):
            last.text += "\n" + text  # Chair 3</a> 199 kr, Chair 3</a> kr 199, 129 zł</b>14 opinii: two numbers
        elif last.text == shown and _are_apart(last, shown, text, stripped):
            last.text += " " + text  # 16 GB RAM</span><span>CHF 99.00, 99.00 EUR</span><span>In stock: styles put them apart
        else:
            last.text += text
        if stripped:
            last.pieces.append(stripped)
    elif stripped:
        runs.append(TextRun(text, struck, former, current, unit, [stripped], [(0, place)]))
    elif last is not None and text:
        last.text += " "
