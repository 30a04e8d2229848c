"""Finds the part of a page with its product: around the heading, with a price, without suggestions of other products."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Final

import msgspec
import re2
from selectolax.lexbor import LexborNode

from driftline.core.commerce.buy_buttons import Control, asks_to_buy, buy_buttons
from driftline.core.commerce.card_price import chosen_price, may_be_a_name
from driftline.core.commerce.card_text import TextRun, is_hidden, read_runs
from driftline.core.commerce.prices import Price, find_prices
from driftline.core.commerce.stock import stock_from_classes, stock_from_text
from driftline.core.lexicon import any_of, pattern_of, word_set, words
from driftline.core.text.folding import fold, title_key
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.product.suggestions import announces, of_others, suggested
from driftline.kinds.page.product.title_match import is_named

_HIGHEST: Final = 10  # elements from the heading up to the shelf
_LONGEST: Final = 120  # characters of a text that states stock or asks to buy
_LARGEST: Final = 6_000  # characters of a shelf
_LONGEST_LABEL: Final = 30
_NAMES: Final = '[itemprop="name"],h2,h3,[class*=title],[id*=title]'  # where no h1 is
_MOST_NAMES: Final = 40
_CHOICE: Final = "select,input[type=radio],[role=radio]"  # where a buyer picks a size or a colour
_SHOWN: Final = "input[type=submit],input[type=button]"  # whose text is an attribute
_OF_A_VARIANT: Final = re.compile(r"[^\n]{1,24}?\s?[-–—(|]\s?\D+")  # M - sold out
_SIZE: Final = lazy_regex(  # bare numbers may be pieces of a price
    lambda: (
        rf"(?:eu|uk|us|fr|it|{any_of('product.size')}) ?\d{{1,3}}(?:[.,/-]\d{{1,3}})?|\d{{1,4}} ?(?:cm|mm|gb|tb|ml|kg)|"
        r"[2-6]?x{0,3}[sml]|xxs|one size"
    ),
    re.IGNORECASE,
)
_PRODUCT: Final = re.compile(r"product(?!s|ion|iv)|pdp|item-?detail", re.IGNORECASE)
_WAYS_TO_ASK: Final = 3  # put it in the cart, buy it now, pay with another button
_MANY: Final = 3  # buy buttons; more of them are those of a list
_BOX: Final = 2_500  # characters of what holds price and buttons, where they stand apart
_ON_THE_WAY: Final = 3  # elements above the price in which the buttons may stand

_BESIDE: Final = ("stock.beside.thing", "stock.beside.place")


@cache
def _selling() -> Any:
    """Words of which a page that sells something contains at least one."""
    said = (
        "buy.button",
        "buy.alone",
        "stock.out",
        "stock.in",
        "stock.in_alone",
        "stock.out_alone",
        "stock.notify",
        "stock.word",
    )
    return re2.compile(pattern_of(words(*said)).encode())


class ProductArea:
    """The area around a page's heading, computed on demand."""

    def __init__(self, root: LexborNode | None = None, passing: frozenset[int] = frozenset(), *, title: str = "") -> None:
        self._root = root
        self._passing = passing
        self._title = title

    @cached_property
    def _head(self) -> LexborNode | None:
        """The element that names the page: its first heading, else the one most similar to the title."""
        if self._root is None or (heading := self._root.css_first("h1")) is not None:
            return None if self._root is None else heading
        title = title_key(self._title)
        for node in self._root.css(_NAMES)[:_MOST_NAMES]:
            said = fold(node.text(deep=True, separator=" "))
            if 2 * len(said) > len(title) and is_named(said, title):
                return node
        return None

    @cached_property
    def heading(self) -> str:
        """The text of the heading."""
        return fold(self._head.text(deep=True, separator=" ")) if self._head is not None else ""

    @cached_property
    def _place(self) -> tuple[LexborNode | None, list[TextRun]]:
        if self._root is None or self._head is None:
            return None, []
        return _around(self._head, self._aside)

    @cached_property
    def _aside(self) -> frozenset[int]:
        """The parts that are volatile or about other products."""
        if self._root is None or self._head is None:
            return self._passing
        return self._passing | of_others(self._root, self._head)

    @property
    def suggested(self) -> frozenset[int]:
        """The parts that suggest other products."""
        return (
            frozenset(suggested(self._root, self._head)) if self._root is not None and self._head is not None else frozenset()
        )

    @property
    def runs(self) -> list[TextRun]:
        """The texts of the area, in order."""
        return self._place[1]

    @cached_property
    def _unlinked(self) -> list[TextRun]:
        """The texts of the area without numbers that link to other pages."""
        node = self._place[0]
        away = frozenset(link.mem_id for link in node.css("a[href]") if _leads_away(link)) if node is not None else None
        return read_runs(node, self._aside | away) if node is not None and away else self.runs

    @cached_property
    def _buttons(self) -> list[Control]:
        """The visible buttons of the area that buy something, or whose label says why that is not possible."""
        node = self._place[0]
        return [] if node is None else [found for button, found in buy_buttons(node) if _is_seen(button, node, self._passing)]

    def price(self, hint: str | None) -> Price | None:
        """What a buyer pays now: what stands on the page before what leads to other pages, where formats are offered."""
        own = chosen_price(self._unlinked, hint, worst=1) if self._unlinked is not self.runs else None
        return own or chosen_price(self.runs, hint)

    def stock(self) -> bool | None:
        """What the first text says that speaks of stock; else the markup around the heading, else a button that is off."""
        if (said := self._of_all_sizes()) is not None:
            return said
        for text in self._texts():
            said = stock_from_text(text)
            if said is not None and not (said is False and self.buyable and _OF_A_VARIANT.fullmatch(text)):
                return said
        if (said := self._by_markup()) is not None:
            return said
        buttons = [button for button in self._buttons if not button.waits]
        if buttons and all(button.off for button in buttons) and not self._asks_for_a_choice():
            return False
        return None

    @property
    def buyable(self) -> bool:
        """Whether a button asks to buy and can be pressed."""
        return any(not button.off and asks_to_buy(button.text) for button in self._buttons)

    @property
    def sells(self) -> bool:
        """Whether it has a price and asks to buy, or says whether one can; a list of products asks at each of them."""
        if self._root is None or not self._may_sell() or announces(self.heading) or asks_to_buy(self.heading):
            return False
        price = self.price(None)
        if price is None or not (price.amount or self.buyable):  # an empty cart costs nothing
            return self.stock() is False and self._is_called_product()
        prices = sum(map(_asks, self.runs))
        buttons = sum(asks_to_buy(button.text) for button in self._buttons)
        said = Counter(piece for run in self.runs for piece in map(fold, run.pieces) if piece[:1] != "[" and asks_to_buy(piece))
        pressed = Counter(button.text for button in self._buttons if asks_to_buy(button.text))
        asked = max(map(_times_asked, (said, pressed)))
        if asked == 0:
            return prices < 2 * _MANY and self.stock() is not None
        if asked < _MANY:
            return buttons > 0 or prices < 4 * _MANY
        return asked == _MANY and prices < _MANY

    def _may_sell(self) -> bool:
        """Whether a short text anywhere asks to buy or speaks of stock, or a button or the markup does."""
        if self._root is None:
            return False
        pieces = self._root.text(separator="\n", skip_empty=True).split("\n")
        return (
            _mentions_stock(fold(piece) for piece in pieces if 1 < len(piece) <= _LONGEST)
            or any(True for _ in buy_buttons(self._root, _SHOWN))
            or self._by_markup() is not None
        )

    def _by_markup(self) -> bool | None:
        """What the elements around the heading are called: shop systems mark a product that is sold out there."""
        return next((said for node in self._above_heading() if (said := stock_from_classes(node)) is not None), None)

    def _is_called_product(self) -> bool:
        """Whether an element at the heading says that it is about a product."""
        heading = next(self._above_heading(), None)
        inner = heading.css("[id],[class]") if heading is not None else []
        return any(
            _PRODUCT.search(f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}")
            for node in (*inner, *self._above_heading())
        )

    def _above_heading(self) -> Iterator[LexborNode]:
        """The heading and its ancestors."""
        node = self._head
        for _ in range(_HIGHEST):
            if node is None or node.tag == "html":
                return
            yield node
            node = node.parent

    def _asks_for_a_choice(self) -> bool:
        node = self._place[0]
        return node is not None and node.css_first(_CHOICE) is not None

    @cached_property
    def _sizes(self) -> list[bool | None]:
        """The stock statements right behind each of several sizes to choose from."""
        pieces = [fold(piece) for run in self.runs for piece in run.pieces]
        behind = [
            stock_from_text(after) if len(after) <= _LONGEST else None
            for piece, after in pairwise([*pieces, ""])
            if _SIZE.fullmatch(piece)
        ]
        return behind if len(behind) > 1 and False in behind else []

    def _of_all_sizes(self) -> bool | None:
        """False if every size is sold out."""
        return False if self._sizes and not any(said is not False for said in self._sizes) else None

    def _texts(self) -> Iterator[str]:
        """The short texts there, each after a label together with it first: Stock: 7. What is said of one size is left out."""
        label = size = ""
        for run in self.runs:
            for piece in run.pieces:
                folded = fold(piece)
                of_a_size, size = bool(size and self._sizes), folded if _SIZE.fullmatch(folded) else ""
                if len(folded) <= _LONGEST and not of_a_size:
                    if label:
                        yield f"{label} {folded}"
                    if label.casefold() not in word_set(*_BESIDE):  # Pickup, and below it: Not available
                        yield folded
                named = folded.endswith((":", "：")) or folded.casefold() in word_set(*_BESIDE)
                label = folded if named and len(folded) <= _LONGEST_LABEL else ""


