"""One visit to the elements of a page: which may name a product, say whether it is there, or sell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from driftline.core.commerce.stock import stock_from_names, stock_from_schema
from driftline.core.markup.outline import Outline
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
BRANDS: Final = frozenset(("brand", "manufacturer", "seller", "category"))  # whose names are not the product's
NAMES_GIVEN: Final = ("data-product-name", "data-product-title", "data-name", "data-title")
_KNOWN_BY: Final = ("data-testid", "data-hook", "data-qa", "data-test", "data-cy", "data-auto-id")  # in tests of the shop
_NAME_CLASS: Final = lazy_regex(r"title|name|heading", re.IGNORECASE)
_OTHER_CLASS: Final = lazy_regex(  # class names of other things than the product
    r"brand|vendor|manufacturer|maker|seller|store|shop|author|artist|categor|collection|sub-?title|user|designer|hersteller|marke",
    re.IGNORECASE,
)
_MARKED: Final = lazy_regex(
    r"data-(?:[\w-]*-)?(?:(?P<out>sold-?out|out-?of-?stock)|(?:in-?)?stock(?:-status)?|availab\w*|is-available)"
)
_CONTROLS: Final = frozenset(("button", "input", "a"))
_PRESSED: Final = frozenset(("div", "span"))  # what a script makes a button of
_BUTTON: Final = lazy_regex(r"(?:^|[\s_-])(?:btn|button)(?:$|[\s_-])", re.IGNORECASE)
_LABELS: Final = frozenset(("alt", "aria-label", "title"))
_TESTED: Final = frozenset(_KNOWN_BY)
_NAMING: Final = frozenset((*NAMES_GIVEN, "itemprop", "alt"))


class Parts(NamedTuple):
    """Places in the outline, in order."""

    named: list[int]  # what may name a product, or its brand
    stock: dict[int, bool]  # what classes and attributes say about stock
    marked: list[int]  # where they do
    labels: list[int]  # elements without content that have a label
    controls: list[int]  # what can be pressed


def parts_of(outline: Outline) -> Parts:
    """The elements of a page by what they may say; nearly all have nothing but a class, which others have as well."""
    named, stock, labels, controls = list[int](), dict[int, bool](), list[int](), list[int]()
    known: dict[tuple[str, str], tuple[bool, bool | None]] = {}
    for at, tag in enumerate(outline.tags):
        if not tag:
            continue
        attributes = outline.attributes[at]
        if tag in _CONTROLS:
            controls.append(at)
        if not attributes:
            if tag in HEADINGS:
                named.append(at)
            continue
        if len(attributes) == 1 and (classes := attributes.get("class")):
            if (found := known.get((tag, classes))) is None:
                found = known[tag, classes] = (tag in HEADINGS or _is_name_class(classes), stock_from_names(classes))
            may_name, says = found
            if tag in _PRESSED and at + 2 >= outline.ends[at] > at + 1 and _is_called_button(classes):
                controls.append(at)  # <div class="add-to-basket-button">Add</div>
        else:
            may_name = not _NAMING.isdisjoint(attributes) or name_rank(tag, attributes, called_by(attributes)) is not None
            says = stock_by_markup(attributes)
            if attributes.get("role") == "button" and tag not in _CONTROLS:
                controls.append(at)
            if at + 1 == outline.ends[at] and not _LABELS.isdisjoint(attributes):
                labels.append(at)
        if may_name:
            named.append(at)
        if says is not None:
            stock[at] = says
    return Parts(named, stock, list(stock), labels, controls)


def called_by(attributes: Mapping[str, str | None]) -> str:
    """What an element is called: its classes, and what tests of the shop know it by."""
    classes = attributes.get("class") or ""
    if _TESTED.isdisjoint(attributes):
        return classes
    return " ".join(filter(None, (classes, *map(attributes.get, _KNOWN_BY))))


def name_rank(tag: str, attributes: Mapping[str, str | None], called: str) -> int | None:
    """How surely an element has a name in it, lower is surer; None: nothing says so."""
    if attributes.get("itemprop") == "name":
        return 0
    return 1 if tag in HEADINGS else 2 if called and _is_name_class(called) else None


@short_cache(4096)
def _is_called_button(classes: str) -> bool:
    return _BUTTON.search(classes) is not None


@short_cache(4096)
def _is_name_class(called: str) -> bool:
    return _NAME_CLASS.search(called) is not None and _OTHER_CLASS.search(called) is None


def stock_by_markup(attributes: Mapping[str, str | None]) -> bool | None:
    """What an element's classes and attributes say about stock: shop systems mark sold-out cards with them."""
    for name, value in attributes.items():
        if name.startswith("data-") and value and (found := _MARKED.fullmatch(name)):
            stock = int(value) > 0 if re.fullmatch(r"\d{1,9}", value) else stock_from_schema(value)
            if stock is not None:
                return not stock if found["out"] else stock
    return stock_from_names(classes) if (classes := attributes.get("class")) else None
