"""Reads listings that are data without rules: XML feeds and JSON lists, by the names of their fields."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final
from xml.parsers import expat

from selectolax.lexbor import LexborHTMLParser

from driftline.core.commerce.amounts import from_plain
from driftline.core.commerce.prices import parse_price
from driftline.core.commerce.product_codes import BRANDS, GTINS, PARTS, product_code
from driftline.core.commerce.product_codes import FIELD as CODE
from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.catalog.product import Product
from driftline.kinds.catalog.push.rows import Rejected, RowReader, collapse
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.catalog.variants import FIELD
from driftline.kinds.kind import Reading

MAX_ENTRIES: Final = 50_000  # per answer
_MAX_DEPTH: Final = 12  # of the list
_MAX_VISITED: Final = 2_000  # objects visited in search of it
_ENTRIES: Final = frozenset(("item", "entry", "offer", "product"))
_MARK: Final = re.compile(
    rb"\s*+(?:\xef\xbb\xbf)?\s*+(?:(?P<json>[\[{])|(?P<xml><\?xml|<rss|<feed|<yml_catalog|<products|<catalog))"
)
_TITLES: Final = ("title", "name", "productname", "producttitle", "displayname", "model")
_URLS: Final = (
    "url", "link", "permalink", "producturl", "productlink", "canonicalurl", "onlinestoreurl", "pdpurl", "detailurl", "weburl",
    "href", "seourls", "path", "urlpath", "productpath", "seourl", "seopathinfo",
)  # fmt: skip
_SALES: Final = (
    "saleprice",
    "specialprice",
    "currentprice",
    "finalprice",
    "discountedprice",
    "offerprice",
    "promoprice",
    "current",
    "now",
    "sale",
)
_PRICES: Final = (
    "price",
    "prices",
    "pricing",
    "amount",
    "value",
    "minprice",
    "lowprice",
    "regularprice",
    "listprice",
    "min",
    "pricerange",
    "minvariantprice",
    "minimumprice",
    "calculatedprice",
    "unitprice",
    "gross",
)
_CURRENCIES: Final = ("currency", "currencycode", "pricecurrency", "currencyid", "currencyiso", "isocode")
_STOCKS: Final = (
    "instock", "isinstock", "availability", "available", "isavailable", "stockstatus", "stock", "stockquantity",
    "inventoryquantity", "quantity", "availableforsale", "orderable", "purchasable", "availablestock",
    "stocklevelstatus", "inventory", "availabilityv2", "availablequantity",
)  # fmt: skip
_OF_SHOPIFY: Final = frozenset(("variants", "pricerange", "availableforsale", "compareatprice"))
_MAX_SCRIPTS: Final = 100  # of a page that are searched for its state
_MIN_STATE: Final = 80  # characters
_ASSIGNED: Final = re.compile(r"(?:window|self|globalThis)\.[\w.$]{1,120}\s{0,20}=\s{0,20}(?=[{\[])")
_SOLD_OUT: Final = ("soldout", "issoldout", "outofstock", "isoutofstock")
_IMAGES: Final = ("image", "imageurl", "imagelink", "picture", "thumbnail", "featuredimage", "images")
_NESTED: Final = ("src", "url", "rendered", "href", "@value", "name", "seoPathInfo")
_MOST_VARIANTS, _DEEPEST_VARIANT = 200, 2
_SOLD_AS: Final = ("variants", "items", "skus", "sellers", "offers")  # lists of what a product is sold as


def is_data(body: bytes) -> bool:
    """Whether an answer is JSON or XML, by its first bytes."""
    begins = _MARK.match(body[:200])
    return begins is not None and not (begins["xml"] and b"<html" in body[:1_000].lower())


def rows_of(body: bytes) -> list[dict[str, Any]] | None:
    """The products of a data answer as rows; None if it contains no list of products."""
    begins = _MARK.match(body[:200])
    try:
        entries = _xml(body) if begins is not None and begins["xml"] else _list_in(decode_json(body))
    except (BadFile, expat.ExpatError, ValueError):
        return None
    rows = [row for entry in entries[:MAX_ENTRIES] if (row := _row(entry)) is not None]
    return rows if rows and 2 * len(rows) >= len(entries) else None


def reading_of(rows: Iterable[dict[str, Any]], url: str, rules: CatalogRules) -> Reading[Product]:
    """A reading made from rows."""
    reader = RowReader(rules, url)
    items = [read for row in rows if not isinstance(read := reader.read(row), Rejected)]
    found, notices = collapse(items)
    return Reading(items=found, warnings=reader.notices() + notices, counters={"total": len(found)})


def embedded_rows(tree: LexborHTMLParser) -> list[dict[str, Any]] | None:
    """The products in a page's embedded state: JSON scripts, or values assigned to `window`."""
    best: list[dict[str, Any]] | None = None
    for script in tree.css("script:not([src])")[:_MAX_SCRIPTS]:
        text = script.text() or ""
        kind = script.attributes.get("type") or ""
        if kind == "application/ld+json" or len(text) < _MIN_STATE:
            continue
        start = 0 if "json" in kind else found.end() if (found := _ASSIGNED.search(text[:2_000])) else -1
        if start < 0:
            continue
        rows = rows_of(_first_value(text[start:]).encode())
        if rows is not None and len(rows) > len(best or ()):
            best = rows
    return best


