"""Sizes and colours that a card or a product page offers: options, swatches, and the data that shops write beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from driftline.core.commerce.amounts import canonical, from_plain
from driftline.core.commerce.buy_buttons import is_disabled
from driftline.core.commerce.card_text import shown_text
from driftline.core.commerce.prices import find_prices
from driftline.core.commerce.stock import stock_from_names, stock_from_text
from driftline.core.markup.outline import Outline
from driftline.core.text.folding import fold
from driftline.core.text.json_text import decode_json
from driftline.core.text.lazy_regex import lazy_regex
from driftline.errors import BadFile

_MOST: Final = 200  # variants of a product
_MOST_DATA: Final = 1_000_000  # characters
_LONGEST: Final = 80  # characters of a name
_LONGEST_BUTTON: Final = 14
_NAMED_BY: Final = ("name", "class", "id", "data-option-name", "data-testid")
_IS_VARIANT: Final = lazy_regex(
    r"(?:^|[\s_\[-])(?:sizes?|colou?rs?|swatch\w{0,12}|variants?|variations?|options?|attributes?|configurator|group|"
    r"groesse|farbe|taille|couleur|talla|rozmiar|maat|kleur|storlek)(?:$|[\s_\[\]\d-])",
    re.IGNORECASE,
)
_IS_OTHER: Final = lazy_regex(
    r"(?:^|[\s_\[-])(?:qty|quantity|anzahl|menge|sort\w{0,8}|orderby|currency|country|language|locale|filters?|facets?|rating|gift|"
    r"cart|basket|wishlist|quick\w{0,6}|compare|gallery|thumb\w{0,6}|carousel|slider?|prev|next|tabs?)(?:$|[\s_\]-])",
    re.IGNORECASE,
)
_SAID_BEHIND: Final = lazy_regex(r" [-–—|] | ?[(\[]| ?: ")  # 42 - sold out, 42 (+5 €); of folded text
_DATA: Final = "data-product_variations"  # WooCommerce
_UNUSABLE: Final = lazy_regex(
    r"(?:^|[\s_-])(?:unavailable|not-?available|crossed?-?out|oos|soldout)(?:$|[\s_-])", re.IGNORECASE
)


class VariantSeen(NamedTuple):
    """A variant as a page shows it."""

    name: str
    price: str | None  # canonical decimal
    in_stock: bool | None  # None: it can be chosen, and nothing says more


def shown_variants(outline: Outline, at: int, currency: str | None) -> list[VariantSeen]:
    """The variants inside an element: of the data in it, else of its largest group of choices."""
    groups: defaultdict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for place in outline.inside(outline.choices, at):
        tag, attributes = outline.tags[place], outline.attributes[place]
        if tag == "form" and (data := attributes.get(_DATA)):
            if found := _of_woocommerce(data):
                return found
        elif tag == "option" and attributes.get("value") not in (None, ""):
            chosen = outline.parents[place]
            if outline.tags[chosen] == "optgroup":
                chosen = outline.parents[chosen]
            if _is_variant(outline, chosen):
                groups[("option", chosen)].append((place, shown_text(outline, place)))
        elif tag == "input" and attributes.get("type") == "radio" and _is_variant(outline, place):
            groups[(f"radio {attributes.get('name')}", 0)].append((place, _label(outline, place)))
        elif (
            tag == "button" and _is_variant(outline, place) and len(text := fold(shown_text(outline, place))) <= _LONGEST_BUTTON
        ):
            groups[("button", outline.parents[place])].append((place, text))
    sold_as = [list(_states(outline, members, currency)) for members in groups.values() if 1 < len(members) <= _MOST]
    return max((found for found in sold_as if len(found) > 1), key=_amount_said, default=[])


def _amount_said(group: list[VariantSeen]) -> tuple[int, int]:
    """How much a group says: whether some are sold out, then how many there are."""
    return sum(one.in_stock is not None or one.price is not None for one in group), len(group)


def _is_variant(outline: Outline, at: int) -> bool:
    """Whether an element, or one right around it, is called a size, a colour or a choice, and none of them something else."""
    so_called = False
    for _ in range(4):
        if at < 0 or outline.tags[at] in ("body", "main", "article"):
            break
        attributes = outline.attributes[at]
        called = " ".join([name for key in _NAMED_BY if (name := attributes.get(key))])
        if called and _IS_OTHER.search(called):
            return False
        so_called = (
            so_called
            or _IS_VARIANT.search(called) is not None
            or (attributes.get("name") == "id" and outline.tags[at] != "input")
        )
        at = outline.parents[at]
    return so_called


def _label(outline: Outline, radio: int) -> str:
    """What stands beside a choice: its own label, else the text around it, else its value."""
    attributes = outline.attributes[radio]
    above = outline.parents[radio]
    if outline.tags[above] == "label":
        return fold(shown_text(outline, above)) or attributes.get("value") or ""
    following = outline.ends[radio]
    while following < outline.ends[above] and not outline.tags[following]:
        following += 1
    if following < outline.ends[above] and outline.tags[following] == "label":
        return fold(shown_text(outline, following)) or attributes.get("value") or ""
    return attributes.get("aria-label") or attributes.get("value") or ""


def _states(outline: Outline, members: list[tuple[int, str]], currency: str | None) -> Iterator[VariantSeen]:
    """The members of a group with what is said of each; those beside a sold-out one are in stock."""
    found: dict[str, VariantSeen] = {}
    for place, written in members:
        text, value = fold(written), fold(outline.attributes[place].get("value") or "")
        name = value if value and text.startswith(value) else _SAID_BEHIND.split(text, maxsplit=1)[0] or text
        name = name[:_LONGEST].strip()
        if not name or stock_from_text(name) is not None:
            continue
        gone = _is_gone(outline, place) or stock_from_text(text) is False
        found.setdefault(name, VariantSeen(name, _price(text[len(name) :], currency), False if gone else None))
    if _counts_up(list(found)):
        return
    some = any(one.in_stock is False for one in found.values())
    for one in found.values():
        yield one._replace(in_stock=True) if some and one.in_stock is None else one


def _is_gone(outline: Outline, place: int) -> bool:
    """Whether a choice, or its label, is marked as sold out."""
    at = [place]
    if outline.tags[place] == "input":
        around = outline.parents[place]
        at.append(around if outline.tags[around] == "label" else outline.ends[place])
    for one in at:
        if one < len(outline.tags):
            attributes = outline.attributes[one]
            classes = attributes.get("class") or ""
            if is_disabled(attributes) or stock_from_names(classes) is False or _UNUSABLE.search(classes):
                return True
    return False


def _counts_up(names: list[str]) -> bool:
    """Whether names are the numbers from one on: how many of it."""
    return names[:1] in (["0"], ["1"]) and names == [str(number) for number in range(int(names[0]), int(names[0]) + len(names))]


def _price(rest: str, currency: str | None) -> str | None:
    """The price behind a name; a surcharge is none."""
    rest = rest.lstrip(" -–—|:([")
    spans = [span for span in find_prices(rest, currency=currency) if span.role in ("price", "from")]
    return canonical(spans[0].price.amount) if len(spans) == 1 and not rest.startswith("+") else None


def _of_woocommerce(data: str) -> list[VariantSeen]:
    """The variations that a form carries; `false` where there are too many to be sent."""
    rows = _decoded(data)
    found: list[VariantSeen] = []
    for row in rows[:_MOST]:
        options = row.get("attributes")
        name = " / ".join(str(value) for value in options.values() if value) if isinstance(options, Mapping) else ""
        if name:
            stock = row.get("is_in_stock")
            found.append(
                VariantSeen(name[:_LONGEST], _plain(row.get("display_price")), stock if isinstance(stock, bool) else None)
            )
    return found


def variants_of_shopify(data: str) -> list[VariantSeen]:
    """The variants of a product in a script of a theme: prices in hundredths, by title."""
    found: list[VariantSeen] = []
    for row in _decoded(data)[:_MOST]:
        title, there, price = row.get("title"), row.get("available"), row.get("price")
        if not isinstance(title, str) or not isinstance(there, bool) or "option1" not in row:
            return []
        amount = from_plain(str(price)) if isinstance(price, int | str) else None
        hundredths = isinstance(price, int)
        found.append(
            VariantSeen(title[:_LONGEST], canonical(amount.scaleb(-2) if hundredths else amount) if amount else None, there)
        )
    return found


def _decoded(data: str) -> list[dict[str, Any]]:
    """The objects of a list, or of the `variants` of an object."""
    if len(data) > _MOST_DATA:
        return []
    try:
        value = decode_json(data.encode())
    except (BadFile, ValueError):
        return []
    if isinstance(value, dict):
        inner = value.get("product")
        value = value.get("variants") or (inner.get("variants") if isinstance(inner, dict) else None)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _plain(value: object) -> str | None:
    amount = from_plain(str(value)) if isinstance(value, int | float | str) and not isinstance(value, bool) else None
    return canonical(amount) if amount else None
