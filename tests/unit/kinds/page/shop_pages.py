"""Product pages in the markup of the world's shop systems: what they look like, what they cost and whether they are there."""

# ruff: noqa: E501 - pages stand here as shops send them

from __future__ import annotations

from typing import Final

_RELATED: Final = (
    '<section class="related products"><h2>Related products</h2><ul><li><a href="/p/2">Milk jug of stoneware</a> <span class="price">$14.00</span></li>'
    '<li><a href="/p/3">Tea strainer, fine mesh</a> <span class="price">$9.00</span> <span>Sold out</span></li></ul></section>'
)


def page(body: str, head: str = "", lang: str = "en") -> str:
    """A page with one product, and others beside it."""
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>Teapot</title>{head}</head><body>{body}{_RELATED}</body></html>'


def data(text: str) -> str:
    """A page whose product is in a script."""
    return page("<h1>Teapot</h1><p>Keeps warm.</p>", f'<script type="application/ld+json">{text}</script>')


def offer(price: str = '"38.50"', availability: str = "https://schema.org/InStock") -> str:
    """An offer as structured data writes it."""
    return f'{{"@type":"Offer","price":{price},"priceCurrency":"EUR","availability":"{availability}"}}'


def product(inner: str) -> str:
    """A product as structured data writes it."""
    return f'{{"@context":"https://schema.org","@type":"Product","name":"Teapot",{inner}}}'


def plain(main: str, price: str = "$38.50", lang: str = "en") -> str:
    """A page of no known system."""
    return page(f'<main><h1>Teapot</h1><p class="price">{price}</p>{main}</main>', lang=lang)