def _first_value(text: str) -> str:
    """The JSON value at the start of a script; the rest is code."""
    text = text.lstrip()
    if text.rstrip(" \t\r\n;").endswith(("}", "]")):
        return text.rstrip(" \t\r\n;")
    end = max(text.find("};"), text.find("];"))
    return text[: end + 1] if end > 0 else text


def _list_in(data: Any) -> list[Mapping[str, Any]]:
    """The longest list of objects that look like products."""
    best: list[Mapping[str, Any]] = []
    waiting: deque[tuple[Any, int]] = deque([(data, 0)])
    looked = 0
    while waiting and looked < _MAX_VISITED:
        value, depth = waiting.popleft()
        looked += 1
        if isinstance(value, list):
            objects: list[Mapping[str, Any]] = [one for one in value if isinstance(one, dict)]
            if len(objects) > len(best) and 2 * sum(_row(one) is not None for one in objects[:20]) > min(len(objects), 20):
                best = objects
                continue
            inner: Iterable[Any] = objects[:20]
        else:
            inner = value.values() if isinstance(value, dict) else ()
        if depth < _MAX_DEPTH:
            waiting += ((one, depth + 1) for one in inner if isinstance(one, dict | list))
    return best


def _xml(body: bytes) -> list[Mapping[str, Any]]:
    """The entries of a feed, each with its direct children by local name."""
    entries: list[Mapping[str, Any]] = []
    path: list[str] = []
    entry: dict[str, Any] | None = None
    text: list[str] = []
    at = 0
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal entry, at
        local = name.rpartition(":")[2].lower()
        path.append(local)
        if len(path) > 4 * _MAX_DEPTH:
            raise ValueError("too deep")
        if entry is None and local in _ENTRIES:
            entry, at = dict(attributes), len(path)
        elif entry is not None and len(path) == at + 1:
            text.clear()
            if local == "link" and attributes.get("href") and attributes.get("rel", "alternate") == "alternate":
                entry.setdefault("link", attributes["href"])

    def end(_: str) -> None:
        nonlocal entry
        local = path.pop()
        if entry is not None and len(path) == at:
            if written := "".join(text).strip():
                entry.setdefault(local, written)
            text.clear()
        elif entry is not None and len(path) < at:
            entries.append(entry)
            entry = None

    def refuse(*_: object) -> None:
        raise ValueError("a document type is never read")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    parser.EntityDeclHandler = refuse
    parser.Parse(body, True)
    return entries


