"""Lines that only repeat what a price or stock change tells already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from driftline.core.stock import stock_from_text
from driftline.kinds.page.levels import OfferChange
from driftline.kinds.page.masks import Edit, priceless

_SHORT: Final = 120
_BUTTONS: Final = frozenset(
    "add to cart|add to basket|add to bag|buy now|buy|order now|notify me|notify me when available|email me when "
    "available|in den warenkorb|jetzt kaufen|"
    "benachrichtigen|ajouter au panier|acheter|añadir al carrito|comprar|aggiungi al carrello|acquista|adicionar ao "
    "carrinho|in winkelwagen|"
    "do koszyka|dodaj do koszyka|カートに入れる|加入购物车|加入購物車|в корзину|sepete ekle".split("|")
)


def untold(edits: Sequence[Edit], changes: Sequence[OfferChange]) -> list[Edit]:
    """The edits that say more than the price and stock changes do."""
    types = {change.type for change in changes}
    if not types:
        return list(edits)
    price = bool(types & {"price_increase", "price_decrease"})
    stock = bool(types & {"sold_out", "back_in_stock"})
    return [edit for edit in edits if not ((price and _same_but_price(edit)) or (stock and _is_stock(edit)))]


def _same_but_price(edit: Edit) -> bool:
    if edit.action != "changed" or edit.before is None or edit.after is None:
        return False
    old, new = priceless(edit.before), priceless(edit.after)
    return old is not None and old == new


def _is_stock(edit: Edit) -> bool:
    sides = [side for side in (edit.before, edit.after) if side is not None]
    return bool(sides) and all(_says_stock(side) for side in sides)


def _says_stock(line: str) -> bool:
    return len(line) <= _SHORT and (line.strip(" .!").casefold() in _BUTTONS or stock_from_text(line) is not None)
