"""Buttons that sell: what they say, what they are called, and whether they can be pressed."""

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
# What a button says that asks for a size or a colour before it sells.
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
# Sent so in every answer and switched on by a script: Magento's button, and those that wait for a choice.
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


# What stands around a buy button and goes with it: how a product comes, who sends it, how many one takes.
_BESIDE: Final = lazy_regex(lambda: rf"(?<!\w)(?:{any_of('buy.beside')})(?!\w)|{any_of('buy.beside_solid')}")


class Control(NamedTuple):
    """A button of a shop."""

    text: str
    off: bool  # it cannot be pressed
    waits: bool  # ... until something is chosen, or a script has run


@short_cache(4096)
def asks_to_buy(text: str) -> bool:
    """Whether a text is what a buy button says."""
    low = text.strip(" .!»›→").casefold()
    return len(low) <= _LONGEST and (low in word_set("buy.alone") or _SAYS.search(low) is not None)


@short_cache(4096)
def asks_to_choose(text: str) -> bool:
    """Whether a text is what a button says that sells once a size or a colour was chosen."""
    return len(text) <= _LONGEST and _CHOOSES.search(text) is not None


def is_beside_buying(text: str) -> bool:
    """Whether a text is about how a product comes, who sends it, or how many one takes."""
    return _BESIDE.search(text.lower()) is not None


def is_off(given: Mapping[str, str | None]) -> bool:
    """Whether attributes say that a button cannot be pressed."""
    if "disabled" in given or (given.get("aria-disabled") or "").lower() == "true":
        return True
    return _OFF.search(given.get("class") or "") is not None


def leads_to_cart(href: str) -> bool:
    """Whether a link puts something into a cart or orders it, by where it leads."""
    return _TO_CART.search(href) is not None


def is_called_so(given: Mapping[str, str | None]) -> bool:
    """Whether attributes call a button one that puts things into a cart."""
    return any((name := given.get(key)) and _names_a_cart(name) for key in _NAMED_BY)


@short_cache(4096)
def _names_a_cart(name: str) -> bool:
    return _CALLED.search(name) is not None


def is_waiting(given: Mapping[str, str | None]) -> bool:
    """Whether attributes say that a button is off until something is chosen, or a script has run."""
    return _WAITING.search(given.get("class") or "") is not None


def said_by_value(tag: str, given: Mapping[str, str | None]) -> str:
    """What an element shows that has no text of its own: the value of a button that is an input."""
    if tag != "input" or (given.get("type") or "").lower() not in _PRESSED:
        return ""
    return fold(given.get("value") or given.get("alt") or "")


def _pictured(node: LexborNode) -> str:
    """What the picture on a button says."""
    picture = node.css_first("img[alt]")
    return fold(picture.attributes.get("alt") or "") if picture is not None else ""


def selling(root: LexborNode, selector: str = CONTROLS) -> Iterator[tuple[LexborNode, Control]]:
    """The buttons below a node that sell, or say why they do not."""
    room = _ROOM
    for node in root.css(selector)[:_MOST]:
        given = node.attributes
        written = said_by_value(node.tag or "", given) or node.text(deep=True)
        room -= len(written)
        if room < 0:
            break
        text = fold(written) or _pictured(node)
        if len(text) > _LONGEST:
            continue
        if asks_to_buy(text) or is_called_so(given) or stock_from_text(text) is not None:
            yield node, Control(text, is_off(given), is_waiting(given))