def _times_asked(labels: Counter[str]) -> int:
    """How often one is asked to buy: a page of one product asks in two or three ways, a list at each product."""
    return max(labels.values(), default=0) if len(labels) <= _WAYS_TO_ASK else labels.total()


def _leads_away(link: LexborNode) -> bool:
    """Whether a link to another page has a number in its text."""
    if (link.attributes.get("href") or "").startswith(("#", "javascript:")):
        return False
    said = link.text(deep=True)
    return len(said) <= _LONGEST and any(map(str.isdecimal, said)) and not asks_to_buy(fold(said))


def _is_seen(button: LexborNode, root: LexborNode, passing: frozenset[int]) -> bool:
    """Whether no element from a button up to the shelf is hidden or passes by itself."""
    node: LexborNode | None = button
    while node is not None and node.mem_id != root.mem_id:
        if node.mem_id in passing or is_hidden(node):
            return False
        node = node.parent
    return True


def _around(heading: LexborNode, skip: frozenset[int]) -> tuple[LexborNode | None, list[TextRun]]:
    """The smallest part around the page's heading that holds a price and says whether one can buy.

    Else the smallest that does one of them, else the largest.
    """
    runs: list[TextRun] = []
    node = heading.parent
    half: tuple[LexborNode, list[TextRun]] | None = None  # a price, or a word about stock: the other stands near it, or nowhere
    further = _ON_THE_WAY
    for _ in range(_HIGHEST):
        if node is None or node.tag == "html" or (half and (further == 0 or node.tag == "body")):
            break
        runs = _beginning(read_runs(node, skip))
        if half and sum(map(_size, runs)) > _BOX:
            break
        priced = any(map(_asks, runs))
        says_stock = _runs_mention_stock(runs)
        if priced and says_stock:
            return node, runs
        if priced or says_stock:
            half = half or (node, runs)
            further -= 1
        node = node.parent
    return half or (node, runs)


