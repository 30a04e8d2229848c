"""Chooses the price among the amounts in a product card or page."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.commerce.card_text import TextRun
from driftline.core.commerce.prices import Price, PriceSpan, find_prices, is_only_about_prices, price_before_reduction

# Ranks of roles, the price to pay first; amounts of other roles are not prices.
_RANKS: Final = {"price": 1, "from": 1, "net": 2, "bundle": 3, "unit": 4, "installment": 5, "hourly": 5.5, "old": 6}
_NOW: Final = 0.5  # marked as the current price
_CALLED_FORMER: Final = 4.5  # its class says so, and some shops call their only price "regular" or "retail"
_CALLED_UNIT: Final = 4.6
_STRUCK: Final = 7  # a crossed-out price never counts, even if it is the only one
_BETWEEN_WORDS: Final = 0.25  # added to the rank of an amount that may be part of a name
_NAMED: Final = re.compile(r"[^\W\d_]{1,4}\.?\s?\d+(?:[.,]\d)?")  # letters and a number without cents: RS 357, EUR 40, G9.5


def chosen_price(runs: list[TextRun], currency: str | None, *, worst: int = 6) -> Price | None:
    """The amount that a buyer pays now, if its rank is good enough.

    What may be a name counts only in the currency of the page or of other amounts.
    """
    sure: list[tuple[float, PriceSpan]] = []
    doubtful: list[tuple[float, PriceSpan]] = []
    for run in runs:
        for span in find_prices(run.text, currency=currency):
            if rank := rank_of(run, span):
                (doubtful if may_be_a_name(run, span) else sure).append((rank, span))
    used = {currency, *(span.price.currency for _, span in sure)}
    found = sure + [(rank + _BETWEEN_WORDS, span) for rank, span in doubtful if span.price.currency in used]
    best = first_of(found, " ".join(run.text for run in runs)) if found else None
    return None if best is None or best[0] > worst + _BETWEEN_WORDS else best[1].price


def may_be_a_name(run: TextRun, span: PriceSpan) -> bool:
    """Whether an amount is letters and a number among words that are not about prices: Vintage Radio RS 357."""
    if not _NAMED.fullmatch(run.text[span.start : span.end].strip()):
        return False
    return not is_only_about_prices(run.piece_of(span.start) or run.text)


def rank_of(run: TextRun, span: PriceSpan) -> float:
    """The rank of an amount by its role and marks, lower is better; 0: it is not a price."""
    rank: float = _RANKS.get(span.role, 0)
    if not rank:
        return 0
    if run.unit:
        rank = max(rank, _CALLED_UNIT)
    if run.struck:
        return _STRUCK
    if run.former:
        return max(rank, _CALLED_FORMER)
    return _NOW if run.current and rank == 1 else rank


def first_of(found: list[tuple[float, PriceSpan]], text: str) -> tuple[float, PriceSpan]:
    """The best of some amounts with their ranks, the first of those.

    The higher of two is old where a discount leads from it to the lower.
    """
    plain = [span.price.amount for rank, span in found if rank <= 1]
    before = price_before_reduction(plain, text, []) if len(plain) == 2 else None
    ranked = [(_RANKS["old"] if rank <= 1 and span.price.amount == before else rank, span) for rank, span in found]
    return min(ranked, key=lambda pair: pair[0])
