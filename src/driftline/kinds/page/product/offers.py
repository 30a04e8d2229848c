"""What a product page asks for its product: structured data first, then its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from driftline.core.commerce.buy_buttons import asks_to_buy
from driftline.core.commerce.offers import offered_products
from driftline.core.commerce.prices import Price, find_prices, parse_price
from driftline.core.commerce.stock import stock_from_schema, stock_from_text
from driftline.core.markup.structured import Thing
from driftline.core.text.folding import title_key
from driftline.kinds.page.parsed import Classification, Offer
from driftline.kinds.page.product.product_area import ProductArea
from driftline.kinds.page.product.title_match import is_named

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
    things: Sequence[Thing],
    head: dict[str, str],
    area: ProductArea,
    classification: Classification,
    *,
    title: str,
    candidates: Sequence[str],
    hint: str | None,
) -> Offer:
    """Price and stock of the page's one product; nothing on pages that are not about one."""
    if classification.type != "product":
        return Offer()
    price, stock = _structured(things, title)
    if price is None:
        price = _of_head(head)
    if stock is None:
        stock = stock_from_schema(head.get("product:availability") or head.get("og:availability"))
    if price is None and (shown := area.price(hint)) is not None and shown.amount:  # 0.00 says that no price is filled in
        price = shown
    if stock is None:
        stock = area.stock()
    if price is not None and price.currency is None:
        price = Price(price.amount, _written_in(price, candidates, hint))
    amount, currency = (str(price.amount), price.currency) if price is not None else (None, None)
    return Offer(amount, currency, stock, buyable=stock is None and area.buyable)


def _written_in(price: Price, candidates: Sequence[str], hint: str | None) -> str | None:
    """The currency of an amount that structured data leaves without: that of the same amount in the page's text."""
    shown = (parse_price(text, currency=hint) for text in candidates)
    return next((same.currency for same in shown if same is not None and same.amount == price.amount and same.currency), None)


def offer_within(offer: Offer, texts: Sequence[str]) -> Offer:
    """As much of an offer as a selected part of the page says itself."""
    said = {span.price.amount for text in texts if len(text) <= _LONGEST for span in find_prices(text)}
    says_stock = any(stock_from_text(text) is not None for text in texts if len(text) <= _LONGEST)
    price = offer.price is not None and Decimal(offer.price) in said
    asks = offer.buyable and any(asks_to_buy(text) for text in texts)
    return Offer(
        offer.price if price else None, offer.currency if price else None, offer.in_stock if says_stock else None, asks
    )


def _structured(things: Sequence[Thing], title: str) -> tuple[Price | None, bool | None]:
    """What the page's own product asks, by its structured data: the one that the page is called after, else the first."""
    products = [one for one in offered_products(list(things)) if one.price is not None or one.in_stock is not None]
    called = title_key(title)
    own = min(products, key=lambda one: (not is_named(one.title, called), one.listed), default=None)
    return (own.price, own.in_stock) if own is not None else (None, None)


def _of_head(head: dict[str, str]) -> Price | None:
    """What the head asks; a lower price for the sale wins."""
    found: list[Price] = []
    for kind in ("product:sale_price", "product:price", "og:price"):
        amount = head.get(f"{kind}:amount")
        price = parse_price(amount, currency=head.get(f"{kind}:currency")) if amount else None
        if price is not None:
            found.append(price)
    return (
        min(found, key=lambda price: price.amount) if len({price.currency for price in found}) == 1 else next(iter(found), None)
    )
