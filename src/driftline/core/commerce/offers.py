"""Reads products from structured data: name, price, currency and stock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import msgspec

from driftline.core.commerce.amounts import bounded, from_plain, read_number
from driftline.core.commerce.currencies import THOUSANDTHS
from driftline.core.commerce.currency_symbols import currency_code
from driftline.core.commerce.prices import Price, parse_price
from driftline.core.commerce.product_codes import product_code
from driftline.core.commerce.stock import stock_from_schema, stock_from_text
from driftline.core.markup.structured import Thing

PRODUCT_TYPES: Final = (
    "Product",
    "ProductGroup",
    "ProductModel",
    "IndividualProduct",
    "SomeProducts",
    "Vehicle",
    "Car",
    "Motorcycle",
    "SoftwareApplication",
    "MobileApplication",
    "VideoGame",
    "Book",
    "Hotel",
)
# A product under one of these properties belongs to another thing: an accessory, a suggestion, the subject of a review.
_RELATED = frozenset(
    """isRelatedTo isSimilarTo isAccessoryOrSparePartFor isConsumableFor isVariantOf itemReviewed review reviews aggregateRating
    brand manufacturer about mentions seller includesObject subjectOf category""".split()
)
_MOST_VARIANTS: Final = 200
_LIST_PRICE = re.compile(r"list|strike|msrp|srp|invoice|advertised", re.IGNORECASE)  # a former or recommended price
_FOR_OTHERS = frozenset(("validForMemberTier", "eligibleCustomerType"))
_SECOND_HAND = re.compile(r"used|refurbished|damaged", re.IGNORECASE)
_RENTAL = re.compile(r"lease|rent", re.IGNORECASE)
_THOUSANDS_AS_TEXT = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """A product as structured data describes it."""

    title: str
    url: str  # as written, perhaps relative; empty if missing
    price: Price | None
    high: Decimal | None = None  # of a range
    in_stock: bool | None = None
    image: str = ""
    listed: bool = False  # an entry of a list on the page
    bad_price: str = ""  # a price field that cannot be a price
    code: str = ""  # what it is called in every shop: its GTIN, or brand and part number
    variants: tuple[tuple[str, Price | None, bool | None], ...] = ()  # by size or colour: name, price, stock


def offered_products(things: list[Thing], *, currency: str | None = None) -> list[Offered]:
    """Every product that the page describes for its own sake, in order."""
    offers_of = {id(product): thing for thing in things for product in thing.things("itemOffered")}
    return [
        offered(thing, currency=currency, offer=offers_of.get(id(thing)))
        for thing in things
        if thing.is_a(*PRODUCT_TYPES) and not _RELATED.intersection(thing.path) and thing.path[-1:] != ("hasVariant",)
    ]


def offered(product: Thing, *, currency: str | None = None, offer: Thing | None = None) -> Offered:
    """One product with its offers combined: the lowest price, and in stock if one offer is."""
    offers = _for_everybody(_offers(product) or ([offer] if offer else []))
    prices: list[Price] = []
    high: Decimal | None = None
    bad = ""
    for one in offers:
        own_currency = (
            currency_code(one.text("priceCurrency"), currency)
            or _specified_currency(one)
            or currency_code(product.text("priceCurrency"))
        )
        price, wrong = _price(one, own_currency or currency)
        bad = bad or wrong
        if price:
            prices.append(price)
        upper = _amount(one.properties.get("highPrice", [])[:1], own_currency or currency)
        high = upper if isinstance(upper, Decimal) else high
    cheapest = min(
        (price for price in prices if price.currency == prices[0].currency), key=lambda price: price.amount, default=None
    )
    stock = [
        answer
        for one in (*offers, product)
        for value in one.properties.get("availability", ())
        if (answer := _stock(value)) is not None
    ] or [level > 0 for one in offers if (level := _inventory_level(one)) is not None]
    if cheapest is not None and cheapest.amount == 0 and stock and not any(stock):
        cheapest = None  # a price of 0 for a sold-out product means that it is not stated
    return Offered(
        title=product.text("name", "title") or product.text("description")[:200],
        url=product.text("url", "@id")
        or next((url for one in offers if (url := one.text("url"))), "")
        or _url_or_empty(product.id),
        price=cheapest,
        high=high,
        in_stock=any(stock) if stock else None,
        image=_image(product),
        listed="itemListElement" in product.path,
        bad_price="" if cheapest else bad,
        code=_code(product),
        variants=tuple(_variants(product, currency)),
    )


def _code(product: Thing) -> str:
    brand = next((one.text("name") for one in product.things("brand", "manufacturer")), "") or product.text("brand")
    gtin = product.text("gtin13", "gtin", "gtin14", "gtin12", "gtin8", "isbn", "ean")
    return product_code(gtin, brand, product.text("mpn"))


def _variants(product: Thing, currency: str | None) -> Iterator[tuple[str, Price | None, bool | None]]:
    """The sizes and colours of a group of products."""
    title = product.text("name", "title")
    for one in product.things("hasVariant")[:_MOST_VARIANTS]:
        variant = offered(one, currency=currency)
        name = " / ".join(filter(None, (one.text("size"), one.text("color"), one.text("pattern"), one.text("material"))))
        if name := name or variant.title.removeprefix(title).strip(" -–—/,:|"):
            yield name, variant.price, variant.in_stock


def _offers(product: Thing) -> list[Thing]:
    offers = product.things("offers", "offer")
    for inner in list(offers):
        if (not inner.properties.get("price") and not inner.properties.get("lowPrice")) or (
            inner.is_a("AggregateOffer") and not inner.properties.get("availability")
        ):
            offers.extend(inner.things("offers"))
    if not offers:
        offers = [offer for variant in product.things("hasVariant") for offer in variant.things("offers")]
    if not offers and product.properties.keys() & {"price", "lowPrice", "availability"}:
        offers = [product]  # flat markup: price and availability are on the product itself
    return offers


def _price(offer: Thing, currency: str | None) -> tuple[Price | None, str]:
    """The offer's price, or the invalid text in its place."""
    values = offer.properties.get("price") or offer.properties.get("lowPrice") or []
    if not values:
        specified = sorted(offer.things("priceSpecification"), key=_rank)
        values = next((values_of_it for one in specified if _rank(one) < _NEVER and (values_of_it := _specified(one))), [])
    amount = _amount(values[:1], currency)
    if isinstance(amount, Price):
        return amount, ""
    if amount is not None:
        return Price(amount, currency), ""
    written = next((str(value) for value in values if not isinstance(value, Thing)), "")
    return None, written