_DAWN: Final = (
    '<div class="product__info-container"><div class="product__title"><h1>Teapot</h1></div><div role="status"><div class="price price--large{cls}"><div class="price__container">'
    '<div class="price__regular"><span class="visually-hidden">Regular price</span><span class="price-item price-item--regular">{now} USD</span></div>'
    '<div class="price__sale"><span class="visually-hidden">Regular price</span><span><s class="price-item price-item--regular">{was}</s></span>'
    '<span class="visually-hidden">Sale price</span><span class="price-item price-item--sale price-item--last">{now} USD</span></div></div>'
    '<span class="badge price__badge-sale">Sale</span><span class="badge price__badge-sold-out">Sold out</span></div></div>'
    '<form action="/cart/add"><button type="submit" name="add" class="product-form__submit button"{off}><span>{button}</span></button></form></div>'
)
_WOO: Final = (
    '<div id="product-7" class="product type-product {cls}"><div class="summary entry-summary"><h1 class="product_title entry-title">Teapot</h1><p class="price">{price}</p>'
    '<p>Keeps warm.</p>{stock}<form class="cart" method="post">{button}</form><span class="sku">T-7</span></div></div>'
)
_WOO_PRICE: Final = (
    '<span class="woocommerce-Price-amount amount"><bdi><span class="woocommerce-Price-currencySymbol">£</span>{}</bdi></span>'
)
_WOO_BUTTON: Final = (
    '<button type="submit" name="add-to-cart" value="7" class="single_add_to_cart_button button alt">Add to cart</button>'
)
_MAGENTO: Final = (
    '<div class="product-info-main"><h1 class="page-title"><span class="base">Teapot</span></h1><div class="price-box price-final_price"><span class="price-wrapper" data-price-amount="38.5">'
    '<span class="price">$38.50</span></span></div><div class="stock {cls}" title="Availability"><span>{stock}</span></div><div class="product-add-form">'
    '<button type="submit" title="Add to Cart" class="action primary tocart" id="product-addtocart-button" disabled><span>Add to Cart</span></button></div></div>'
    '<div class="block related"><div class="block-title title"><strong>Related Products</strong></div><ol><li><a href="/jug">Milk jug</a><span class="price">$14.00</span>'
    '<div class="stock unavailable"><span>Out of stock</span></div></li></ol></div>'
)
_PRESTASHOP: Final = (
    '<section id="main"><div class="product-container"><h1 class="h1">Théière</h1><div class="product-prices">{discount}<div class="current-price"><span class="current-price-value">38,50 €</span></div>'
    '<div class="tax-shipping-delivery-label">TTC</div></div><div class="product-add-to-cart"><button class="btn btn-primary add-to-cart" data-button-action="add-to-cart"{off}>Ajouter au panier</button>'
    '<span id="product-availability">{stock}</span></div></div></section>'
)
_SHOPWARE: Final = (
    '<div class="product-detail"><h1 class="product-detail-name">Teekanne</h1><div class="product-detail-buy"><p class="product-detail-price">{price}</p><p class="product-detail-tax">Preise inkl. MwSt. zzgl. Versandkosten</p>'
    '<p class="delivery-information">{stock}</p>{button}</div></div>'
)
_BIGCOMMERCE: Final = (
    '<div class="productView"><section class="productView-details"><div class="productView-product"><h1 class="productView-title">Teapot</h1><div class="productView-price">'
    '<div class="price-section" style="display: none;">MSRP: <span class="price price--rrp">$51.00</span></div><span class="price price--withoutTax">$38.50</span></div>'
    '<dl class="productView-info"><dt>SKU:</dt><dd>T-7</dd>{count}</dl></div></section><section class="productView-details"><form>'
    '<input id="form-action-addToCart" class="button" type="submit" value="{button}"{off}></form></section></div>'
)
_SALESFORCE: Final = (
    '<div class="product-detail"><h1 class="product-name">Teapot</h1><div class="price"><del><span class="strike-through list"><span class="sr-only">Price reduced from</span>$51.00<span class="sr-only">to</span></span></del>'
    '<span class="sales"><span class="value" content="38.50">$38.50</span></span></div><ul class="availability-msg"><li><div>{stock}</div></li></ul><button class="add-to-cart btn btn-primary"{off}>Add to Cart</button></div>'
)
_OPENCART: Final = (
    '<div id="content"><h1>Teapot</h1><ul class="list-unstyled"><li>Product Code: 7</li><li>Availability: {stock}</li></ul><ul class="list-unstyled"><li><h2>$38.50</h2></li><li>Ex Tax: $32.00</li></ul>'
    '<button id="button-cart">Add to Cart</button></div>'
)
_AMAZON: Final = (
    '<div id="dp"><div id="centerCol"><h1 id="title"><span id="productTitle">Teapot</span></h1>{price}</div><div id="rightCol"><div id="availability"><span>{stock}</span></div>{button}</div></div>'
    '<div id="sims"><h2>Customers also viewed these products</h2><ul><li><a href="/dp/2">Milk jug of stoneware</a> $14.00</li><li><a href="/dp/3">Tea strainer, fine mesh</a> $9.00</li></ul></div>'
)
_AMAZON_PRICE: Final = (
    '<div id="corePrice"><span class="savingsPercentage">-25%</span><span class="a-price priceToPay"><span class="a-offscreen">$38.50</span><span aria-hidden="true"><span class="a-price-symbol">$</span>'
    '<span class="a-price-whole">38<span class="a-price-decimal">.</span></span><span class="a-price-fraction">50</span></span></span><span class="basisPrice">List Price: <span class="a-price a-text-price"><span class="a-offscreen">$51.00</span></span></span></div>'
)
_ETSY: Final = (
    '<div><h1>Teapot, thrown by hand</h1><div><p><span class="wt-screen-reader-only">Price:</span> $38.50+</p><div><span class="wt-screen-reader-only">Original Price:</span><span class="wt-text-strikethrough">$51.00+</span> (25% off)</div></div>'
    "<p>{stock}</p>{button}</div>"
)
_EBAY: Final = (
    '<div class="vim"><h1 class="x-item-title__mainTitle">Teapot</h1><div class="x-price-primary"><span>US $38.50</span></div><div>Approximately <span>C $52.10</span></div>'
    '<div class="x-quantity"><span>{stock}</span> / <span>9 sold</span></div><a class="ux-call-to-action">Buy It Now</a></div>'
)
_RAKUTEN: Final = '<h1>急須 0.8L</h1><div class="price">5,800<span>円</span></div><span>(税込)</span><span>送料無料</span><p>{stock}</p>{button}'


