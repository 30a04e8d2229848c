"""A listing page read: structured data and cards brought together, and where the listing goes on."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.charset import decode
from driftline.core.cost import affordable
from driftline.core.depth import too_deep
from driftline.core.jsonpath import compile_path
from driftline.core.money import canonical
from driftline.core.money_marks import currency_code
from driftline.core.money_regions import shared_sign_currency
from driftline.core.offers import Offered, offered_products
from driftline.core.prices import parse_price
from driftline.core.sanitize import sanitize
from driftline.core.select import TOO_COSTLY, measure, parse_selector, pick
from driftline.core.stock import stock_from_schema
from driftline.core.structured import Thing, read_structured
from driftline.core.text import fold, title_key
from driftline.core.urls import MAX_LENGTH, clean, registrable_host
from driftline.kinds.catalog.card import Sight, can_be_pressed, read_card
from driftline.kinds.catalog.cards import Links, find_cards
from driftline.kinds.catalog.product import MAX_TITLE, Product, merged, observed, product_key
from driftline.kinds.catalog.rows import collapse
from driftline.kinds.catalog.rules import CatalogRules, selector_of
from driftline.kinds.kind import Reading
from driftline.model.change import Notice
from driftline.model.fetch import Fetched, Request

_OFF: Final = "[disabled],[aria-disabled=true],[class~=disabled]"
_NUMBERED: Final = re.compile(r"/(?:page|p|seite|pagina|strona)?[/-]?\d{1,5}\Z", re.IGNORECASE)
_PAGE_LABEL: Final = re.compile(r"page=(\d+)")


def read_listing(got: Fetched, rules: CatalogRules) -> Reading[Product]:
    """The products of one HTML answer."""
    source = decode(got.body, got.headers.get("content-type", ""))
    if too_deep(source):
        return Reading(complete=False, outcome="truncated", reason="page is nested too deeply to be read whole")
    tree = LexborHTMLParser(source)
    if _too_costly(tree, rules):
        return Reading(complete=False, outcome="error", reason=TOO_COSTLY)
    base = _base(tree, got.url)
    things = read_structured(tree)
    currency = rules.currency or _page_currency(tree, things, base)
    warnings: list[Notice] = []
    links = Links(base)
    if rules.card is not None:
        picked = pick(tree, [parse_selector(rules.card)])
        if picked.reason:
            return Reading(complete=False, outcome="error", reason=picked.reason)
        sights = _sights(picked.nodes, rules, links, base=base, currency=currency)
        if not sights and page_number(got.request) == 1:
            return Reading(complete=False, outcome="selector_missing", reason=f"no product matches {rules.card}")
    else:
        nodes, doubtful = find_cards(tree, links, currency=currency, lone=page_number(got.request) > 1)
        cards = _sights(nodes, rules, links, base=base, currency=currency, doubtful=doubtful)
        stated = _stated(things, base, currency)
        sights, warnings = _together(stated if stated or cards else _of_page(tree, base, currency), cards)
        if not sights and page_number(got.request) == 1:
            return Reading(complete=False, outcome="selector_missing", reason="no products found; name their card with a rule")
    if not sights and not _is_an_end(tree, got, rules, base):
        return Reading(complete=False, outcome="error", reason=f"no products on page {page_number(got.request)}")
    bad = sum(sight.bad_price for sight in sights)
    if bad:
        message = "prices that are not finite, positive amounts of at most 12 digits were left out"
        warnings.append(Notice(code="bad_price", message=message, count=bad))
    items, notices = collapse(observed(sight.key, sight.product) for sight in sights)
    return Reading(
        items=items,
        more=_next_page(tree, got, rules, base, found=bool(items)),
        warnings=(*warnings, *notices),
        counters={"total": len(items)},
    )


def _too_costly(tree: LexborHTMLParser, rules: CatalogRules) -> bool:
    """Whether the selectors of fields could keep lexbor busy for long: nothing can interrupt it."""
    named = [selector for text in rules.fields.all() if (selector := selector_of(text)[0])]
    costs = [cost for selector in named for cost in parse_selector(selector).compiled.costs]
    return bool(costs) and not affordable(costs, measure(tree))


def _is_an_end(tree: LexborHTMLParser, got: Fetched, rules: CatalogRules, base: str) -> bool:
    """Whether a later page without products is one of the listing: it leads back to it. An error page does not."""
    said = fold(tree.body.text()) if tree.body is not None else ""
    if not said or said.startswith(("{", "[")):
        return False
    if rules.pages.parameter is not None:  # counted up until there are no more
        return True
    places = (clean(link.attributes.get("href") or "", base) for link in tree.css("a[href], link[rel~=prev i]"))
    return any(place and place != got.url and _listing_of(place) == _listing_of(got.url) for place in places)


def _listing_of(url: str) -> str:
    """The address that the pages of a listing have in common."""
    return _NUMBERED.sub("", url.partition("?")[0].rstrip("/"))


def _sights(
    nodes: list[LexborNode],
    rules: CatalogRules,
    links: Links,
    *,
    base: str,
    currency: str | None,
    doubtful: frozenset[int] = frozenset(),
) -> list[Sight]:
    """The cards that lead to a product; a doubtful one must show a price or a word about stock."""
    sights: list[tuple[LexborNode, Sight]] = []
    for node in nodes:
        sight = read_card(node, rules, links, base=base, currency=currency)
        if sight is None or (node.mem_id in doubtful and sight.product.price is None and sight.product.in_stock is None):
            continue
        sights.append((node, sight))
    return _by_buttons(sights)


def _by_buttons(cards: list[tuple[LexborNode, Sight]]) -> list[Sight]:
    """The cards; one whose buy button is off is sold out where others can be pressed, and nothing else is said."""
    silent = {node.mem_id for node, sight in cards if sight.product.in_stock is None and node.css_first(_OFF) is not None}
    pressed = {node.mem_id: can_be_pressed(node) for node, _ in cards} if silent else {}
    if not any(pressed.values()):
        return [sight for _, sight in cards]
    return [
        replace(sight, product=replace(sight.product, in_stock=False))
        if node.mem_id in silent and pressed[node.mem_id] is False
        else sight
        for node, sight in cards
    ]


def _base(tree: LexborHTMLParser, url: str) -> str:
    element = tree.css_first("base[href]")
    return (clean(element.attributes.get("href") or "", url) or url) if element is not None else url


def _page_currency(tree: LexborHTMLParser, things: list[Thing], base: str) -> str | None:
    """What the page says its prices are in, or what its language and country suggest for `$` and `kr`."""
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


def _stated(things: list[Thing], base: str, currency: str | None) -> list[tuple[str | None, Offered]]:
    """What structured data states: products with their keys, and list entries that only name a page."""
    stated: list[tuple[str | None, Offered]] = []
    products = offered_products(things, currency=currency)
    for product in products:
        key = product_key(product.url, base) if product.url else None
        if key is None and len(products) == 1:
            key = product_key(base)  # a product page watched as a catalog of one
        stated.append((key, product))
    crumbs = {id(entry) for thing in things if thing.is_a("BreadcrumbList") for entry in thing.things("itemListElement")}
    for thing in things:
        if thing.is_a("ListItem") and id(thing) not in crumbs and "itemListElement" in thing.path and not thing.things("item"):
            url = thing.text("url", "item")
            key = product_key(url, base) if url else None
            if key and thing.text("name"):
                stated.append((key, Offered(title=thing.text("name"), url=url, price=None)))
    return stated


def _of_page(tree: LexborHTMLParser, base: str, currency: str | None) -> list[tuple[str | None, Offered]]:
    """The product that a page says it is (og:type), for pages without anything else."""
    said = {
        (node.attributes.get("property") or node.attributes.get("name") or "")
        .removeprefix("og:")
        .removeprefix("product:"): text
        for node in tree.css("meta[content]")
        if (text := (node.attributes.get("content") or "").strip())
    }
    price = parse_price(said.get("price:amount", ""), currency=currency_code(said.get("price:currency")) or currency)
    if said.get("type", "").rsplit(":")[-1] not in ("product", "product.item") or price is None:
        return []
    offer = Offered(
        title=said.get("title", ""),
        url=said.get("url", ""),
        price=price,
        in_stock=stock_from_schema(said.get("availability", "")),
    )
    return [(product_key(offer.url or base, base), offer)]


def _together(stated: list[tuple[str | None, Offered]], cards: list[Sight]) -> tuple[list[Sight], list[Notice]]:
    """Structured data over cards: by URL, else by title; where both speak and disagree, structured data wins with a warning."""
    by_key = {sight.key: sight for sight in cards}
    by_title = {title_key(sight.product.title): sight for sight in cards if sight.product.title}
    found: dict[str, Sight] = {}
    disagreeing: list[str] = []
    for key, offer in stated:
        card = by_key.get(key or "") or by_title.get(title_key(offer.title))
        where = card.key if card is not None else key
        if where is None:
            continue
        product = _from_offer(offer)
        if card is not None:
            product, disagree = merged(card.product, product)
            if disagree:
                disagreeing.append(where)
        found[where] = Sight(key=where, product=product, bad_price=bool(offer.bad_price) and product.price is None)
    sights = [found.pop(sight.key, sight) for sight in cards] + [
        sight for sight in found.values() if sight.product.price is not None or sight.product.in_stock is not None or not cards
    ]
    warnings = []
    if disagreeing:
        message = "structured data and the page's text disagree; structured data counts"
        first = disagreeing[0] if len(disagreeing) == 1 else None
        warnings.append(Notice(code="structured_disagrees", message=message, key=first, count=len(disagreeing)))
    return sights, warnings


def _from_offer(offer: Offered) -> Product:
    return Product(
        title=fold(sanitize(offer.title))[:MAX_TITLE],
        price=canonical(offer.price.amount) if offer.price else None,
        currency=offer.price.currency if offer.price else None,
        in_stock=offer.in_stock,
        image=sanitize(offer.image) if offer.image.startswith("http") and len(offer.image) <= MAX_LENGTH else None,
    )


def page_number(request: Request) -> int:
    """Which page of its listing a request asks for, from 1."""
    found = _PAGE_LABEL.fullmatch(request.label)
    return int(found[1]) if found else 1


def _next_page(tree: LexborHTMLParser, got: Fetched, rules: CatalogRules, base: str, *, found: bool) -> tuple[Request, ...]:
    pages = rules.pages
    if pages.parameter is not None:
        return numbered(got.request, rules) if found else ()
    if pages.next == "none":
        return ()
    if pages.next is None:
        links = [*tree.css('link[rel~="next" i]'), *tree.css('a[rel~="next" i]')]
    else:
        links = pick(tree, [parse_selector(pages.next)]).nodes
    for link in links:
        node = link if link.attributes.get("href") else link.css_first("a[href]")
        href = node.attributes.get("href") if node is not None else None
        if href and (url := next_url(href, base, got.url)):
            return follow(got.request, url, rules)
    return ()


def next_url(href: str, base: str, present: str) -> str | None:
    """Where a link to the next page leads; None for another site, or for where we are."""
    url = clean(href, base)
    if url is None or len(url) > MAX_LENGTH or registrable_host(url) != registrable_host(present) or url == clean(present):
        return None
    return url


def follow(request: Request, url: str, rules: CatalogRules) -> tuple[Request, ...]:
    """The next page, while the limit allows."""
    number = page_number(request) + 1
    if number > rules.pages.limit:
        return ()
    return (Request(url=url, label=f"page={number}", depth=request.depth + 1),)


def numbered(request: Request, rules: CatalogRules) -> tuple[Request, ...]:
    """The page after this one, by its number in the URL."""
    return follow(request, with_page(request.url, rules, page_number(request) + 1), rules)


def with_page(url: str, rules: CatalogRules, number: int) -> str:
    """The listing's URL for a page number, counted from 1."""
    pages = rules.pages
    parts = urlsplit(url)
    value = str(pages.start + (number - 1) * pages.step)
    query = [(name, given) for name, given in parse_qsl(parts.query, keep_blank_values=True) if name != pages.parameter]
    return urlunsplit(parts._replace(query=urlencode([*query, (pages.parameter or "page", value)])))


def next_in_json(data: object, got: Fetched, rules: CatalogRules, *, found: bool) -> tuple[Request, ...]:
    """The next page of a JSON listing: by number, or by the URL that the answer names."""
    if rules.pages.parameter is not None:
        return numbered(got.request, rules) if found else ()
    if rules.pages.next is None or rules.pages.next == "none":
        return ()
    href = compile_path(rules.pages.next).first(data)
    url = next_url(href, got.url, got.url) if isinstance(href, str) and href else None
    return follow(got.request, url, rules) if url else ()
