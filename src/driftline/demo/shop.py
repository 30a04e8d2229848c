"""The demo site's shop: a listing of two pages whose prices and stock change, and which changes are real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

import msgspec

from driftline.core.identity.fingerprint import spread
from driftline.demo.feeds import Feed
from driftline.demo.pages import Noise, shell

FEED: Final = Feed(name="shop", title="Tideway store", kind="catalog", path="/store")
_PER_PAGE: Final = 6


class ShopProduct(msgspec.Struct, frozen=True):
    """A product of the shop."""

    title: str
    price: str
    stocked: bool = True
    was: str = ""  # the crossed-out price


_PRODUCTS: Final[Mapping[str, ShopProduct]] = {
    "kettle": ShopProduct("Harbour kettle", "€ 49.00"),
    "mug": ShopProduct("Enamel mug, 30 cl", "€ 9.50"),
    "lantern": ShopProduct("Storm lantern", "€ 64.00", stocked=False),
    "blanket": ShopProduct("Wool blanket", "€ 120.00", was="€ 150.00"),
    "rope": ShopProduct("Cotton rope, 10 m", "€ 14.00"),
    "knife": ShopProduct("Oyster knife", "€ 22.00"),
    "apron": ShopProduct("Waxed apron", "€ 58.00"),
    "willow-basket": ShopProduct("Willow basket", "from € 35.00"),
    "compass": ShopProduct("Pocket compass", "€ 39.90"),
}


def _story() -> Sequence[tuple[Mapping[str, ShopProduct], tuple[tuple[str, str], ...]]]:
    """The products of each turn, with the changes that it makes."""
    cheaper = {
        **_PRODUCTS,
        "kettle": ShopProduct("Harbour kettle", "€ 42.00", was="€ 49.00"),
        "mug": ShopProduct("Enamel mug, 30 cl", "€ 10.50"),
    }
    restocked = {
        **cheaper,
        "lantern": ShopProduct("Storm lantern", "€ 64.00"),
        "knife": ShopProduct("Oyster knife", "€ 22.00", stocked=False),
    }
    hidden = {
        slug: product_ for slug, product_ in restocked.items() if slug not in ("rope", "mug")
    }  # not shown is not sold out
    grown = {
        **restocked,
        "flask": ShopProduct("Steel flask", "€ 28.00"),
        "apron": ShopProduct("Waxed apron", "€ 52.00", stocked=False),
    }
    return (
        (_PRODUCTS, ()),
        (cheaper, (("price_decrease", "kettle"), ("price_increase", "mug"))),
        (cheaper, ()),
        (restocked, (("back_in_stock", "lantern"), ("sold_out", "knife"))),
        (restocked, ()),
        (hidden, ()),
        (grown, (("new_product", "flask"), ("price_decrease", "apron"), ("sold_out", "apron"))),
        (grown, ()),
        (grown, ()),
    )


_STORY: Final = _story()


def truth(turn: int) -> tuple[tuple[str, str], ...]:
    """Type and product of every change that comes with a turn."""
    return _STORY[turn][1] if turn < len(_STORY) else ()


def _products(turn: int) -> Mapping[str, ShopProduct]:
    return _STORY[min(turn, len(_STORY) - 1)][0]


def listing(turn: int, page: int, noise: Noise) -> str:
    """One page of the listing: six cards, and a link to the next ones."""
    products = list(_products(turn).items())
    cards = "".join(_card(slug, product_, noise) for slug, product_ in products[(page - 1) * _PER_PAGE : page * _PER_PAGE])
    more = f'<a rel="next" href="/store?page={page + 1}">More</a>' if len(products) > page * _PER_PAGE else ""
    counted = f"<p class='quiet'>{noise.viewers} people are in the store right now.</p>"
    return shell("Store", f'<div class="card"><h1>Store</h1>{counted}<ul class="rows">{cards}</ul>{more}</div>', noise)


def product(turn: int, slug: str, noise: Noise) -> str | None:
    """A product's page; None if it does not exist."""
    product_ = _products(turn).get(slug)
    if product_ is None:
        return None
    shown = f'<ul class="rows">{_card(slug, product_, noise)}</ul><p><a href="/store">Back to the store</a></p>'
    return shell(product_.title, f'<article class="card"><h1>{escape(product_.title)}</h1>{shown}</article>', noise)


def picture(slug: str) -> str:
    """A product's picture: a drawing in a colour of its own, since there is nothing to photograph."""
    hue = int(spread(*slug.encode()) * 360)
    shapes = '<rect x="16" y="25" width="32" height="26" rx="4"/><rect x="12" y="15" width="40" height="9" rx="3"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="hsl({hue} 40% 86%)"/>'
        f'<g fill="hsl({hue} 45% 42%)">{shapes}</g></svg>'
    )


def _card(slug: str, product_: ShopProduct, noise: Noise) -> str:
    was = f"<del>{escape(product_.was)}</del> " if product_.was else ""
    stock = '<p class="stock yes">In stock</p>' if product_.stocked else '<p class="stock no">Sold out</p>'
    return (
        f'<li class="ware"><a href="/store/{slug}?utm_source={noise.nonce}"><img src="/img/{slug}.svg?{noise.nonce}" alt="">'
        f'<h3>{escape(product_.title)}</h3></a><p class="price">{was}<span>{escape(product_.price)}</span></p>{stock}</li>'
    )