def woo(
    cls: str = "instock",
    price: str = "38.50",
    stock: str = '<p class="stock in-stock">9 in stock</p>',
    button: str = _WOO_BUTTON,
) -> str:
    """WooCommerce."""
    return page(_WOO.format(cls=cls, price=_WOO_PRICE.format(price), stock=stock, button=button))


def dawn(cls: str = "", now: str = "$38.50", was: str = "", off: str = "", button: str = "Add to cart") -> str:
    """Shopify's own theme, which hides a badge in every page."""
    return page(_DAWN.format(cls=cls, now=now, was=was, off=off, button=button))


def amazon(
    price: str = _AMAZON_PRICE, stock: str = "In Stock", button: str = '<input type="submit" value="Add to Cart">'
) -> str:
    """Like Amazon: a product that is sold out has no price."""
    return page(_AMAZON.format(price=price, stock=stock, button=button))


# name -> the page while the product is there, the page when it is sold out, price and currency
SYSTEMS: Final[dict[str, tuple[str, str, str, str]]] = {
    "shopify": (dawn(), dawn(cls=" price--sold-out", off=" disabled", button="Sold out"), "38.50", "USD"),
    "shopify, an input": (
        page('<h1>Teapot</h1><span class="money">$38.50</span><form action="/cart/add"><input type="submit" name="add" value="Add to Cart"></form>'),
        page('<h1>Teapot</h1><span class="money">$38.50</span><form action="/cart/add"><input type="submit" name="add" value="Sold Out" disabled></form>'),
        "38.50",
        "USD",
    ),
    "woocommerce": (woo(), woo("outofstock", stock='<p class="stock out-of-stock">Out of stock</p>', button=""), "38.50", "GBP"),
    "woocommerce, stock in a class": (woo(stock=""), woo("outofstock", stock="", button=""), "38.50", "GBP"),
    "magento": (page(_MAGENTO.format(cls="available", stock="In stock")), page(_MAGENTO.format(cls="unavailable", stock="Out of stock")), "38.50", "USD"),
    "prestashop": (
        page(_PRESTASHOP.format(discount="", off="", stock="En stock"), lang="fr"),
        page(_PRESTASHOP.format(discount="", off=" disabled", stock="Rupture de stock"), lang="fr"),
        "38.50",
        "EUR",
    ),
    "prestashop, the button alone": (
        page(_PRESTASHOP.format(discount="", off="", stock=""), lang="fr"),
        page(_PRESTASHOP.format(discount="", off=" disabled", stock=""), lang="fr"),
        "38.50",
        "EUR",
    ),
    "shopware": (
        page(_SHOPWARE.format(price="38,50 €*", stock="Sofort verfügbar, Lieferzeit: 1-3 Tage", button='<button class="btn-buy">In den Warenkorb</button>'), lang="de"),
        page(_SHOPWARE.format(price="38,50 €*", stock="Nicht mehr verfügbar", button=""), lang="de"),
        "38.50",
        "EUR",
    ),
    "bigcommerce": (
        page(_BIGCOMMERCE.format(count="<dt>Current Stock:</dt><dd>7</dd>", button="Add to Cart", off="")),
        page(_BIGCOMMERCE.format(count="<dt>Current Stock:</dt><dd>0</dd>", button="Sold Out", off=" disabled")),
        "38.50",
        "USD",
    ),
    "bigcommerce, the button alone": (
        page(_BIGCOMMERCE.format(count="", button="Add to Cart", off="")),
        page(_BIGCOMMERCE.format(count="", button="Sold Out", off=" disabled")),
        "38.50",
        "USD",
    ),
    "salesforce": (
        page(_SALESFORCE.format(stock="In Stock", off="")),
        page(_SALESFORCE.format(stock="This item is currently not available", off=" disabled")),
        "38.50",
        "USD",
    ),
    "opencart": (page(_OPENCART.format(stock="In Stock")), page(_OPENCART.format(stock="Out Of Stock")), "38.50", "USD"),
    "squarespace": (
        page('<article class="ProductItem"><h1 class="ProductItem-details-title">Teapot</h1><div class="product-price">$38.50</div><div class="sqs-add-to-cart-button" role="button"><div>Add To Cart</div></div></article>'),
        page('<article class="ProductItem"><h1 class="ProductItem-details-title">Teapot</h1><div class="product-price">$38.50</div><div class="product-mark sold-out">sold out</div></article>'),
        "38.50",
        "USD",
    ),
    "wix": (
        page('<div data-hook="product-page"><h1 data-hook="product-title">Teapot</h1><span data-hook="formatted-primary-price">$38.50</span><button data-hook="add-to-cart"><span>Add to Cart</span></button></div>'),
        page('<div data-hook="product-page"><h1 data-hook="product-title">Teapot</h1><span data-hook="formatted-primary-price">$38.50</span><button data-hook="add-to-cart" aria-disabled="true" disabled><span>Out of Stock</span></button></div>'),
        "38.50",
        "USD",
    ),
    "like amazon": (amazon(), amazon(price="", stock="Currently unavailable.", button="<p>We don't know when or if this item will be back in stock.</p>"), "38.50", "USD"),
    "like etsy": (
        page(_ETSY.format(stock="Only 2 left", button="<button>Add to cart</button>")),
        page(_ETSY.format(stock="Sorry, this item is sold out.", button="")),
        "38.50",
        "USD",
    ),
    "like ebay": (page(_EBAY.format(stock="3 available")), page(_EBAY.format(stock="Out of Stock")), "38.50", "USD"),
    "like rakuten": (
        page(_RAKUTEN.format(stock="在庫あり", button="<button>買い物かごに入れる</button>"), lang="ja"),
        page(_RAKUTEN.format(stock="売り切れました", button=""), lang="ja"),
        "5800",
        "JPY",
    ),
    "structured data": (data(product(f'"offers":{offer()}')), data(product(f'"offers":{offer(availability="http://schema.org/SoldOut")}')), "38.50", "EUR"),
    "open graph": (
        page("<h1>Teapot</h1>", '<meta property="og:type" content="product"><meta property="product:price:amount" content="38.50"><meta property="product:price:currency" content="EUR"><meta property="product:availability" content="in stock">'),
        page("<h1>Teapot</h1>", '<meta property="og:type" content="product"><meta property="product:price:amount" content="38.50"><meta property="product:price:currency" content="EUR"><meta property="product:availability" content="out of stock">'),
        "38.50",
        "EUR",
    ),
}  # fmt: skip

