"""Lines that only repeat what a price or stock change tells already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from driftline.core.buying import asks_to_buy, is_beside_buying
from driftline.core.later import later
from driftline.core.money_words import FREE
from driftline.core.noise import sense
from driftline.core.prices import find_prices, is_price_talk, without_prices
from driftline.core.stock import speaks_of_stock, stock_from_text
from driftline.kinds.page.levels import OfferChange
from driftline.kinds.page.masks import Edit

_SHORT: Final = 120
_POINTS: Final = later(
    r"(?<!\w)(?:points?|pts|punkte?|punten|puntos?|punti|pontos|punkt(?:y|ów)|poeng|poäng|pistettä|miles|coins|bonus\w*|rewards?|"
    r"cashback|балл\w*|бонус\w*|puan)(?!\w)|ポイント|积分|積分|포인트|적립"
)
_PIECES: Final = later(
    r"(\d+)\+?\s?(?:stück|stk|st|pcs|pieces|szt|ks|шт|db|buc|kpl|adet|units?|unidades|pezzi|stuks|個|点|件|个|개)?\.?"
)
_NUMBERS: Final = later(r"\d[\d.,\s]*")


def untold(edits: Sequence[Edit], changes: Sequence[OfferChange]) -> list[Edit]:
    """The edits that say more than the price and stock changes do."""
    types = {change.type for change in changes}
    if not types:
        return list(edits)
    price = bool(types & {"price_increase", "price_decrease"})
    stock = bool(types & {"sold_out", "back_in_stock"})
    return [edit for edit in edits if not ((price and _is_price(edit)) or (stock and _is_stock(edit)))]


def _is_price(edit: Edit) -> bool:
    """Whether only prices differ, or prices are all that is said: the old one beside the new, a discount."""
    if edit.action == "changed" and edit.before and edit.after and find_prices(edit.before) and find_prices(edit.after):
        same = sense(without_prices(edit.before)) == sense(without_prices(edit.after))
    else:
        same = False
    if edit.action == "changed" and not same and edit.before and edit.after and _POINTS.search(edit.after.lower()):
        same = _NUMBERS.sub("", without_prices(edit.before)) == _NUMBERS.sub("", without_prices(edit.after))
    return same or all(len(side) <= _SHORT and is_price_talk(side) for side in _sides(edit))


def _is_stock(edit: Edit) -> bool:
    """Whether all that is said is about stock, buttons, or the price that went with it."""
    sides = _sides(edit)
    counts = [found[1] for side in sides if (found := _PIECES.fullmatch(side.lower()))]
    if len(counts) == len(sides) and "0" in counts:  # Stock: 7
        return True
    if edit.action == "changed" and len({label for side in sides if (label := side.partition(":")[0]) != side}) == 1:
        said = [side.partition(":")[2].strip() for side in sides]  # Availability: In stock
        return any(len(side) <= _SHORT and _says_stock(side) for side in (*sides, *said))
    return all(len(side) <= _SHORT and (_says_stock(side) or is_price_talk(side) or _goes_with_it(side)) for side in sides)


def _goes_with_it(line: str) -> bool:
    """Whether a line is of what stands around a buy button: delivery, quantities, points."""
    low = line.lower()
    return (line.isdecimal() and len(line) <= 2) or is_beside_buying(line) or _POINTS.search(low) is not None


def _says_stock(line: str) -> bool:
    bare = without_prices(line).strip(" ¤·|,–-")  # $49.90Add to cart
    return (
        asks_to_buy(bare)
        or speaks_of_stock(line)
        or line.casefold() in FREE
        or (bare != line and stock_from_text(bare) is not None)
    )


def _sides(edit: Edit) -> list[str]:
    return [side for side in (edit.before, edit.after) if side is not None]
