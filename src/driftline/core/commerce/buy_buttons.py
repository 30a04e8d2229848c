"""Recognizes buy buttons by their text, names and target, and whether they can be pressed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from driftline.core.commerce.stock import stock_from_text
from driftline.core.lexicon import any_of, word_set
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

_SAYS: Final = lazy_regex(lambda: any_of("buy.button"))
# Labels of buttons that ask to choose a size or colour first.
_CHOOSES: Final = lazy_regex(
    lambda: (
        r"(?:choose|select|see|view|pick)\b.{0,24}\b(?:options?|sizes?|variants?|colou?rs?|varieties)|" + any_of("buy.choose")
    ),
    re.IGNORECASE,
)
_CALLED: Final = lazy_regex(
    lambda: (
        r"add[-_]?to[-_]?(?:cart|basket|bag|trolley)|(?:buy|cart|basket|atc|tocart)[-_]?(?:btn|button|submit)|(?:btn|button)[-_]?(?:buy|cart|basket|atc)|"
        rf"buy[-_]?now|addtocart|{any_of('buy.name')}"
    ),
    re.IGNORECASE,
)
_NAMED_BY: Final = ("id", "class", "name", "data-action", "data-button-action", "data-hook", "data-testid", "data-test")
_OFF: Final = lazy_regex(r"(?:^|[\s_-])(?:disabled|inactive|sold-?_?out|out-?_?of-?_?stock)(?:$|\s)", re.IGNORECASE)
# Disabled in every answer and enabled by a script: Magento's button, and those that wait for a choice.
_WAITING: Final = lazy_regex(r"(?:^|\s)tocart(?:$|\s)|selection-needed", re.IGNORECASE)
_TO_CART: Final = lazy_regex(
    lambda: (
        r"[/?&=_-](?:add[-_]?to[-_]?(?:cart|basket)|addtocart|cart|basket|checkout|order|buy|purchase|action=(?:add|buy)|"
        rf"{any_of('buy.address')})(?:[/?&=_.-]|$)"
    ),
    re.IGNORECASE,
)
_PRESSED: Final = frozenset(("submit", "button", "image"))
CONTROLS: Final = (
    "button,input[type=submit],input[type=button],input[type=image],[role=button],a[class*=btn],a[class*=button],a[class*=cart]"
)
_LONGEST: Final = 60  # characters on a button
_MOST: Final = 200  # controls that are examined
_ROOM: Final = 100_000  # characters in all of them: they may stand in each other


# Text around a buy button: delivery, seller, quantity.
_BESIDE: Final = lazy_regex(lambda: rf"(?<!\w)(?:{any_of('buy.beside')})(?!\w)|{any_of('buy.beside_solid')}")


class Control(NamedTuple):
    """A button of a shop."""

    text: str
    off: bool  # it cannot be pressed
    waits: bool  # ... until something is chosen, or a script has run


@short_cache(4096)
def asks_to_buy(text: str) -> bool:
    """Whether a text is the label of a buy button."""
    low = text.strip(" .!»›→").casefold()
    return len(low) <= _LONGEST and (low in word_set("buy.alone") or _SAYS.search(low) is not None)


@short_cache(4096)
def asks_to_choose(text: str) -> bool:
    """Whether a text is the label of a button that asks to choose a size or colour first."""
    return len(text) <= _LONGEST and _CHOOSES.search(text) is not None


def is_beside_buying(text: str) -> bool:
    """Whether a text is about delivery, the seller or the quantity."""
    return _BESIDE.search(text.lower()) is not None


def is_disabled(attributes: Mapping[str, str | None]) -> bool:
    """Whether its attributes disable a button."""
    if "disabled" in attributes or (attributes.get("aria-disabled") or "").lower() == "true":
        return True
    return _OFF.search(attributes.get("class") or "") is not None


def leads_to_cart(href: str) -> bool:
    """Whether a link's target adds something to a cart or orders it."""
    return _TO_CART.search(href) is not None


def names_a_buy_button(attributes: Mapping[str, str | None]) -> bool:
    """Whether a button's id, classes or other names are those of a buy button."""
    return any((name := attributes.get(key)) and _names_a_cart(name) for key in _NAMED_BY)


@short_cache(4096)
def _names_a_cart(name: str) -> bool:
    return _CALLED.search(name) is not None


def is_waiting(attributes: Mapping[str, str | None]) -> bool:
    """Whether a button is disabled only until a variant is chosen or a script has run."""
    return _WAITING.search(attributes.get("class") or "") is not None


def value_text(tag: str, attributes: Mapping[str, str | None]) -> str:
    """The label of a button that is an input element; empty for other elements."""
    if tag != "input" or (attributes.get("type") or "").lower() not in _PRESSED:
        return ""
    return fold(attributes.get("value") or attributes.get("alt") or "")


def _pictured(node: LexborNode) -> str:
    """The alternative text of the picture on a button."""
    picture = node.css_first("img[alt]")
    return fold(picture.attributes.get("alt") or "") if picture is not None else ""


def buy_buttons(root: LexborNode, selector: str = CONTROLS) -> Iterator[tuple[LexborNode, Control]]:
    """The buttons below a node that buy something, or whose label says why that is not possible."""
    room = _ROOM
    for node in root.css(selector)[:_MOST]:
        attributes = node.attributes
        written = value_text(node.tag or "", attributes) or node.text(deep=True)
        room -= len(written)
        if room < 0:
            break
        text = fold(written) or _pictured(node)
        if len(text) > _LONGEST:
            continue
        if asks_to_buy(text) or names_a_buy_button(attributes) or stock_from_text(text) is not None:
            yield node, Control(text, is_disabled(attributes), is_waiting(attributes))
