"""Listings of thirteen shop systems in five shapes each, written after the markup that their public themes send.

A system is a card, what stands around the cards, and how it shows a reduced and a sold-out product; a shape is a language
with its prices, and what else is on the page. Each of the five products of a listing is another case: plain, reduced, from,
sold out, and one whose name looks like an amount.
"""
# ruff: noqa: E501 - lines of markup

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Expected = dict[str, tuple[str, str, str, bool | None]]  # url -> title, price, currency, in stock
HOST: Final = "https://shop.example"


@dataclass(frozen=True)
class Language:
    tag: str
    currency: str
    money: str  # with the amount in it
    cents: str  # between the whole and the cents; empty: there are none
    groups: str
    cart: str
    gone: str
    since: str
    sale: str
    reviews: str
    options: str

    def written(self, whole: int, cents: int) -> str:
        grouped = f"{whole:,}".replace(",", self.groups)
        return self.money.format(grouped + (f"{self.cents}{cents:02}" if self.cents else ""))


LANGUAGES: Final = {
    "en": Language("en-US", "USD", "${}", ".", ",", "Add to cart", "Sold out", "From", "Sale", "{} reviews", "Choose options"),
    "de": Language(
        "de", "EUR", "{} €", ",", ".", "In den Warenkorb", "Ausverkauft", "ab", "Angebot", "{} Bewertungen", "Optionen wählen"
    ),
    "fr": Language(
        "fr-FR",
        "EUR",
        "{}&nbsp;€",
        ",",
        "\u202f",
        "Ajouter au panier",
        "Épuisé",
        "À partir de",
        "Promo",
        "{} avis",
        "Choix des options",
    ),
    "pl": Language("pl", "PLN", "{} zł", ",", " ", "Do koszyka", "Wyprzedane", "od", "Promocja", "{} opinii", "Wybierz opcje"),
    "ja": Language(
        "ja", "JPY", "¥{}", "", ",", "カートに入れる", "在庫切れ", "", "セール", "{}件のレビュー", "オプションを選択"
    ),
}

# Five names, none of which may be taken for a price, a rating or a size of one.
NAMES: Final = ("Oak Table 160 x 90", "Kettle 1.7 l", "iPhone 15 Pro 256 GB", "Chair No. 5", "RS 2000 G9")
PRODUCTS: Final = tuple(zip(NAMES, (1299, 49, 999, 89, 12), strict=True))


@dataclass(frozen=True)
class System:
    """`card` has $href, $src, $name, $price, $buy and $extra in it; the others stand in the place of some of them."""

    around: str
    card: str
    price: str = "<span class='price'>$now</span>"
    reduced: str = "<span class='price'><del>$was</del> <ins>$now</ins></span>"
    buy: str = ""  # of what is there
    gone: str = "<span class='badge'>$gone</span>"  # of what is not
    known: bool = False  # whether the card of what is there says so
    path: str = "/p/{slug}"


