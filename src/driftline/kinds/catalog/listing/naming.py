"""Which of a card's possible names is the product's: beside those of the other cards, and beside the words of its address."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from driftline.core.text.short_cache import short_cache
from driftline.kinds.catalog.listing.card import Card, Name

_HEADED: Final = 1  # rank of a heading
_LINKED: Final = 3  # rank of a link's text; higher ones are labels
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_FEWEST: Final = 3  # words of an address that tell a product
_AGREED: Final = 2  # of so many cards, one at least has the same name in both places
_NEXT: Final = re.compile(r"[,;|\u00b7]")


def best_names(cards: Sequence[Card], distinctive: Mapping[str, int]) -> list[Name | None]:
    """Of each card its best name in a place where the cards have distinct texts."""
    chosen = [next((name for name in card.names if name.slot in distinctive), None) for card in cards]
    usual = Counter(name.slot for name in chosen if name is not None).most_common(1)
    for at, card in enumerate(cards):
        if card.priced and usual:  # 20 bags of 5 EUR, where the other cards have their names
            name = chosen[at]
            better = (one for one in card.priced if one.slot == usual[0][0] and (name is None or one.rank < name.rank))
            chosen[at] = next(better, name)
    chosen = [None if name is None else _by_address(card, name) for card, name in zip(cards, chosen, strict=True)]
    return _without_badges(cards, chosen)


def _without_badges(cards: Sequence[Card], chosen: Sequence[Name | None]) -> list[Name | None]:
    """Names without a badge before them, where the names of the other cards are the same as a label of theirs."""
    agreeing = Counter(
        slot
        for card, name in zip(cards, chosen, strict=True)
        if name is not None
        for slot in {one.slot for one in card.names if one.rank > _LINKED and one.text == name.text and one.slot != name.slot}
    )
    sure = {slot for slot, times in agreeing.items() if _AGREED * times >= len(cards)}
    return [
        name
        if name is None
        else name._replace(
            text=next((one.text for one in card.names if one.slot in sure and name.text.endswith(f" {one.text}")), name.text)
        )
        for card, name in zip(cards, chosen, strict=True)
    ]


def _by_address(card: Card, name: Name) -> Name:
    """The name, or one that says what the product's address says where this one says hardly anything of it: a brand."""
    told = _words_of_address(card.key)
    if len(told) < _FEWEST or 2 * len(told & _words(name.text)) >= len(told):
        return name
    best = max(_candidates(card, name), key=lambda one: len(told & _words(one.text)), default=name)
    said = len(told & _words(best.text))
    if 3 * said < 2 * len(told) or said < 2 * len(told & _words(name.text)):
        return name
    ends = (found.start() for found in _NEXT.finditer(best.text))
    short = (text for end in ends if len(told & _words(text := best.text[:end].rstrip())) == said)
    return best._replace(text=next(short, best.text)) if best.rank > _LINKED else best


def _candidates(card: Card, name: Name) -> Iterator[Name]:
    yield from (  # a brand and a name in two headings
        name._replace(text=f"{name.text} {one.text}")
        for one in card.names
        if name.rank == one.rank == _HEADED and one.place > name.place
    )
    yield from card.names
    yield from (one for one in card.priced if one.rank > _LINKED)


@short_cache(4096)
def _words_of_address(key: str) -> frozenset[str]:
    """The words of the part of an address that has most of them."""
    parts = [_words(unquote(part)) for part in urlsplit(key).path.split("/")]
    return max(parts, key=len, default=frozenset())


@short_cache(4096)
def _words(text: str) -> frozenset[str]:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return frozenset(_WORDS.findall(plain.casefold()))
