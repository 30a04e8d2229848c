"""Which amounts on a page are prices: those in the currencies that the page uses. `RS 2000` may be a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from driftline.core.commerce.prices import PriceSpan, find_prices


class AmountsSeen(NamedTuple):
    """An element whose text contains amounts."""

    place: int
    currencies: frozenset[str | None]
    signed: frozenset[str | None]  # currencies written as a sign; letters may be a word or a model

    @classmethod
    def of(cls, place: int, text: str, currency: str | None) -> AmountsSeen | None:
        """The amounts of a text; None if there are none."""
        spans = find_prices(text, currency=currency)
        if not spans:
            return None
        signed = frozenset(span.price.currency for span in spans if is_signed(text, span))
        return cls(place, frozenset(span.price.currency for span in spans), signed)


def is_signed(text: str, span: PriceSpan) -> bool:
    """Whether the currency of an amount is written as a sign: € and $, not Rs or kr."""
    return any(not (sign.isalnum() or sign.isspace() or sign in ".,:;'’-–—()/") for sign in text[span.start : span.end])


class PageCurrencies:
    """The currencies of a page's prices."""

    def __init__(self, hint: str | None, seen: Sequence[AmountsSeen]) -> None:
        self.hint = hint
        every = Counter(one for holder in seen for one in holder.currencies)
        signed = Counter(one for holder in seen for one in holder.signed)
        # Names may look like amounts in any currency, while all prices share one.
        usual = signed if signed and 2 * max(signed.values()) >= max(every.values()) else every
        most = max(usual.values(), default=0)
        self.currencies = frozenset(one for one, times in usual.items() if 2 * times >= most)
        self.main = usual.most_common(1)[0][0] if usual else hint

    def has_any(self, currencies: Iterable[str | None]) -> bool:
        """Whether one of these currencies is the page's."""
        return not self.currencies.isdisjoint(currencies)

    def is_own(self, span: PriceSpan) -> bool:
        """Whether an amount is in one of the page's currencies."""
        return span.price.currency in self.currencies

    def spans(self, text: str) -> list[PriceSpan]:
        """All amounts of a text."""
        return find_prices(text, currency=self.hint)
