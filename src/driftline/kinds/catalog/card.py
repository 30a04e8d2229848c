"""One card read as a product: link, title, price, stock and image, by rules or by what cards usually look like."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import msgspec
from selectolax.lexbor import LexborNode

from driftline.core.buying import asks_to_buy, selling
from driftline.core.later import later
from driftline.core.money import canonical
from driftline.core.money_marks import currency_code
from driftline.core.prices import Price, PriceSpan, find_prices, parse_price, reduced
from driftline.core.sanitize import sanitize
from driftline.core.select import parse_selector
from driftline.core.stock import stock_from_schema, stock_from_text
from driftline.core.text import fold
from driftline.core.urls import MAX_LENGTH, clean
from driftline.kinds.catalog.card_text import Run, read_runs
from driftline.kinds.catalog.cards import Links
from driftline.kinds.catalog.product import MAX_TITLE, Product, product_key
from driftline.kinds.catalog.rules import CatalogRules, selector_of

_STOCK_CLASS: Final = later(
    r"(?:^|[-_])(?:(?P<out>sold-?_?out|out-?_?of-?_?stock|outofstock|soldout|unavailable|ausverkauft|agotado|epuise|esaurito)"
    r"|(?P<in>in-?_?stock|instock|onbackorder))$",
    re.IGNORECASE,
)
_STOCK_HEADS: Final = later(
    r"(?:in |on |en )?(?:stock|hand|inventory)(?: level| qty| quantity)?|available(?: qty)?|qty available|availability|"
    r"lager(?:bestand|saldo)?|bestand|verfügbar|disponibles?|disponibilité|disponibilità|giacenza|existencias|estoque|voorraad|"
    r"i lager|stan|dostępność|sklad(?:em)?|készlet|stoc|остаток|наличие|в наличии|наявність|stok|在庫数?|库存|庫存|재고"
)
# What a buyer pays first; amounts of other roles are none.
_RANKS: Final = {"price": 1, "from": 1, "net": 2, "bundle": 3, "unit": 4, "installment": 5, "old": 6}
_TITLES_TRIED: Final = 20
_LONGEST_BADGE: Final = 30  # characters of a picture's text that may speak of stock; longer ones describe the product
_TITLE_CLASS: Final = (
    '[itemprop="name"], h1, h2, h3, h4, h5, h6, [class*="title" i], [class*="name" i], [data-product-title], [data-name], '
    '[data-testid*="title" i], [data-testid*="name" i], [data-hook*="title" i], [data-hook*="name" i]'
)


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """A product as a card shows it."""

    key: str
    product: Product
    bad_price: bool = False  # a price is written there that cannot be one


def read_card(card: LexborNode, rules: CatalogRules, links: Links, *, base: str, currency: str | None) -> Sight | None:
    """The product of a card; None where it leads nowhere."""
    fields = rules.fields
    key = _link(card, fields.url, links, base)
    if key is None:
        return None
    title_node = None if fields.title else _title_node(card)
    title = _field(card, fields.title) if fields.title else _title(card, title_node, key, links)
    runs = read_runs(card, frozenset({title_node.mem_id}) if title_node is not None else frozenset())
    hint = currency_code(_field(card, fields.currency)) if fields.currency else None
    price, bad = _price(card, runs, fields.price, hint or currency)
    image = _field(card, fields.image) if fields.image else _image(card)
    picture = clean(image, base) if image else None
    return Sight(
        key=key,
        product=Product(
            title=fold(sanitize(title))[:MAX_TITLE],
            price=canonical(price.amount) if price else None,
            currency=(price.currency or hint or currency) if price else None,
            in_stock=_stock(card, runs, rules),
            image=sanitize(picture) if picture and len(picture) <= MAX_LENGTH else None,
            extra={
                name: text for name, where in fields.extra.items() if (text := fold(sanitize(_field(card, where)))[:MAX_TITLE])
            },
        ),
        bad_price=bad,
    )


def _first(card: LexborNode, selector: str) -> LexborNode | None:
    """What a rule's selector finds in a card; the card itself where only an attribute is named."""
    return next(iter(parse_selector(selector).compiled.nodes(card)), None) if selector else card


