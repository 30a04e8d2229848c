"""Reads a listing page: structured data and cards combined, and the link to the next page."""

from __future__ import annotations

from typing import Final

import msgspec
from selectolax.lexbor import LexborHTMLParser

from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.currencies import shared_sign_currency
from driftline.core.commerce.currency_symbols import currency_code
from driftline.core.commerce.offers import Offered, offered_products
from driftline.core.commerce.prices import parse_price
from driftline.core.commerce.product_codes import FIELD as CODE
from driftline.core.commerce.stock import stock_from_schema
from driftline.core.commerce.variant_markup import VariantSeen, shown_variants, variants_of_shopify
from driftline.core.identity.urls import MAX_LENGTH, clean
from driftline.core.markup.depth import too_deep
from driftline.core.markup.outline import Outline
from driftline.core.markup.structured import Thing, read_structured
from driftline.core.select.selectors import parse_selector, pick, too_slow
from driftline.core.text.charset import with_utf8
from driftline.core.text.folding import fold, title_key
from driftline.core.text.safety.sanitize import sanitize
from driftline.kinds.catalog.listing.cards import Links, ListingPage, find_cards, lone_card
from driftline.kinds.catalog.listing.family import CardProduct, read_family
from driftline.kinds.catalog.listing.feeds import embedded_rows, reading_of
from driftline.kinds.catalog.listing.paging import listing_of, next_page, page_number
from driftline.kinds.catalog.listing.plain_lists import cards_without_marks
from driftline.kinds.catalog.product import MAX_TITLE, Product, merged, observed, product_key
from driftline.kinds.catalog.push.rows import collapse
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.catalog.variants import FIELD, with_variants
from driftline.kinds.kind import Reading
from driftline.model.change import Notice
from driftline.model.fetch import Fetched

_MAX_SCRIPTS: Final = 100  # of a product page that are searched for its variants


def read_listing(got: Fetched, rules: CatalogRules) -> Reading[Product]:
    """The products of one HTML answer."""
    source, utf8 = with_utf8(got.body, got.headers.get("content-type", ""))
    if too_deep(utf8):
        return Reading(complete=False, outcome="truncated", reason="page is nested too deeply to be read whole")
    tree = LexborHTMLParser(source)
    if refused := too_slow(tree, [parse_selector(text) for text in rules.selectors()]):
        return Reading(complete=False, outcome="error", reason=refused)
    base = _base(tree, got.url)
    things = read_structured(tree)
    currency = rules.currency or _page_currency(tree, things, base)
    warnings: list[Notice] = []
    body = tree.body
    if body is None:
        return Reading(complete=False, outcome="selector_missing", reason="no products found; set the rule `card`")
    page = ListingPage(Outline(body), Links(base), currency)
    if rules.card is not None:
        picked = pick(tree, [parse_selector(rules.card)], limited=False)
        if picked.reason:
            return Reading(complete=False, outcome="error", reason=picked.reason)
        chosen = [(at, node) for node in picked.nodes if (at := page.outline.places.get(node.mem_id)) is not None]
        products = read_family(page, [at for at, _ in chosen], rules, base=base, nodes=[node for _, node in chosen])
        if not products and page_number(got.request) == 1:
            return Reading(complete=False, outcome="selector_missing", reason=f"no product matches {rules.card}")
    else:
        places, doubtful = find_cards(page, lone=page_number(got.request) > 1)
        if not places:
            page, places = cards_without_marks(page)
        if not places:
            page = ListingPage(page.outline, Links(base, ordering=True), currency)
            places, doubtful = find_cards(page)
        cards = read_family(page, places, rules, base=base, doubtful=doubtful)
        structured = _from_structured_data(things, base, currency)
        products, warnings = _merge_sources(
            structured if structured or cards else _from_open_graph(tree, base, currency), cards, rules
        )
        products = _with_own_variants(products, tree, page, rules, base)
        if not products and (rows := embedded_rows(tree)) is not None:
            return reading_of(rows, base, rules)
        if not products and (alone := lone_card(page)) is not None:
            products = read_family(page, [alone], rules, base=base)
        if not products and page_number(got.request) == 1:
            return Reading(complete=False, outcome="selector_missing", reason="no products found; set the rule `card`")
    if not products and not _is_last_page(tree, got, rules, base):
        return Reading(complete=False, outcome="error", reason=f"no products on page {page_number(got.request)}")
    bad = sum(product.bad_price for product in products)
    if bad:
        message = "prices that are not finite, positive amounts of at most 12 digits were left out"
        warnings.append(Notice(code="bad_price", message=message, count=bad))
    items, notices = collapse(observed(product.key, product.product) for product in products)
    return Reading(
        items=items,
        more=next_page(tree, got, rules, base, found=bool(items)),
        warnings=(*warnings, *notices),
        counters={"total": len(items)},
    )


def _is_last_page(tree: LexborHTMLParser, got: Fetched, rules: CatalogRules, base: str) -> bool:
    """Whether a page without products is the listing's end: it links back to the listing. An error page does not."""
    text = fold(tree.body.text()) if tree.body is not None else ""
    if not text or text.startswith(("{", "[")):
        return False
    if rules.pages.parameter is not None:  # counted up until a page is empty
        return True
    places = (clean(link.attributes.get("href") or "", base) for link in tree.css("a[href], link[rel~=prev i]"))
    return any(place and place != got.url and listing_of(place) == listing_of(got.url) for place in places)


def _base(tree: LexborHTMLParser, url: str) -> str:
    element = tree.css_first("base[href]")
    return (clean(element.attributes.get("href") or "", url) or url) if element is not None else url