def _row(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """An entry as a row; None without a name, an address, or both price and stock."""
    fields = {_plain_name(name): value for name, value in entry.items() if isinstance(name, str)}
    nested = fields.get("node") or fields.get("product") or fields.get("attributes")
    if isinstance(nested, dict) and not any(name in fields for name in _TITLES):
        fields = {_plain_name(name): value for name, value in nested.items() if isinstance(name, str)}
    title = _text(_first(fields, _TITLES)) or _text(fields.get("translated"))
    url = _rooted(_text(_first(fields, _URLS))) or _address(fields)
    variants = _variants(fields)
    if not title or not url:
        return None
    price, currency = _price(fields)
    stock = _stock(fields)
    if variants:
        prices = [amount for amount, _ in map(_price, variants) if amount]
        price = price if price is not None or not prices else min(prices)
        stocks = [bool(one) for one in map(_stock, variants) if isinstance(one, int)]
        stock = any(stocks) if stock is None and stocks else stock
    if price is None and stock is None:
        return None
    found = {"url": url, "title": title, "price": price, "currency": currency, "in_stock": stock}
    if sold_as := [_sold_as(one) for one in variants if _text(_first(one, _TITLES))]:
        found["extra"] = {FIELD: sold_as}
    if code := _code(fields, variants):
        found["extra"] = {**found.get("extra", {}), CODE: code}
    image = _text(_first(fields, _IMAGES))
    return {name: value for name, value in (*found.items(), ("image", image)) if value not in (None, "")}


def _code(fields: Mapping[str, Any], variants: list[dict[str, Any]]) -> str:
    """What the product is called in every shop; that of a variant where it is the only one."""
    own = [fields, *(variants if len(variants) == 1 else ())]
    gtin = next((str(value) for one in own if (value := _first(one, GTINS)) and isinstance(value, str | int)), "")
    return product_code(gtin, _text(_first(fields, BRANDS)), _text(_first(fields, PARTS)))


def _variants(fields: Mapping[str, Any], depth: int = 0) -> list[dict[str, Any]]:
    """What a product is sold as: its variants, their sellers, and each one's offer."""
    several = next((listed for name in _SOLD_AS if isinstance(listed := fields.get(name), list) and listed), ())
    found: list[dict[str, Any]] = []
    for one in several[:_MOST_VARIANTS]:
        if isinstance(one, dict):
            inner = {_plain_name(name): value for name, value in one.items() if isinstance(name, str)}
            offer = inner.get("commertialoffer")  # as VTEX spells it
            if isinstance(offer, dict):
                inner |= {_plain_name(name): value for name, value in offer.items()}
            found += (_variants(inner, depth + 1) if depth < _DEEPEST_VARIANT else []) or [inner]
    return found


def _sold_as(variant: Mapping[str, Any]) -> dict[str, Any]:
    """A variant under our names."""
    return {"name": _text(_first(variant, _TITLES)), "price": _price(variant)[0], "in_stock": _stock(variant)}


def _rooted(url: str) -> str:
    """A path that a shop's data name starts at the shop, and not at the address of the data."""
    bare = bool(url) and "://" not in url and not url.startswith(("/", "?", "#")) and "." not in url.partition("/")[0]
    return f"/{url}" if bare else url


def _address(fields: Mapping[str, Any]) -> str:
    """The product path that a shop system builds from a handle."""
    if isinstance(handle := fields.get("handle"), str) and handle and not fields.keys().isdisjoint(_OF_SHOPIFY):
        return f"/products/{handle}"
    if isinstance(key := fields.get("urlkey"), str) and key:
        suffix = fields.get("urlsuffix")
        return f"/{key}{suffix if isinstance(suffix, str) else '.html'}"
    return ""


def _plain_name(name: str) -> str:
    return name.rpartition(":")[2].replace("_", "").replace("-", "").lower()


def _first(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "", [], {})), None)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, dict):
        return next((inner for name in _NESTED if isinstance(inner := value.get(name), str) and inner), "")
    return value if isinstance(value, str) else ""


def _price(fields: Mapping[str, Any]) -> tuple[Decimal | None, str | None]:
    """The current price: the sale price if it is lower."""
    currency = _text(_first(fields, _CURRENCIES)) or None
    usual = next(_amounts(fields, _PRICES, currency), None)
    sale = next(_amounts(fields, _SALES, currency), None)
    if sale is not None and sale[0] and (usual is None or sale[0] <= usual[0]):
        return sale
    return usual if usual is not None else (None, currency)


def _amounts(fields: Mapping[str, Any], names: Iterable[str], currency: str | None) -> Iterator[tuple[Decimal, str | None]]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, dict):
            inner = {_plain_name(key): one for key, one in value.items() if isinstance(key, str)}
            amount, own_currency = _price(inner)
            minor = inner.get("currencyminorunit")
            if amount is not None:
                yield amount.scaleb(-minor) if isinstance(minor, int) and 0 < minor < 5 else amount, own_currency or currency
        elif isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            if (amount := from_plain(repr(value) if isinstance(value, float) else str(value))) is not None:
                yield amount, currency
        elif isinstance(value, str):
            plain = from_plain(value)
            found = None if plain is not None else parse_price(value, currency=currency)
            if plain is not None:
                yield plain, currency
            elif found is not None:
                yield found.amount, found.currency or currency


def _stock(fields: Mapping[str, Any]) -> Any:
    for name in _STOCKS:
        value = fields.get(name)
        if isinstance(value, dict):
            inner = {_plain_name(key): one for key, one in value.items() if isinstance(key, str)}
            value = nested if (nested := _stock(inner)) is not None else inner.get("status")
        if isinstance(value, str | int | float) and value != "":
            return value
    gone = [value for name in _SOLD_OUT if isinstance(value := fields.get(name), bool)]
    return not any(gone) if gone else None