_AMOUNT = "<span class='woocommerce-Price-amount amount'><bdi>$now</bdi></span>"
SYSTEMS: Final = {
    "woocommerce": System(
        around="<ul class='products columns-4'>$cards</ul>",
        card="<li class='product type-product post-$number status-publish $stock product_cat-all has-post-thumbnail product-type-simple'>"
        "<a href='$href' class='woocommerce-LoopProduct-link'>$extra<img src='$src' class='attachment-woocommerce_thumbnail' alt=''>"
        "<h2 class='woocommerce-loop-product__title'>$name</h2>$price</a>$buy</li>",
        price=f"<span class='price'>{_AMOUNT}</span>",
        reduced="<span class='price'><del aria-hidden='true'><span class='amount'><bdi>$was</bdi></span></del> "
        f"<ins aria-hidden='true'>{_AMOUNT}</ins></span>",
        buy="<a href='?add-to-cart=$number' data-quantity='1' class='button product_type_simple add_to_cart_button' "
        "data-product_id='$number' aria-label='$cart: $name' rel='nofollow'>$cart</a>",
        gone="<a href='$href' class='button product_type_simple' data-product_id='$number'>Read more</a>",
        known=True,
        path="/product/{slug}/",
    ),
    "woocommerce-blocks": System(
        around="<ul class='wc-block-product-template is-flex-container'>$cards</ul>",
        card="<li class='wc-block-product post-$number product type-product $stock' data-wp-key='product-item-$number'>"
        "<div class='wc-block-components-product-image'>$extra<a href='$href'><img src='$src' alt='$name' loading='lazy'></a></div>"
        "<h2 class='has-text-align-center wp-block-post-title'><a href='$href' target='_self'>$name</a></h2>"
        "<div class='wp-block-woocommerce-product-price'><div class='wc-block-components-product-price'>$price</div></div>$buy</li>",
        price=_AMOUNT,
        reduced=f"<del><span class='amount'>$was</span></del> <ins>{_AMOUNT}</ins>",
        buy="<div class='wp-block-button wc-block-components-product-button'><button class='wp-block-button__link wc-block-components-"
        "product-button__button add_to_cart_button ajax_add_to_cart' data-product_id='$number'><span>$cart</span></button></div>",
        gone="<div class='wp-block-button'><a class='wp-block-button__link' href='$href'>Read more</a></div>",
        known=True,
        path="/product/{slug}/",
    ),
    "shopify": System(
        around="<ul id='product-grid' class='grid product-grid grid--2-col-tablet-down'>$cards</ul>",
        card="<li class='grid__item'><div class='card-wrapper product-card-wrapper'><div class='card card--standard'>"
        "<div class='card__inner'><div class='card__media'><img srcset='$src 165w, $src 360w' src='$src' alt='$name'></div>"
        "<div class='card__badge'>$extra$buy</div></div><div class='card__content'><div class='card__information'>"
        "<h3 class='card__heading h5' id='title-$number'><a href='$href' class='full-unstyled-link'>$name</a></h3>"
        "<div class='card-information'><span class='caption-large light'></span>$price</div></div></div></div></div></li>",
        price="<div class='price'><div class='price__container'><div class='price__regular'><span class='visually-hidden "
        "visually-hidden--inline'>Regular price</span><span class='price-item price-item--regular'>$now</span></div></div></div>",
        reduced="<div class='price price--on-sale'><div class='price__container'><div class='price__sale'><span><s class='price-item "
        "price-item--regular'>$was</s></span><span class='price-item price-item--sale price-item--last'>$now</span></div></div></div>",
        gone="<span class='badge badge--bottom-left'>$gone</span>",
        path="/products/{slug}",
    ),
    "shopify-quick-add": System(
        around="<ul class='grid product-grid'>$cards</ul>",
        card="<li class='grid__item'><div class='card'><div class='card__content'>$extra<h3 class='card__heading'><a href='$href'>$name</a>"
        "</h3><div class='card-information'>$price</div><div class='quick-add no-js-hidden'><product-form>"
        "<form method='post' action='/cart/add'><input type='hidden' name='id' value='$number'>$buy</form></product-form></div></div></div>"
        "<img src='$src' alt=''></li>",
        price="<div class='price'><span class='price-item price-item--regular'>$now</span></div>",
        reduced="<div class='price'><s class='price-item'>$was</s> <span class='price-item--sale'>$now</span></div>",
        buy="<button type='submit' name='add' class='quick-add__submit button' data-sold-out-message='true'><span>$cart</span>"
        "<span class='sold-out-message hidden'>$gone</span></button>",
        gone="<button type='submit' name='add' class='quick-add__submit button' disabled><span>$gone</span>"
        "<span class='sold-out-message hidden'>$gone</span></button>",
        known=True,
        path="/collections/all/products/{slug}",
    ),
    "magento": System(
        around="<div class='products wrapper grid products-grid'><ol class='products list items product-items'>$cards</ol></div>",
        card="<li class='item product product-item'><div class='product-item-info' data-container='product-grid'>"
        "<a href='$href' class='product photo product-item-photo' tabindex='-1'><img class='product-image-photo' src='$src' alt='$name'></a>"
        "<div class='product details product-item-details'><strong class='product name product-item-name'><a class='product-item-link' "
        "href='$href'>$name</a></strong>$extra<div class='price-box price-final_price' data-product-id='$number'>$price</div>"
        "<div class='product-item-inner'><div class='product actions product-item-actions'><div class='actions-primary'>$buy</div>"
        "<div class='actions-secondary'><a href='#' class='action towishlist' title='Wish list'></a></div></div></div></div></div></li>",
        price="<span class='price-container price-final_price tax weee'><span data-price-type='finalPrice' class='price-wrapper'>"
        "<span class='price'>$now</span></span></span>",
        reduced="<span class='special-price'><span class='price-container'><span class='price-label'></span><span class='price-wrapper'>"
        "<span class='price'>$now</span></span></span></span><span class='old-price'><span class='price-wrapper'><span class='price'>"
        "$was</span></span></span>",
        buy="<form data-role='tocart-form' method='post'><input type='hidden' name='product' value='$number'><button type='submit' "
        "title='$cart' class='action tocart primary' disabled><span>$cart</span></button></form>",
        gone="<div class='stock unavailable'><span>$gone</span></div>",
        known=True,
        path="/{slug}.html",
    ),
    "prestashop": System(
        around="<div id='js-product-list'><div class='products row'>$cards</div></div>",
        card="<div class='js-product product col-xs-12 col-sm-6'><article class='product-miniature js-product-miniature' "
        "data-id-product='$number'><div class='thumbnail-container'><div class='thumbnail-top'><a href='$href' class='thumbnail'><img "
        "src='$src' alt='$name' loading='lazy'></a><div class='highlighted-informations'><a class='quick-view js-quick-view' href='#'>"
        "<i class='material-icons search'></i> Quick view</a></div></div><div class='product-description'><h2 class='h3 product-title'>"
        "<a href='$href'>$name</a></h2><div class='product-price-and-shipping'>$price</div></div>"
        "<ul class='product-flags js-product-flags'>$extra$buy</ul></div></article></div>",
        price="<span class='price' aria-label='Price'>$now</span>",
        reduced="<span class='regular-price' aria-label='Regular price'>$was</span><span class='discount-percentage'>-20%</span>"
        "<span class='price' aria-label='Price'>$now</span>",
        gone="<li class='product-flag out_of_stock'>$gone</li>",
        path="/{slug}.html",
    ),
    "shopware": System(
        around="<div class='row cms-listing-row js-listing-wrapper'>$cards</div>",
        card="<div class='cms-listing-col col-sm-6 col-lg-4'><div class='card product-box box-standard'><div class='card-body'>"
        "<div class='product-badges'>$extra</div><div class='product-image-wrapper'><a href='$href' title='$name' class='product-image-link'>"
        "<img src='$src' class='product-image' alt='$name'></a></div><div class='product-info'><a href='$href' title='$name' "
        "class='product-name'>$name</a><div class='product-variant-characteristics'></div><div class='product-description'>230 V, 2024."
        "</div><div class='product-price-info'><p class='product-price-unit'></p><div class='product-price-wrapper'>$price</div></div>"
        "<div class='product-action'>$buy</div></div></div></div></div>",
        price="<span class='product-price'>$now*</span>",
        reduced="<span class='product-price with-list-price'>$now* <span class='list-price'><span class='list-price-price'>$was*</span>"
        "<span class='list-price-percentage'>(20% )</span></span></span>",
        buy="<form action='/checkout/line-item/add' method='post' class='buy-widget'><input type='hidden' name='quantity' value='1'>"
        "<div class='d-grid'><button class='btn btn-buy' title='$cart'>$cart</button></div></form>",
        gone="<div class='d-grid'><a href='$href' class='btn btn-light btn-detail' title='Details'>Details</a></div>",
        known=True,
        path="/{slug}/SW100{number}",
    ),
    "opencart": System(
        around="<div id='product-list' class='row row-cols-1'>$cards</div>",
        card="<div class='col mb-3'><div class='product-thumb'><div class='image'><a href='$href'><img src='$src' alt='$name' title='$name' "
        "class='img-fluid'></a>$extra</div><div class='content'><div class='description'><h4><a href='$href'>$name</a></h4><p>With 35 mm "
        "and 8.2 MP..</p><div class='price'>$price</div></div><form method='post'><div class='button'>$buy<button type='submit' "
        "title='Wish list'><i class='fa-solid fa-heart'></i></button></div></form></div></div></div>",
        price="<span class='price-new'>$now</span>",
        reduced="<span class='price-new'>$now</span> <span class='price-old'>$was</span>",
        buy="<button type='submit' title='$cart'><i class='fa-solid fa-shopping-cart'></i> <span class='d-none d-lg-inline'>$cart</span>"
        "</button>",
        gone="<button type='button' disabled><span class='d-none d-lg-inline'>$cart</span></button>",
        known=True,
        path="/index.php?route=product/product&product_id={number}",
    ),
    "bigcommerce": System(
        around="<ul class='productGrid'>$cards</ul>",
        card="<li class='product'><article class='card' data-test='card-$number'><figure class='card-figure'>$extra<a href='$href' "
        "class='card-figure__link' aria-label='$name'><div class='card-img-container'><img src='$src' alt='$name' class='card-image "
        "lazyload'></div></a><figcaption class='card-figcaption'><div class='card-figcaption-body'>$buy</div></figcaption></figure>"
        "<div class='card-body'><p class='card-text' data-test-info-type='brandName'>Acme</p><h3 class='card-title'><a href='$href'>$name</a>"
        "</h3><div class='card-text' data-test-info-type='price'>$price</div></div></article></li>",
        price="<div class='price-section price-section--withoutTax'><span data-product-price-without-tax class='price price--withoutTax'>"
        "$now</span></div>",
        reduced="<div class='price-section non-sale-price--withoutTax'><span class='price price--non-sale'>$was</span></div>"
        "<div class='price-section'><span class='price price--withoutTax'>$now</span></div>",
        buy="<a href='/cart.php?action=add&product_id=$number' class='button button--small card-figcaption-button'>$cart</a>",
        gone="<a href='$href' class='button button--small card-figcaption-button'>$gone</a>",
        known=True,
        path="/{slug}/",
    ),
    "squarespace": System(
        around="<div class='products-flex-container'><div class='list-grid'>$cards</div></div>",
        card="<div class='grid-item' id='thumb-$slug'><a class='grid-item-link' href='$href' aria-label='$name'></a><div class='grid-image'>"
        "<div class='grid-image-inner-wrapper'><img data-src='$src' alt='IMG_20$number.jpg'></div>$extra</div><section class='grid-meta-"
        "wrapper'><div class='grid-main-meta'><div class='grid-title'>$name</div><div class='grid-prices'>$price</div></div>"
        "<div class='grid-meta-status'>$buy</div></section></div>",
        price="<div class='product-price'>$now</div>",
        reduced="<div class='product-price'><span class='visually-hidden'>Sale Price:</span>$now<span class='visually-hidden'>Original "
        "Price:</span><span class='original-price'>$was</span></div>",
        gone="<div class='product-mark sold-out'>$gone</div>",
        path="/store/p/{slug}",
    ),
    "wix": System(
        around="<section><ul data-hook='product-list-wrapper'>$cards</ul></section>",
        card="<li data-hook='product-list-grid-item'><div data-hook='product-item-root' data-slug='$slug' class='s$number'><a href='$href' "
        "data-hook='product-item-container' class='oQUvqL'><div data-hook='product-item-images'><div style='background-image:url($src)'></div>"
        "</div>$extra</a><div data-hook='not-image-container'><a href='$href' data-hook='product-item-product-details-link'><div "
        "data-hook='product-item-product-details'><p data-hook='product-item-name' class='sNPC28E'>$name</p>$price</div></a></div>"
        "<div data-hook='product-item-add-to-cart-button-container'>$buy</div></div></li>",
        price="<div data-hook='prices-container'><span data-hook='product-item-price-to-pay' data-wix-price='$now'>$now</span></div>",
        reduced="<div><span data-hook='product-item-price-before-discount'>$was</span><span data-hook='product-item-price-to-pay'>$now</span>"
        "</div>",
        buy="<button data-hook='product-item-add-to-cart-button' aria-disabled='false'><span>$cart</span></button>",
        gone="<span data-hook='product-item-out-of-stock'>$gone</span>",
        known=True,
        path="/product-page/{slug}",
    ),
    "salesforce": System(
        around="<div class='row product-grid' itemtype='http://schema.org/SomeProducts' itemid='#product'>$cards</div>",
        card="<div class='region col-6 col-sm-4'><div class='product' data-pid='25$number'><div class='product-tile'><div class='image-"
        "container'><a href='$href'><img class='tile-image' src='$src' alt='$name, $name, large' title='$name, $name'></a><a class='quickview "
        "hidden-sm-down' href='/Product-ShowQuickView?pid=$number' title='Quick View for $name' aria-label='Quick View for $name'>"
        "<span class='fa-stack fa-lg'></span></a></div><div class='tile-body'>$extra<div class='color-swatches'><div class='swatches'>"
        "<a href='$href?color=JJ' aria-label='Black'><span class='swatch-circle'></span></a></div></div><div class='pdp-link'><a class='link' "
        "href='$href'>$name</a></div><div class='price'>$price</div><div class='ratings'><span class='sr-only'>4.5 out of 5</span></div>"
        "$buy</div></div></div></div>",
        price="<span><span class='sales'><span class='value' content='$plain'>$now</span></span></span>",
        reduced="<span><del><span class='strike-through list'><span class='value' content='1'><span class='sr-only'>Price reduced from</span>"
        "$was<span class='sr-only'>to</span></span></span></del><span class='sales'><span class='value'>$now</span></span></span>",
        gone="<div class='availability'><ul class='list-unstyled availability-msg'><li><div>$gone</div></li></ul></div>",
        path="/s/{slug}.html",
    ),
    "spartacus": System(
        around="<div class='cx-product-container'><div class='row'>$cards</div></div>",
        card="<cx-product-grid-item class='col-12 col-sm-6 col-md-4'><a class='cx-product-image-container' href='$href'><cx-media class='is-"
        "initialized'><img alt='$name' src='$src'></cx-media></a><div class='cx-product-grid-item-info'>$extra<a class='cx-product-name' "
        "href='$href'>$name</a><div class='cx-product-rating'><cx-star-rating disabled='true'></cx-star-rating></div><div "
        "class='cx-product-price-container'>$price</div></div><cx-add-to-cart><form>$buy</form></cx-add-to-cart></cx-product-grid-item>",
        price="<div class='cx-product-price' aria-label='Price'>$now</div>",
        reduced="<div class='cx-product-price'><s>$was</s> $now</div>",
        buy="<button class='btn btn-primary btn-block' type='submit'>$cart</button>",
        gone="<div class='info'>$gone</div>",
        known=True,
        path="/electronics-spa/en/USD/product/30{number}/{slug}",
    ),
    "marketplace": System(
        around="<div class='s-main-slot s-result-list'>$cards</div>",
        card="<div data-asin='B0$number' data-component-type='s-search-result' class='sg-col-4-of-24 s-result-item'><div class='sg-col-inner'>"
        "<a class='a-link-normal s-no-outline' href='$href'><img class='s-image' src='$src' alt='$name'></a><a class='a-link-normal "
        "s-line-clamp-2' href='$href'><h2 class='a-size-medium' aria-label='$name'><span>$name</span></h2></a>$extra<div "
        "class='a-row'><span aria-label='4.6 out of 5 stars'></span><a href='$href#customerReviews'><span>12,345</span></a></div>"
        "<div class='s-price-instructions-style'>$price</div>$buy</div></div>",
        price="<a class='a-link-normal' href='$href'><span class='a-price'><span class='a-offscreen'>$now</span></span></a>",
        reduced="<a class='a-link-normal' href='$href'><span class='a-price'><span class='a-offscreen'>$now</span></span><div><span class='a-price "
        "a-text-price' data-a-strike='true'><span class='a-offscreen'>$was</span></span></div></a>",
        gone="<span class='a-color-price'>$gone</span>",
        path="/Some-Words/dp/B0{number}",
    ),
    "auctions": System(
        around="<ul class='srp-results srp-list'>$cards</ul>",
        card="<li class='s-item s-item__pl-on-bottom' id='item$number'><div class='s-item__wrapper'><div class='s-item__image-section'><a "
        "href='$href' tabindex='-1'><img src='$src' alt='$name'></a></div><div class='s-item__info'>$extra<a class='s-item__link' href='$href'>"
        "<div class='s-item__title'><span role='heading' aria-level='3'>$name</span></div></a><div class='s-item__subtitle'>Brand New"
        "</div><div class='s-item__details'><div class='s-item__detail'>$price</div><div class='s-item__detail'><span>Free shipping</span></div>"
        "$buy</div></div></div></li>",
        price="<span class='s-item__price'>$now</span>",
        reduced="<span class='s-item__price'>$now</span><span class='s-item__trending-price'><span class='STRIKETHROUGH'>$was</span></span>",
        gone="<span class='NEGATIVE'>$gone</span>",
        path="/itm/40{number}",
    ),
}


