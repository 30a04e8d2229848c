"""What a product page asks for its product: structured data first, then its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from driftline.core.offers import offered_products
from driftline.core.prices import Price, find_prices, parse_price
from driftline.core.stock import stock_from_schema, stock_from_text
from driftline.core.structured import Thing
from driftline.kinds.page.parsed import Classification, Offer
from driftline.kinds.page.shelf import Shelf

_MOST: Final = 40  # candidates kept
_LONGEST: Final = 240  # characters; prices in longer lines are talked about, not asked
_DIGIT: Final = re.compile(r"\d")
# A price has a sign, or a letter beside its digits: much quicker to ask than to read every number.
_MONEY: Final = re.compile(
    r"[$€£¥₹₽₩₺₴₪₫฿₦₱₡₲₵₸₼₾¢￥]|\d\s?[^\W\d_]{1,4}\b|\b[^\W\d_]{1,4}\.?\s?\d|\d[.,][-–—]|\d\s?(?i:euro|dollar|pound|franc)"
)


def price_candidates(texts: Sequence[str]) -> tuple[str, ...]:
    """The prices on the page as they are written, in its order, each once."""
    found: dict[str, None] = {}
    for text in texts:
        if len(text) <= _LONGEST and _DIGIT.search(text) and _MONEY.search(text):
            for span in find_prices(text):
                found.setdefault(text[span.start : span.end].strip())
            if len(found) >= _MOST:
                break
    return tuple(found)[:_MOST]


def offer_of(
    things: Sequence[Thing], head: dict[str, str], shelf: Shelf, classification: Classification, *, hint: str | None
) -> Offer:
    """Price and stock of the page's one product; nothing on pages that are not about one."""
    if classification.type != "product":
        return Offer()
    price, stock = _structured(things)
    if price is None:
        amount = head.get("product:price:amount") or head.get("og:price:amount")
        currency = head.get("product:price:currency") or head.get("og:price:currency")
        price = parse_price(amount, currency=currency) if amount else None
    if stock is None:
        stock = stock_from_schema(head.get("product:availability") or head.get("og:availability"))
    if price is None:
        price = shelf.price(hint)
    if stock is None:
        stock = shelf.stock()
    return Offer(str(price.amount) if price is not None else None, price.currency if price is not None else None, stock)


def offer_within(offer: Offer, texts: Sequence[str]) -> Offer:
    """As much of an offer as a selected part of the page says itself."""
    said = {span.price.amount for text in texts if len(text) <= _LONGEST for span in find_prices(text)}
    told = any(stock_from_text(text) is not None for text in texts if len(text) <= _LONGEST)
    price = offer.price is not None and Decimal(offer.price) in said
    return Offer(offer.price if price else None, offer.currency if price else None, offer.in_stock if told else None)


def _structured(things: Sequence[Thing]) -> tuple[Price | None, bool | None]:
    """What the page's own product asks, by its structured data."""
    for product in offered_products(list(things)):
        if product.price is not None or product.in_stock is not None:
            return product.price, product.in_stock
    return None, None
