"""Recognizes lines that only repeat a price or stock change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from driftline.core.commerce.buy_buttons import asks_to_buy, is_beside_buying
from driftline.core.commerce.prices import PriceSpan, find_prices, is_only_about_prices, without_prices
from driftline.core.commerce.stock import speaks_of_stock, stock_from_text
from driftline.core.lexicon import any_of, word_set
from driftline.core.noise.notices import announces
from driftline.core.text.folding import with_plain_signs
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.window import differing_part
from driftline.kinds.page.compare.fields import LinkChange, OfferChange
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.spans import CAP

_SHORT: Final = 120
_AROUND: Final = 60  # characters around a difference: what a price is written with
_DIGIT: Final = re.compile(r"\d")
_LEAD: Final = 40  # characters in which a line says what it is about
_ROUNDED: Final = Decimal("0.05")  # between how far a product's price went and one that goes with it: per month, per kilo
_PIECES: Final = lazy_regex(lambda: rf"(\d+)\+?\s?(?:{any_of('stock.count.any_piece')})?\.?")
_PARTS: Final = lazy_regex(r"\s[-–—|·:]+\s|\s?[()\[\]|]\s?")


class _Edit(NamedTuple):
    action: str
    before: str | None
    after: str | None


def says_more(one: LineDifference, changes: Sequence[OfferChange]) -> bool:
    """Whether a changed line says more than the price and stock changes."""
    return _repeats(_Edit(one.action, one.before.text if one.before else None, one.after.text if one.after else None), changes)


def link_says_more(change: LinkChange, changes: Sequence[OfferChange]) -> bool:
    """Whether an added or removed link says more; links around a buy button do not."""
    old, new = (link.text if link is not None else None for link in change)
    return bool(old and new) or not (old or new) or _repeats(_Edit("added" if new else "removed", old, new), changes)


def _repeats(edit: _Edit, changes: Sequence[OfferChange]) -> bool:
    types = {change.type for change in changes}
    price = next((change for change in changes if change.level == "price"), None)
    stock = bool(types & {"sold_out", "back_in_stock"})
    return not ((price and _is_price(edit, price)) or (stock and _is_stock(edit)))


def title_says_more(before: str, after: str, changes: Sequence[OfferChange]) -> bool:
    """Whether a title says more than the price and stock changes do."""
    if any(change.level == "price" for change in changes) and with_plain_signs(without_prices(before)) == with_plain_signs(
        without_prices(after)
    ):
        return False
    if any(change.level == "availability" for change in changes):
        parts = set(_PARTS.split(before)) ^ set(_PARTS.split(after))
        return not all(not part or _says_stock(part) for part in parts)
    return True


def same_prices(before: str, after: str) -> bool:
    """Whether two lines differ only in how they write the same amounts of the same currencies."""
    part = differing_part(before, after, around=_AROUND)
    if max(len(part.before), len(part.after)) > CAP:
        return False
    if not _DIGIT.search(part.before) or not (old := find_prices(part.before)):
        return False
    new = find_prices(part.after)
    if len(old) != len(new) or _around(part.before, old) != _around(part.after, new):
        return False
    return all(one.price == other.price for one, other in zip(old, new, strict=True))


def _around(text: str, found: Sequence[PriceSpan]) -> str:
    """All but the prices; percentages stay."""
    pieces: list[str] = []
    at = 0
    for span in found:
        pieces += (text[at : span.start].rstrip(), " ¤ ")
        at = max(at, span.end)
    return with_plain_signs(" ".join("".join((*pieces, text[at:])).split()))


def _is_price(edit: _Edit, change: OfferChange) -> bool:
    """Whether only prices differ, or the text is only about prices: the old beside the new one, a discount."""
    same = False
    if edit.action == "changed" and edit.before and edit.after:
        old, new = find_prices(edit.before), find_prices(edit.after)
        if old and new:
            same = with_plain_signs(without_prices(edit.before)) == with_plain_signs(without_prices(edit.after))
        if same and len(old) == len(new) and not all(_goes_along(*pair, change) for pair in zip(old, new, strict=True)):
            return all(len(side) <= _SHORT and is_only_about_prices(side) for side in (edit.before, edit.after))
    return same or all(len(side) <= _SHORT and is_only_about_prices(side) for side in _sides(edit))


def _goes_along(old: PriceSpan, new: PriceSpan, change: OfferChange) -> bool:
    """Whether an amount changed in proportion to the product's price; a fee for something else does not."""
    one, other = old.price.amount, new.price.amount
    if one == other:
        return True
    if "extra" in (old.role, new.role):
        return False
    if old.role != "price" or not one:
        return True
    was, now = Decimal(str(change.before["price"])), Decimal(str(change.after["price"]))
    return not was or abs(other / one - now / was) <= _ROUNDED


def _is_stock(edit: _Edit) -> bool:
    """Whether the text is only about stock, buttons, or the price that changed with it."""
    sides = _sides(edit)
    counts = [found[1] for side in sides if (found := _PIECES.fullmatch(side.lower()))]
    if len(counts) == len(sides) and "0" in counts:  # Stock: 7
        return True
    if edit.action == "changed" and len({label for side in sides if (label := side.partition(":")[0]) != side}) == 1:
        said = [side.partition(":")[2].strip() for side in sides]  # Availability: In stock
        return any(len(side) <= _SHORT and _says_stock(side) for side in (*sides, *said))
    if any(len(side) > _SHORT for side in sides):
        return False
    about = [_says_stock(side) or is_only_about_prices(side) for side in sides]
    if len(sides) > 1 and not any(about) and not all(map(_is_choice, sides)):
        return False  # stood there before and stands there now, and says something else of delivery
    return all(one or _goes_with_it(side) for one, side in zip(about, sides, strict=True))


def _is_choice(line: str) -> bool:
    """Whether a line is a choice of quantity."""
    return line.isdecimal() and len(line) <= 2


def _goes_with_it(line: str) -> bool:
    """Whether a line belongs to a buy button and contains no warning: delivery, quantities."""
    return not announces(line) and (_is_choice(line) or is_beside_buying(line[:_LEAD]))


def _says_stock(line: str) -> bool:
    bare = without_prices(line).strip(" ¤·|,–-")  # $49.90Add to cart
    return (
        asks_to_buy(bare)
        or speaks_of_stock(line)
        or line.casefold() in word_set("price.free")
        or (bare != line and stock_from_text(bare) is not None)
    )


def _sides(edit: _Edit) -> list[str]:
    return [side for side in (edit.before, edit.after) if side is not None]