def _field(card: LexborNode, where: str) -> str:
    """The text or attribute that a rule names; empty if it is not there."""
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


def _link(card: LexborNode, where: str | None, links: Links, base: str) -> str | None:
    if where is not None:
        selector, attribute = selector_of(where)
        node = _first(card, selector)
        href = (node.attributes.get(attribute or "href") or "") if node is not None else ""
        return product_key(href, base) if href else None
    found = [(node, url) for node in ([card] if card.tag == "a" else []) + card.css("a[href]") if (url := links.product(node))]
    if not found:
        return links.product(card.parent) if card.parent is not None and card.parent.tag == "a" else None
    urls = [url for _, url in found]
    headed = card.css_first("h1 a[href], h2 a[href], h3 a[href], h4 a[href], h5 a[href], h6 a[href]")
    named = links.product(headed) if headed is not None else None
    most, times = Counter(urls).most_common(1)[0]
    if named or times > 1:
        return named or most
    return next((url for node, url in found if fold(node.text(deep=True))), urls[0])  # swatches are links without words


def _title_node(card: LexborNode) -> LexborNode | None:
    for node in card.css(_TITLE_CLASS)[:_TITLES_TRIED]:
        text = fold(node.text(deep=True, separator=" "))
        if _is_telling(text) and not find_prices(text) and len(text) <= MAX_TITLE:
            return node
    return None


def _is_telling(text: str) -> bool:
    """Long enough to be a name: three signs, or one of a script whose signs are words."""
    return len(text) > 2 or text > "\u3040"


def _title(card: LexborNode, node: LexborNode | None, key: str, links: Links) -> str:
    if node is not None:
        return node.text(deep=True, separator=" ")
    mine = [link for link in ([card] if card.tag == "a" else []) + card.css("a[href]") if links.product(link) == key]
    for link in mine:
        if said := link.attributes.get("title") or link.attributes.get("aria-label"):
            return said
    texts = [text for link in mine if (text := fold(link.text(deep=True, separator=" "))) and not find_prices(text)]
    if texts:
        return max(texts, key=len)
    picture = card.css_first("img[alt]")
    if picture is not None and (alt := fold(picture.attributes.get("alt") or "")):
        return alt
    for run in read_runs(card):
        for line in run.text.split("\n"):
            text = fold(line)
            if (
                _is_telling(text)
                and any(sign.isalpha() for sign in text)
                and not find_prices(text)
                and stock_from_text(text) is None
            ):
                return text
    return ""


def _price(card: LexborNode, runs: list[Run], where: str | None, currency: str | None) -> tuple[Price | None, bool]:
    """The price of now, and whether something stands in its place that cannot be a price."""
    if where is not None:
        selector, attribute = selector_of(where)
        node = _first(card, selector)
        if node is None:
            return None, False
        if attribute is None and node.tag != "meta":
            found = chosen_price(read_runs(node), currency)
            if found is not None:
                return found, False
        text = _field(card, where)
        price = parse_price(text, currency=currency)
        return price, price is None and any(sign.isdigit() for sign in text)
    return chosen_price(runs, currency), False


def chosen_price(runs: list[Run], currency: str | None, *, worst: int = 6) -> Price | None:
    """Of all amounts in a card the one that a buyer pays now, if its rank is not worse."""
    found: list[tuple[int, PriceSpan]] = []
    for run in runs:
        for span in find_prices(run.text, currency=currency):
            if span.role not in _RANKS:
                continue
            rank = _RANKS[span.role]
            if run.unit:
                rank = max(rank, 4)
            if run.struck:
                rank = 7
            elif run.former:
                rank = 6
            elif run.current and rank == 1:
                rank = 0
            found.append((rank, span))
    if not found:
        return None
    plain = [span.price.amount for rank, span in found if rank <= 1]
    before = reduced(plain, " ".join(run.text for run in runs), []) if len(plain) == 2 else None
    found = [(6 if rank <= 1 and span.price.amount == before else rank, span) for rank, span in found]
    rank, span = min(found, key=lambda pair: pair[0])  # the first of the best
    return None if rank > worst else span.price  # a price that is crossed out is none, also where no other stands beside it


