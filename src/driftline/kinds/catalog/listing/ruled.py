"""Reads the fields of a card by the watch's rules: CSS inside the card, or an attribute."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from driftline.core.commerce.card_price import chosen_price
from driftline.core.commerce.card_text import read_runs
from driftline.core.commerce.prices import Price, parse_price
from driftline.core.commerce.stock import stock_from_schema, stock_from_text
from driftline.core.select.selectors import parse_selector
from driftline.core.text.folding import fold
from driftline.kinds.catalog.product import product_key
from driftline.kinds.catalog.rules import CatalogRules, selector_of


def field(card: LexborNode, where: str) -> str:
    """The text or attribute that a rule selects; empty if missing."""
    selector, attribute = selector_of(where)
    node = _first(card, selector)
    if node is None:
        return ""
    if attribute is not None:
        return node.attributes.get(attribute) or ""
    if node.tag == "meta":
        return node.attributes.get("content") or ""
    if node.tag == "img":
        return node.attributes.get("alt") or ""
    return "".join(run.text for run in read_runs(node))


def link(card: LexborNode, where: str, base: str) -> str | None:
    """The card's target by a rule."""
    selector, attribute = selector_of(where)
    node = _first(card, selector)
    href = (node.attributes.get(attribute or "href") or "") if node is not None else ""
    return product_key(href, base) if href else None


def price(card: LexborNode, where: str, currency: str | None) -> tuple[Price | None, bool]:
    """The current price, and whether there is text in its place that is no price."""
    selector, attribute = selector_of(where)
    node = _first(card, selector)
    if node is None:
        return None, False
    if attribute is None and node.tag != "meta":
        found = chosen_price(read_runs(node), currency)
        if found is not None:
            return found, False
    text = field(card, where)
    read = parse_price(text, currency=currency)
    return read, read is None and any(sign.isdigit() for sign in text)


def stock(card: LexborNode, where: str, rules: CatalogRules) -> bool | None:
    """The stock by a text, an availability value or a number of pieces."""
    text = fold(field(card, where))
    if re.fullmatch(r"\d{1,9}", text):
        return int(text) > 0
    own = stock_from_text(text, sold_out=rules.sold_out, in_stock=rules.in_stock) if text else None
    return stock_from_schema(text) if own is None else own


def _first(card: LexborNode, selector: str) -> LexborNode | None:
    """The first match of a rule's selector in a card; the card itself if only an attribute is named."""
    return next(iter(parse_selector(selector).compiled.nodes(card)), None) if selector else card