def _size(run: TextRun) -> int:
    """The length of a text without surrounding whitespace."""
    return sum(map(len, run.pieces))


def _asks(run: TextRun) -> int:
    """How many prices a text asks: none that is crossed out, of before, of a unit, or beside the price."""
    if run.struck or run.unit:
        return 0
    return sum(
        span.role in ("price", "from", "net", "bundle") and not may_be_a_name(run, span) for span in find_prices(run.text)
    )


def _runs_mention_stock(runs: list[TextRun]) -> bool:
    """Whether texts ask to buy, or say whether one can."""
    return _mentions_stock(fold(piece) for run in runs for piece in run.pieces if len(piece) <= _LONGEST)


def _mentions_stock(pieces: Iterable[str]) -> bool:
    """Whether one of some short texts asks to buy, or says whether one can."""
    listed = list(pieces)
    if not _selling().search("\n".join(listed).lower().encode()):
        return False
    return any(
        asks_to_buy(piece) or stock_from_text(piece) is not None
        for piece in listed
        if _selling().search(piece.lower().encode()) is not None
    )


def _beginning(runs: list[TextRun]) -> list[TextRun]:
    """The texts up to some length: what a product costs stands near its heading."""
    kept: list[TextRun] = []
    room = _LARGEST
    for run in runs:
        size = _size(run)
        kept.append(run if size <= room else msgspec.structs.replace(run, text=run.text[:room]))
        room -= size
        if room <= 0:
            break
    return kept
