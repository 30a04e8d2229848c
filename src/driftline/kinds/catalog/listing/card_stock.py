"""Whether the product of a card can be bought, by its words, its markup and its button."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from driftline.core.commerce.buy_buttons import (
    asks_to_buy,
    asks_to_choose,
    is_disabled,
    is_waiting,
    leads_to_cart,
    names_a_buy_button,
    value_text,
)
from driftline.core.commerce.card_text import TextRun, is_unseen, shown_text
from driftline.core.commerce.stock import stock_from_text
from driftline.core.lexicon import any_of
from driftline.core.markup.outline import Outline
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.catalog.listing.card import Card, Name, is_button_link
from driftline.kinds.catalog.listing.cards import ListingPage

_STOCK_HEADS: Final = lazy_regex(
    lambda: (
        r"(?:in |on |en )?(?:stock|hand|inventory)(?: level| qty| quantity)?|available(?: qty)?|qty available|availability|"
        + any_of("stock.heading")
    )
)
_CART: Final = lazy_regex(r"(?:^|[\s_-])(?:cart|basket|trolley|shopping-?bag)(?:$|[\s_-])", re.IGNORECASE)
_COUNT: Final = re.compile(r"[0-9]{1,7}\+?|[0-9]{1,3}(?:[.,' \u00a0][0-9]{3}){1,2}\+?")
_LONGEST_BADGE: Final = 30  # of an image text about stock; longer ones describe the product
_LONGEST_LINE: Final = 120
_FEW_CARDS: Final = 3  # with fewer cards, siblings are no evidence

Button = Literal["live", "off", "none"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence about stock in a card."""

    by_words: bool | None = None  # by its text
    by_marks: bool | None = None  # by classes and attributes of the card itself
    by_inner_marks: bool | None = None  # by those of inner elements: some themes put hidden ones into every card
    button: Button = "none"
    varies: bool = False  # its price is a range or begins somewhere: what to buy is chosen on its page


def evidence_of(page: ListingPage, shown: Card, name: Name | None, own: tuple[Sequence[str], Sequence[str]]) -> Evidence:
    """All evidence in a card except its name; `own` are the watch's phrases for sold out and in stock."""
    outline, card, runs = page.outline, shown.place, shown.runs
    start, until = (name.place, outline.ends[name.place]) if name and name.place >= 0 else (0, 0)
    pieces = [
        text
        for run in runs
        for (_, place), piece in zip(run.places, run.pieces, strict=True)
        if not start <= place < until and (text := fold(piece)) and not (name and text == name.text)
    ]
    title = name.text if name else ""
    by_words = _by_words(pieces, runs, title, own)
    if by_words is None and outline.tags[card] == "tr":
        by_words = _by_column(outline, card)
    parts = page.parts
    by_inner_marks = {parts.stock[place] for place in outline.inside(parts.marked, card) if place != card}
    if by_words is None:
        labels = (place for place in outline.inside(parts.labels, card) if place != card and place not in parts.stock)
        by_inner_marks |= {
            stock for place in labels if (stock := _by_label(outline.tags[place], outline.attributes[place])) is not None
        }
    buttons = {_button(outline, place, shown.leads, title) for place in outline.inside(parts.controls, card) if place != card}
    return Evidence(
        by_words=by_words,
        by_marks=parts.stock.get(card),
        by_inner_marks=by_inner_marks.pop() if len(by_inner_marks) == 1 else None,
        button="live" if "live" in buttons else "off" if "off" in buttons else "none",
        varies=any(one.span.role in ("from", "high") for one in shown.amounts),
    )


def stock_of(cards: Sequence[Evidence]) -> Iterator[bool | None]:
    """What the cards of a family say, each beside its siblings.

    A button that is off or missing says something only where others have theirs: scripts switch them on, and many shops have
    none.
    """
    live = sum(card.button == "live" for card in cards)
    most = live >= _FEW_CARDS and 2 * live > len(cards)
    everywhere = len(cards) > 1 and all(card.by_inner_marks is cards[0].by_inner_marks for card in cards)
    for card in cards:
        if card.by_words is not None:
            yield card.by_words
        elif card.by_marks is not None:
            yield card.by_marks
        elif card.by_inner_marks is not None and not (everywhere and card.by_inner_marks is False):
            yield card.by_inner_marks
        elif card.button == "live":
            yield True
        elif (card.button == "off" and live) or (card.button == "none" and most and not card.varies):
            yield False
        else:
            yield None