@dataclass(frozen=True)
class Shape:
    language: str
    indented: bool = False
    lazy: bool = False
    badges: bool = False
    structured: str = ""  # "true": the same in JSON-LD; "lying": something else


SHAPES: Final = {
    "plain": Shape("en", indented=True),
    "minified": Shape("de", badges=True),
    "lazy": Shape("fr", indented=True, lazy=True, badges=True),
    "stated": Shape("pl", lazy=True, structured="true"),
    "lying": Shape("ja", indented=True, badges=True, structured="lying"),
}


def _filled(text: str, values: dict[str, str]) -> str:
    for _ in range(3):  # what is filled in has names in it as well
        text = re.sub(r"\$([a-z]+)", lambda found: values.get(found[1], found[0]), text)
    return text


def listing(system: System, shape: Shape, products: Sequence[tuple[str, int]] = PRODUCTS) -> tuple[str, str, Expected]:
    """A page of products (name and whole price), its address, and what a reader must find on it."""
    language = LANGUAGES[shape.language]
    cards: list[str] = []
    expected: Expected = {}
    stated: list[dict[str, object]] = []
    for number, (name, whole) in enumerate(products):
        slug = name.lower().replace(" ", "-").replace(".", "")
        path = system.path.format(slug=slug, number=number)
        sold_out, reduced, since = number % 5 == 3, number % 5 == 1, number % 5 == 2
        now, was = language.written(whole, 90), language.written(whole + 30, 50)
        badge = f"<span class='badge label'>{language.sale}</span>" if reduced else ""
        rating = (
            f"<div class='rating'><span>4.{number % 10}</span> <span>({language.reviews.format(128 + number)})</span></div>"
        )
        values = {
            "number": str(number),
            "slug": slug,
            "href": path.replace("&", "&amp;"),
            "src": f"/media/{slug}.jpg",
            "name": name,
            "price": system.reduced if reduced else system.price,
            "now": f"{language.since} {now}" if since else now,
            "was": was,
            "plain": str(whole),
            "buy": system.gone if sold_out else system.buy,
            "cart": language.cart,
            "gone": language.gone,
            "stock": "outofstock" if sold_out else "instock",
            "extra": badge + rating if shape.badges else "",
        }
        card = _filled(system.card, values)
        if shape.lazy:
            card = re.sub(r" src='", " src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src='", card)
        cards.append(card)
        amount = f"{whole}.90" if language.cents else str(whole)
        expected[HOST + path] = (name, amount, language.currency, False if sold_out else True if system.known else None)
        availability = f"https://schema.org/{'OutOfStock' if sold_out else 'InStock'}"
        offer = {"@type": "Offer", "price": amount, "priceCurrency": language.currency, "availability": availability}
        stated.append({"@type": "Product", "name": name, "url": HOST + path, "offers": offer})
    head = ""
    if shape.structured == "true":
        entries = [{"@type": "ListItem", "position": at, "item": one} for at, one in enumerate(stated, start=1)]
        head = _linked({"@type": "ItemList", "itemListElement": entries})
        expected = {url: (*seen[:3], at % 5 != 3) for at, (url, seen) in enumerate(expected.items())}
    elif shape.structured == "lying":
        about = {"@type": "Organization", "name": "Shop", "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.9}}
        crumb = {"@type": "ListItem", "position": 1, "item": {"@id": HOST + "/all", "name": "All"}}
        head = _linked(about) + _linked({"@type": "BreadcrumbList", "itemListElement": [crumb]})
    page = (
        f"<!doctype html><html lang='{language.tag}'><head><title>All</title>{head}</head><body><header><a href='/'>Shop</a>"
        f"<a href='/cart'>{language.written(0, 0)}</a><span>+49 89 123456</span></header><nav><a href='/all?max=50'>{language.written(50, 0)}"
        f"</a></nav><main><h1>All</h1>{system.around.replace('$cards', ''.join(cards))}</main><footer><a href='/terms'>2026</a></footer>"
        "</body></html>"
    )
    return HOST + "/all", indented(page) if shape.indented else page, expected


def _linked(thing: Mapping[str, object]) -> str:
    return f"<script type='application/ld+json'>{json.dumps({'@context': 'https://schema.org', **thing})}</script>"


def indented(page: str) -> str:
    """The same page with each tag and text on a line of its own, but for what scripts hold."""
    parts = re.split(r"(<script.*?</script>|<[^>]+>)", page)
    return "\n\t".join(part.strip(" ") for part in parts if part.strip())