# Reductions: a page, the same reduced, and both prices.
REDUCED: Final[dict[str, tuple[str, str, str, str]]] = {
    "shopify": (dawn(), dawn(cls=" price--on-sale", now="$31.00", was="$38.50"), "38.50", "31.00"),
    "woocommerce": (
        woo(),
        page(
            _WOO.format(
                cls="instock sale",
                price=f'<del aria-hidden="true">{_WOO_PRICE.format("38.50")}</del> <span class="screen-reader-text">Original price was: £38.50.</span>'
                f'<ins aria-hidden="true">{_WOO_PRICE.format("31.00")}</ins><span class="screen-reader-text">Current price is: £31.00.</span>',
                stock='<p class="stock in-stock">9 in stock</p>',
                button=_WOO_BUTTON,
            )
        ),
        "38.50",
        "31.00",
    ),
    "prestashop": (
        SYSTEMS["prestashop"][0].replace("38,50", "45,00"),
        page(_PRESTASHOP.format(discount='<div class="product-discount"><span class="regular-price">45,00 €</span></div><span class="discount">Économisez 6,50 €</span>', off="", stock="En stock"), lang="fr"),
        "45.00",
        "38.50",
    ),
    "shopware": (
        SYSTEMS["shopware"][0],
        SYSTEMS["shopware"][0].replace("38,50 €*", '31,00 €* <span class="list-price-price">38,50 €*</span> <span class="list-price-percentage">(19.48% gespart)</span>'),
        "38.50",
        "31.00",
    ),
    "like amazon": (amazon(), amazon().replace("$38.50", "$34.50").replace("whole\">38", "whole\">34").replace("-25%", "-32%"), "38.50", "34.50"),
    "text": (plain("<button>Add to cart</button>"), plain("<button>Add to cart</button>", "<s>$38.50</s> <b>$31.00</b> Save 19%"), "38.50", "31.00"),
}  # fmt: skip