def _by_words(pieces: list[str], runs: Sequence[TextRun], title: str, own: tuple[Sequence[str], Sequence[str]]) -> bool | None:
    """What the texts say, one by one, then line by line (only <b>3</b> left); lines with the title do not count."""
    sold_out, in_stock = own
    if sold_out or in_stock:
        for text in ("\n".join(pieces), "\n".join(run.text for run in runs)):
            if (by_words := stock_from_text(text, sold_out=sold_out, in_stock=in_stock)) is not None:
                return by_words
        return None
    answers = {by_words for piece in pieces if (by_words := stock_from_text(piece)) is not None}
    if answers:
        return answers.pop() if len(answers) == 1 else None
    seen = set(pieces)
    for run in runs:
        if len(run.pieces) == 1:
            continue
        for line in run.text.split("\n"):
            text = fold(line)
            if not text or len(text) > _LONGEST_LINE or text in seen or (title and title in text):
                continue
            if (by_words := stock_from_text(text)) is not None:
                answers.add(by_words)
    return answers.pop() if len(answers) == 1 else None


def _by_label(tag: str, attributes: Mapping[str, str | None]) -> bool | None:
    """What the label of an icon or image says."""
    for name in ("alt",) if tag == "img" else ("aria-label", "title"):
        if (
            (label := attributes.get(name))
            and len(label) <= _LONGEST_BADGE
            and (by_words := stock_from_text(label)) is not None
        ):
            return by_words
    return None


def _button(outline: Outline, at: int, products: frozenset[int], title: str) -> Button | None:
    """Whether an element is a buy button, by its text, its names, or its target."""
    tag, attributes = outline.tags[at], outline.attributes[at]
    if tag == "a" and outline.ends[at] - at > 12:  # the link is a whole card
        return None
    shown = value_text(tag, attributes) or fold(shown_text(outline, at))
    if tag in ("div", "span") and attributes.get("role") != "button" and not asks_to_buy(shown):
        return None
    text = shown or fold(attributes.get("aria-label") or attributes.get("title") or "")
    if title and title in text and text != title:
        text = text.replace(title, "").strip(' ,:-–"“”„«»')  # Add Oat Milk 1 l
    sells = (
        asks_to_buy(text)
        or names_a_buy_button(attributes)
        or (not shown and (tag != "a" or attributes.get("role") == "button") and _pictures_a_cart(outline, at))
        or (tag == "a" and (at not in products or is_button_link(attributes)) and leads_to_cart(attributes.get("href") or ""))
    )
    if not sells and not asks_to_choose(text):
        return None
    around = outline.parents[at]
    if is_unseen(attributes, outline.attributes[around]) or is_unseen(outline.attributes[around], {}):
        return None
    return "off" if is_disabled(attributes) and not is_waiting(attributes) else "live"


def _pictures_a_cart(outline: Outline, at: int) -> bool:
    """Whether an icon on a button is called a cart."""
    return any(_CART.search(outline.attributes[place].get("class") or "") for place in range(at + 1, outline.ends[at]))


def _by_column(outline: Outline, row: int) -> bool | None:
    """What a bare number in a table column about stock says."""
    table = next((at for at in outline.ancestors(row) if outline.tags[at] == "table"), None)
    if table is None:
        return None
    head = next((at for at in range(table, outline.ends[table]) if outline.tags[at] == "tr"), row)
    if head == row:
        return None
    names, cells = ([text.casefold() for text in _cells(outline, at)] for at in (head, row))
    if len(names) != len(cells):
        return None
    counted = [cell for name, cell in zip(names, cells, strict=True) if _STOCK_HEADS.fullmatch(name)]
    if len(counted) != 1 or not _COUNT.fullmatch(counted[0]):
        return None
    return any(digit in counted[0] for digit in "123456789")


def _cells(outline: Outline, row: int) -> list[str]:
    return [
        fold(shown_text(outline, at))
        for at in range(row + 1, outline.ends[row])
        if outline.tags[at] in ("td", "th") and outline.parents[at] == row
    ]