def _stock(card: LexborNode, runs: list[Run], rules: CatalogRules) -> bool | None:
    if rules.fields.stock is not None:
        text = fold(_field(card, rules.fields.stock))
        if re.fullmatch(r"\d{1,9}", text):
            return int(text) > 0
        own = stock_from_text(text, sold_out=rules.sold_out, in_stock=rules.in_stock) if text else None
        return stock_from_schema(text) if own is None else own
    for text in ("\n".join(piece for run in runs for piece in run.pieces), "\n".join(run.text for run in runs)):
        said = stock_from_text(text, sold_out=rules.sold_out, in_stock=rules.in_stock)
        if said is not None:
            return said
    for badge in card.css("img[alt]"):
        alt = badge.attributes.get("alt") or ""
        if len(alt) <= _LONGEST_BADGE and (said := stock_from_text(alt)) is not None:
            return said
    said = _stock_by_markup(card)
    return _stock_in_column(card) if said is None and card.tag == "tr" else said


def _stock_in_column(row: LexborNode) -> bool | None:
    """What a bare number in a table's column says that is headed by a word for stock."""
    table = row.parent if row.parent is None or row.parent.tag == "table" else row.parent.parent
    head = table.css_first("tr") if table is not None else None
    if head is None or head.mem_id == row.mem_id:
        return None
    names = [fold(cell.text(deep=True, separator=" ")).casefold() for cell in head.iter() if cell.tag in ("th", "td")]
    cells = [fold(cell.text(deep=True, separator=" ")) for cell in row.iter() if cell.tag in ("th", "td")]
    if len(names) != len(cells):
        return None
    counted = [cell for name, cell in zip(names, cells, strict=True) if _STOCK_HEADS.fullmatch(name)]
    return int(counted[0].rstrip("+")) > 0 if len(counted) == 1 and re.fullmatch(r"[0-9]{1,7}\+?", counted[0]) else None


def _stock_by_markup(card: LexborNode) -> bool | None:
    """What the card's own classes and attributes say: shop systems mark sold-out cards there."""
    said = {stock for stock in (stock_from_classes(card),) if stock is not None}
    for name in ("data-availability", "data-stock-status", "data-in-stock"):
        stock = stock_from_schema(card.attributes.get(name) or "")
        if stock is not None:
            said.add(stock)
    return said.pop() if len(said) == 1 else None


def can_be_pressed(card: LexborNode) -> bool | None:
    """Whether a card's buy button can be; None if it has none."""
    pressed = [not button.off for _, button in selling(card) if not button.waits and asks_to_buy(button.text)]
    return any(pressed) if pressed else None


def stock_from_classes(node: LexborNode) -> bool | None:
    """What the classes of a product's own element say, where they agree."""
    said = {
        bool(found["in"])
        for name in (node.attributes.get("class") or "").split()
        if (found := _STOCK_CLASS.search(name)) is not None
    }
    return said.pop() if len(said) == 1 else None


def _image(card: LexborNode) -> str:
    for picture in card.css("img"):
        attributes = picture.attributes
        for name in ("data-src", "src", "data-original", "data-lazy-src"):
            source = attributes.get(name) or ""
            if source and not source.startswith("data:"):
                return source
        if sources := attributes.get("srcset") or attributes.get("data-srcset"):
            return sources.split(",")[0].split()[0] if sources.strip(" ,") else ""
    return ""