_NEVER: Final = 3


def _rank(specification: Thing) -> int:
    """The rank of a price specification: sale price or untyped first, then the regular price."""
    kind = specification.text("priceType", "name")
    if _LIST_PRICE.search(kind):
        return _NEVER
    properties = specification.properties.keys()
    if properties & {"referenceQuantity", "unitText", "billingIncrement", "billingDuration"} or properties & _FOR_OTHERS:
        return 2 if "referenceQuantity" not in properties else _NEVER
    return int("regular" in kind.casefold())


def _specified(specification: Thing) -> list[str | Decimal | Thing]:
    return specification.properties.get("price") or specification.properties.get("minPrice") or []


def _for_everybody(offers: list[Thing]) -> list[Thing]:
    """New single items for any buyer; all offers if there is none."""
    if len(offers) < 2:
        return offers
    for special in (_is_for_others, _is_for_many, _is_rental, _is_second_hand):
        offers = [one for one in offers if not special(one)] or offers
    return offers


def _is_for_others(offer: Thing) -> bool:
    return not _FOR_OTHERS.isdisjoint(offer.properties)


def _is_for_many(offer: Thing) -> bool:
    least = (from_plain(one.text("minValue", "value")) for one in offer.things("eligibleQuantity"))
    return any(number is not None and number > 1 for number in least)


def _is_rental(offer: Thing) -> bool:
    return _RENTAL.search(offer.text("businessFunction")) is not None


def _is_second_hand(offer: Thing) -> bool:
    return _SECOND_HAND.search(offer.text("itemCondition")) is not None


def _inventory_level(offer: Thing) -> Decimal | None:
    """The stock count of an offer, if it has one."""
    levels = offer.things("inventoryLevel")
    return from_plain(levels[0].text("value")) if levels else from_plain(offer.text("inventoryLevel"))


def _amount(values: list[str | Decimal | Thing], currency: str | None) -> Decimal | Price | None:
    """A machine-readable number, or else a price as people write it."""
    for value in values:
        if isinstance(value, Decimal):
            return bounded(value)
        if isinstance(value, str):
            text = value.strip()
            if _THOUSANDS_AS_TEXT.fullmatch(text):
                return read_number(text, thousandths=THOUSANDTHS.get(currency or "", ""))
            if (plain := from_plain(text)) is not None:
                return plain
            return parse_price(text, currency=currency)
    return None


def _specified_currency(offer: Thing) -> str | None:
    return next(
        (code for one in offer.things("priceSpecification") if (code := currency_code(one.text("priceCurrency")))), None
    )


def _stock(value: str | Decimal | Thing) -> bool | None:
    written = (value.id or value.text("name")) if isinstance(value, Thing) else value
    stock = stock_from_schema(written)
    return stock_from_text(written) if stock is None and isinstance(written, str) else stock


def _image(product: Thing) -> str:
    for value in product.properties.get("image", ()):
        found = value.text("url", "contentUrl") or _url_or_empty(value.id) if isinstance(value, Thing) else str(value)
        if found:
            return found
    return ""


def _url_or_empty(ident: str | None) -> str:
    return ident if ident and ident.startswith(("http://", "https://", "/")) else ""
