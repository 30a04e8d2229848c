"""The part of a page where its product stands: around its heading, with a price, without the suggestions beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

import msgspec
import re2
from selectolax.lexbor import LexborNode

from driftline.core.passing_words import HEADINGS
from driftline.core.prices import Price, find_prices
from driftline.core.stock import stock_from_text
from driftline.core.stock_words import IN, OUT
from driftline.core.text import fold
from driftline.kinds.catalog.card import chosen_price
from driftline.kinds.catalog.card_text import Run, read_runs

_HIGHEST: Final = 10  # elements from the heading up to the shelf
_LONGEST: Final = 120  # characters of a text that states stock or asks to buy
_LARGEST: Final = 6_000  # characters of a shelf
_SUGGESTIONS: Final = "h2,h3,h4"
# What a button says that puts a product into a cart, or that would if there were one.
_BUY: Final = (
    "add to cart", "add to basket", "add to bag", "add to trolley", "into basket", "into cart", "buy now", "order now",
    "pre-order", "preorder", "notify me", "in den warenkorb", "in den einkaufswagen", "jetzt kaufen", "ajouter au panier",
    "acheter maintenant", "añadir al carrito", "agregar al carrito", "añadir a la cesta", "comprar ahora",
    "aggiungi al carrello", "acquista ora", "adicionar ao carrinho", "adicionar à sacola", "comprar agora",
    "in winkelwagen", "in winkelmand", "toevoegen aan winkelwagen", "do koszyka", "dodaj do koszyka", "lägg i varukorg",
    "lägg i kundvagn", "læg i kurv", "legg i handlekurv", "kjøp nå", "lisää ostoskoriin", "do košíku", "do košíka",
    "kosárba", "adaugă în coș", "προσθήκη στο καλάθι", "カートに入れる", "カートに追加", "加入购物车", "加入購物車",
    "立即购买", "장바구니", "구매하기", "в корзину", "купить", "до кошика", "sepete ekle", "أضف إلى السلة", "הוסף לסל",
    "thêm vào giỏ", "tambah ke keranjang", "หยิบใส่ตะกร้า",
)  # fmt: skip

_SELLING: Final = re2.compile(
    "|".join(re.escape(word.replace("_", " ")) for word in (*_BUY, *OUT.split(), *IN.split())).encode()
)  # without one of these nothing is for sale


class Shelf:
    """What stands around a page's heading; looked for when somebody asks."""

    def __init__(self, root: LexborNode | None = None, passing: frozenset[int] = frozenset()) -> None:
        self._root = root
        self._passing = passing

    @cached_property
    def runs(self) -> list[Run]:
        """The texts there, those that people buy by first."""
        return _around_heading(self._root, self._passing) if self._root is not None else []

    def price(self, hint: str | None) -> Price | None:
        """What a buyer pays now."""
        return chosen_price(self.runs, hint)

    def stock(self) -> bool | None:
        """What the first text says that speaks of stock."""
        return next((said for text in self._texts() if (said := stock_from_text(text)) is not None), None)

    @property
    def sells(self) -> bool:
        """Whether it has a price and asks to buy, or says whether one can; a list of products asks at each of them."""
        if self._root is None or not _SELLING.search(self._root.text(separator=" ").lower().encode()):
            return False
        if self.price(None) is None:
            return False
        asked = sum(any(word in text.lower() for word in _BUY) for text in self._texts())
        return 1 <= asked <= 3 or (asked == 0 and self.stock() is not None)

    def _texts(self) -> Iterator[str]:
        for run in self.runs:
            for piece in run.pieces:
                if len(folded := fold(piece)) <= _LONGEST:
                    yield folded


def _around_heading(root: LexborNode, passing: frozenset[int]) -> list[Run]:
    """The smallest part around the page's heading that holds a price, else the largest; nothing without a heading."""
    heading = root.css_first("h1")
    if heading is None:
        return []
    skip = passing | _suggestions(root, heading) | _frame(root, heading)
    runs: list[Run] = []
    node = heading.parent
    for _ in range(_HIGHEST):
        if node is None or node.tag == "html":
            break
        runs = _beginning(read_runs(node, skip))
        if any(find_prices(run.text) for run in runs):
            break
        node = node.parent
    return runs


def _beginning(runs: list[Run]) -> list[Run]:
    """The texts up to some length: what a product costs stands near its heading."""
    kept: list[Run] = []
    room = _LARGEST
    for run in runs:
        kept.append(run if len(run.text) <= room else msgspec.structs.replace(run, text=run.text[:room]))
        room -= len(run.text)
        if room <= 0:
            break
    return kept


def _frame(root: LexborNode, heading: LexborNode) -> frozenset[int]:
    """The head, the foot and the columns of the page."""
    return frozenset(node.mem_id for node in root.css("header,footer,nav,aside") if not _holds(node, heading))


def _suggestions(root: LexborNode, heading: LexborNode) -> frozenset[int]:
    """What holds a heading that announces other products, or follows it."""
    found: set[int] = set()
    for other in root.css(_SUGGESTIONS):
        if fold(other.text()).lower().strip(" :…") not in HEADINGS:
            continue
        holder = other.parent
        if holder is not None and not _holds(holder, heading):
            found.add(holder.mem_id)
        following = other.next
        while following is not None:
            found.add(following.mem_id)
            following = following.next
    return frozenset(found)


def _holds(node: LexborNode, inner: LexborNode) -> bool:
    parent = inner.parent
    while parent is not None:
        if parent.mem_id == node.mem_id:
            return True
        parent = parent.parent
    return False