def _page_currency(tree: LexborHTMLParser, things: list[Thing], base: str) -> str | None:
    """The page's currency, or the meaning of `$` and `kr` by its language and country."""
    for thing in things:
        if code := currency_code(thing.text("priceCurrency")):
            return code
    meta = tree.css_first(
        'meta[property="og:price:currency"], meta[property="product:price:currency"], meta[itemprop="priceCurrency"]'
    )
    if meta is not None and (code := currency_code(meta.attributes.get("content"))):
        return code
    root = tree.css_first("html[lang]")
    return shared_sign_currency((root.attributes.get("lang") or "") if root is not None else "", base)


def _from_structured_data(things: list[Thing], base: str, currency: str | None) -> list[tuple[str | None, Offered]]:
    """Products in structured data by key, and list entries that only have a URL."""
    structured: list[tuple[str | None, Offered]] = []
    products = offered_products(things, currency=currency)
    for product in products:
        key = product_key(product.url, base) if product.url else None
        if key is None and len(products) == 1:
            key = product_key(base)  # a product page watched as a catalog
        structured.append((key, product))
    crumbs = {id(entry) for thing in things if thing.is_a("BreadcrumbList") for entry in thing.things("itemListElement")}
    for thing in things:
        if thing.is_a("ListItem") and id(thing) not in crumbs and "itemListElement" in thing.path and not thing.things("item"):
            url = thing.text("url", "item")
            key = product_key(url, base) if url else None
            if key and thing.text("name"):
                structured.append((key, Offered(title=thing.text("name"), url=url, price=None)))
    return structured


def _from_open_graph(tree: LexborHTMLParser, base: str, currency: str | None) -> list[tuple[str | None, Offered]]:
    """The product of a page by its Open Graph data, if there is nothing else."""
    meta = {
        (node.attributes.get("property") or node.attributes.get("name") or "")
        .removeprefix("og:")
        .removeprefix("product:"): text
        for node in tree.css("meta[content]")
        if (text := (node.attributes.get("content") or "").strip())
    }
    price = parse_price(meta.get("price:amount", ""), currency=currency_code(meta.get("price:currency")) or currency)
    if meta.get("type", "").rsplit(":")[-1] not in ("product", "product.item") or price is None:
        return []
    offer = Offered(
        title=meta.get("title", ""),
        url=meta.get("url", ""),
        price=price,
        in_stock=stock_from_schema(meta.get("availability", "")),
    )
    return [(product_key(offer.url or base, base), offer)]


def _merge_sources(
    structured: list[tuple[str | None, Offered]], cards: list[CardProduct], rules: CatalogRules
) -> tuple[list[CardProduct], list[Notice]]:
    """Structured data and cards joined by URL or title; if they disagree, structured data wins with a warning."""
    by_key = {product.key: product for product in cards}
    by_title = {title_key(product.product.title): product for product in cards if product.product.title}
    found: dict[str, CardProduct] = {}
    disagreeing: list[str] = []
    for key, offer in structured:
        card = by_key.get(key or "") or by_title.get(title_key(offer.title))
        where = card.key if card is not None else key
        if where is None:
            continue
        product = _from_offer(offer, rules)
        unstated = product.price == "0" and not (card is not None and card.product.price is None)  # nothing was filled in
        if unstated:
            product = msgspec.structs.replace(product, price=None, currency=None)
        if card is not None:
            product, disagree = merged(card.product, product)
            if disagree:
                disagreeing.append(where)
        bad = (bool(offer.bad_price) or unstated) and product.price is None
        found[where] = CardProduct(key=where, product=product, bad_price=bad)
    products = [found.pop(product.key, product) for product in cards] + [
        product
        for product in found.values()
        if product.product.price is not None or product.product.in_stock is not None or not cards
    ]
    warnings = []
    if disagreeing:
        message = "structured data and the page's text disagree; structured data counts"
        first = disagreeing[0] if len(disagreeing) == 1 else None
        warnings.append(Notice(code="structured_disagrees", message=message, key=first, count=len(disagreeing)))
    return products, warnings


def _from_offer(offer: Offered, rules: CatalogRules) -> Product:
    product = Product(
        title=fold(sanitize(offer.title))[:MAX_TITLE],
        price=canonical(offer.price.amount) if offer.price else None,
        currency=offer.price.currency if offer.price else None,
        in_stock=offer.in_stock,
        extra={CODE: offer.code} if offer.code else {},
        image=sanitize(offer.image) if offer.image.startswith("http") and len(offer.image) <= MAX_LENGTH else None,
    )
    sold_as = [VariantSeen(name, canonical(one.amount) if one else None, stock) for name, one, stock in offer.variants]
    return with_variants(product, sold_as, rules.options) if sold_as else product


def _with_own_variants(
    products: list[CardProduct], tree: LexborHTMLParser, page: ListingPage, rules: CatalogRules, base: str
) -> list[CardProduct]:
    """The products, the one that the page itself is about with the sizes and colours that it offers."""
    own = product_key(base)
    about = next((at for at, one in enumerate(products) if one.key == own or len(products) == 1), None)
    if about is None or FIELD in products[about].product.extra:
        return products
    scripts = (script.text() or "" for script in tree.css('script[type="application/json"]')[:_MAX_SCRIPTS])
    data = next((found for text in scripts if '"option1"' in text and (found := variants_of_shopify(text))), [])
    sold_as = data or shown_variants(page.outline, 0, page.money.main)
    product = with_variants(products[about].product, sold_as, rules.options)
    products[about] = msgspec.structs.replace(products[about], product=product)
    return products
