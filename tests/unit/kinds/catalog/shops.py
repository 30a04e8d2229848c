"""Listing pages of three shops, 60 cards each and nothing alike, with what a reader must find on them."""

from __future__ import annotations

import json

Expected = dict[str, tuple[str, str | None, str | None, bool | None]]  # url -> title, price, currency, in stock


def _goods(number: int) -> tuple[str, str]:
    adjectives = ["Oak", "Linen", "Copper", "Walnut", "Cotton", "Steel"]
    nouns = ["Table", "Lamp 2000", "Shelf", "Kettle 1.7 l", "Chair", "Sofa 3-seat", "Rug 160 x 230", "Mirror", "Stool", "Desk"]
    name = f"{adjectives[number % 6]} {nouns[number % 10]} No. {number}"
    return name, f"{adjectives[number % 6]}-{nouns[number % 10]}-{number}".lower().replace(" ", "-").replace(".", "")


def tile_shop() -> tuple[str, str, Expected]:
    """Div tiles: struck old prices, "from" prices, unit prices, ranges, badges, brand links, carts in the header."""
    base = "https://tiles.example/en/furniture?page=1"
    cards: list[str] = []
    expected: Expected = {}
    for number in range(60):
        name, slug = _goods(number)
        whole = 20 + number * 7
        url = f"https://tiles.example/p/{slug}"
        stock: bool | None = True  # each has a button that can be pressed
        badge = ""
        amount = f"{whole}.99"
        match number % 6:
            case 0:
                old = f'<span class="old-price">€{whole + 30}.00</span>'
                price = f'<div class="price-box">{old} <span class="special-price">€{whole}.99</span></div>'
            case 1:
                price = f'<div class="price-box">from <b>€{whole}.99</b></div>'
            case 2:
                price = f'<div class="price-box">€{whole}.99 <small class="unit-price">(€{whole * 10}.00 / kg)</small></div>'
            case 3:
                price = f'<div class="price-box">€{whole}.99 – €{whole + 100}.99</div>'
            case 4:
                price = f'<div class="price-box"><del>€{whole + 5}.50</del><ins>€{whole}.99</ins><i>Save 10%</i></div>'
                badge, stock = '<span class="badge">Sold out</span>', False
            case _:
                price = f'<div class="price-box"><span>€</span><span>{whole}</span><sup>99</sup></div>'
                badge, stock = '<p class="delivery">In stock - delivered tomorrow</p>', True
        cards.append(
            f'<div class="tile {"odd" if number % 2 else "even"}"><a class="tile-image" href="/p/{slug}?utm_source=listing">'
            f'<img data-src="/img/{slug}.jpg" alt="{name}"></a>{badge}<a class="brand" href="/brands/acme">Acme</a>'
            f'<h3 class="tile-title"><a href="/p/{slug}">{name}</a></h3><div class="stars" title="4.5 of 5">(128)</div>{price}'
            f'<a class="btn" href="/cart/add?id={number}">Add to cart</a></div>'
        )
        expected[url] = (name, amount, "EUR", stock)
    rows = "".join(f'<div class="grid-row">{"".join(cards[at : at + 4])}</div>' for at in range(0, 60, 4))
    page = (
        '<!doctype html><html lang="en"><head><title>Furniture</title></head><body><header><a href="/">Home</a>'
        '<div class="mini-cart"><a href="/cart">Cart</a> €0.00</div></header><nav><a href="/sofas">Sofas under €500</a></nav>'
        f'<main><h1>Furniture</h1><p>Free shipping over €50</p><div class="grid">{rows}</div></main>'
        '<footer><a href="/imprint">Imprint</a> Deposit €0.25</footer></body></html>'
    )
    return base, page, expected


def list_shop() -> tuple[str, str, Expected]:
    """List items that are links as a whole, in German; sold-out ones show no price; class names speak of stock."""
    base = "https://www.laden.example/moebel/"
    cards: list[str] = []
    expected: Expected = {}
    for number in range(60):
        name, slug = _goods(number)
        url = f"https://www.laden.example/artikel/{slug}.html"
        thousands = 1 + number % 3
        text, amount, stock, mark = f"{thousands}.{200 + number},00 €", f"{thousands}{200 + number}", None, ""
        if number % 7 == 3:
            price, amount_or_none, stock, mark = '<p class="meldung">Ausverkauft</p>', None, False, " ausverkauft"
        elif number % 7 == 4:
            price, amount_or_none = f'<span class="uvp">UVP 9.999,00 €</span><span class="preis">{text}</span>', amount
        elif number % 7 == 5:
            price, amount_or_none, stock = f'<span class="preis">ab {text}</span><em>Sofort lieferbar</em>', amount, True
        else:
            price, amount_or_none = f'<span class="preis">{text}</span><span class="grundpreis">12,50 € / m²</span>', amount
        cards.append(
            f'<li class="artikel{mark}"><a href="{slug}.html" title="{name}"><img src="/b/{number}.png" alt="">'
            f'<span class="bez">{name}</span>{price}</a></li>'
        )
        expected[url] = (name, amount_or_none, "EUR" if amount_or_none else None, stock)
    page = (
        '<!doctype html><html lang="de"><head><base href="https://www.laden.example/artikel/"><title>Möbel</title></head><body>'
        '<div id="kopf"><a href="/warenkorb">Warenkorb (0,00 €)</a></div><ol class="liste">' + "".join(cards) + "</ol>"
        '<ul class="seiten"><li><a href="?seite=2">2</a></li></ul></body></html>'
    )
    return base, page, expected


def marked_shop() -> tuple[str, str, Expected]:
    """Table rows with microdata in half of them and JSON-LD for ten, of which three disagree with the text."""
    base = "https://shop.marked.example/c/all"
    rows: list[str] = []
    stated: list[dict[str, object]] = []
    expected: Expected = {}
    for number in range(60):
        name, slug = _goods(number)
        url = f"https://shop.marked.example/item/{number}/{slug}"
        cents = f"{number + 5}.{number:02d}"
        price, stock = f"{number + 5}.{number:02d}", None
        if number % 2:
            stock = number % 3 != 0
            where = "InStock" if stock else "OutOfStock"
            rows.append(
                f'<tr itemscope itemtype="https://schema.org/Product">'
                f'<td><a itemprop="url" href="/item/{number}/{slug}"><b itemprop="name">{name}</b></a></td>'
                f'<td itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
                f'<span itemprop="price" content="{cents}">£ {cents}</span>'
                f'<meta itemprop="priceCurrency" content="GBP"><link itemprop="availability" href="http://schema.org/{where}"></td></tr>'
            )
        else:
            rows.append(f'<tr><td><a href="/item/{number}/{slug}">{name}</a></td><td>£{cents}</td></tr>')
            if number < 20:
                if number < 6:
                    price = f"{number + 4}.50"
                offer = {
                    "@type": "Offer",
                    "price": price,
                    "priceCurrency": "GBP",
                    "availability": "https://schema.org/LimitedAvailability",
                }
                stock = True
                stated.append({"@type": "Product", "name": name, "url": f"/item/{number}/{slug}", "offers": offer})
        expected[url] = (name, price, "GBP", stock)
    graph = json.dumps({"@context": "https://schema.org", "@graph": stated})
    page = (
        f'<html><head><script type="application/ld+json">{graph}</script></head><body><table>'
        "<tr><th>Item</th><th>Price</th></tr>" + "".join(rows) + "</table></body></html>"
    )
    return base, page, expected
