"""Stock: explicit evidence that a thing can be bought or cannot; anything else is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, Final

import re2
from selectolax.lexbor import LexborNode

from driftline.core.lexicon import any_of, folded, is_solid, pattern_of, word_set
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

# schema.org ItemAvailability, and what feeds and shop systems write in its place.
_SCHEMA: Final[dict[str, bool]] = {
    **dict.fromkeys(
        """instock instoreonly onlineonly limitedavailability preorder presale backorder onbackorder
        madetoorder available availablefororder lowstock limitedstock inventory yes true 1 y buyable orderable
        purchasable""".split(),
        True,
    ),
    **dict.fromkeys(
        "outofstock soldout discontinued notavailable unavailable reserved no false 0 n oos nostock notinstock".split(),
        False,
    ),
}
_STOCK_CLASS: Final = lazy_regex(
    lambda: (
        r"(?:^|[-_])(?:(?P<out>sold-?_?out|out-?_?(?:of-?_?)?stock|unavailable|not-?_?available|"
        rf"{any_of('stock.name.out')})|(?P<in>in-?_?stock|onbackorder))(?:$|[-_](?:badge|label|overlay|product|card|item|ribbon|tag|flag|icon|message|text)s?$)"
    ),
    re.IGNORECASE,
)
_NOT_LETTERS = lazy_regex(r"[\W_]+")


def stock_from_schema(value: object) -> bool | None:
    """What a schema.org availability says, in any of its spellings; True means that it can be ordered."""
    if isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        stocks = [stock for stock in map(stock_from_schema, value) if stock is not None]
        return any(stocks) if stocks else None
    if isinstance(value, dict):
        return stock_from_schema(value.get("@id") or value.get("name") or value.get("@value"))
    if not isinstance(value, str):
        return None
    name = value.strip().rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]
    return _SCHEMA.get(_NOT_LETTERS.sub("", name).casefold())


@cache
def _said() -> dict[str, bool]:
    return dict.fromkeys(folded("stock.out"), False) | dict.fromkeys(folded("stock.in"), True)


@cache
def _alone() -> dict[str, bool]:
    return dict.fromkeys(folded("stock.out_alone"), False) | dict.fromkeys(folded("stock.in_alone"), True)


_PHRASE: Final = lazy_regex(
    lambda: (
        r"(?<![^\W\d_])(?:"
        + pattern_of(phrase for phrase in _said() if not is_solid(phrase))
        + r")(?![^\W\d_])|"
        + pattern_of(phrase for phrase in _said() if is_solid(phrase))
    )
)


@cache
def _phrases_at_all() -> Any:
    return re2.compile(pattern_of(_said()).encode())


_COUNTS: Final = lazy_regex(r"[\d○◯◎△×✕✖]")
# A number with words that make it a stock count. After some words it needs no more, after others it does: only 3 left.
_COUNTED: Final = lazy_regex(
    lambda: (
        rf"(?:{any_of('stock.count.label')})(?: level| qty| quantity)?\s?[:：]\s?(?P<level>\d+)"
        rf"|(?:{any_of('stock.count.remains')})\s?(?P<rest>\d+)"
        rf"|(?:{any_of('stock.count.only')})\s?(?P<left>\d+)\s?(?:(?:{any_of('stock.count.piece')}) )?"
        rf"(?:{any_of('stock.count.left')})"
        rf"|(?<![\d.,])(?P<have>\d+)\+? (?:(?:{any_of('stock.count.have_piece')}) )?(?:{any_of('stock.count.have')})"
        rf"|(?<!\d)(?P<still>\d+)\s?(?:{any_of('stock.count.still')})"
        rf"|\A(?:(?:{any_of('stock.count.more_than')}) |\+\s?)?(?P<few>\d+)\+? (?:(?:items?|pieces?|units?) )?"
        rf"(?:{any_of('stock.count.few')})!?\Z"
        rf"|(?:{any_of('stock.count.sign_label')})\s?[:：]?\s?(?:(?P<circle>[○◯◎△])|(?P<cross>[×✕✖]))"
    )
)
_LONGEST_REQUEST: Final = 80  # characters of a button that promises to tell
# Whoever promises to tell when a thing can be bought says that it cannot be now.
_TELLS_WHEN: Final = lazy_regex(
    lambda: rf"[^?]{{0,24}}\b(?:{pattern_of(folded('stock.notify'))})[^?]*(?:{pattern_of(folded('stock.when_back'))})[^?]*\Z"
)
_SPLIT: Final = lazy_regex(r"[\n\r|•·;✓✔●]+|\s/\s|(?<=[^\W\d_])[.!](?=\s|\Z)")
_WORDS: Final = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# "not available in your country" is about the country, "back in stock soon" about some day, 在庫切れの場合 about some case.
_NARROWED: Final = lazy_regex(
    lambda: (
        rf"\s(?:(?:{any_of('stock.narrowed.word')})\s(?!(?:{any_of('stock.narrowed.not')})\b)|"
        rf"(?:{any_of('stock.narrowed.phrase')})|\d+ times)"
        rf"|{any_of('stock.narrowed.solid')}|\s(?:{any_of('stock.narrowed.last')})(?!\S)"
    )
)
_MISSING: Final = lazy_regex(lambda: any_of("stock.missing"))
# In-stock items ship today: all that are.
_OF_ALL: Final = lazy_regex(lambda: rf"\s(?:{any_of('stock.of_all')})(?![^\W\d_])")
_ALERTS: Final = lazy_regex(lambda: rf"[\s-](?:{any_of('stock.alert')})(?![^\W\d_])")  # get in-stock alert
_NONE_LEFT: Final = lazy_regex(r"[\s:：(]{1,3}0(?!\s?[\d.,:–-])")  # skladem 0 ks
_LATER: Final = lazy_regex(
    lambda: rf"\s(?:{any_of('stock.later')}|ab \d|on \d|on [a-z]+day|in \d+ (?:weeks|wochen|months|monaten))"
)


def stock_from_text(text: str, *, sold_out: Iterable[str] = (), in_stock: Iterable[str] = ()) -> bool | None:
    """What a text says about stock; None unless it says so itself, and only one thing. A watch's own phrases win."""
    folded = " ".join(text.casefold().split(" "))
    for phrases, answer in ((sold_out, False), (in_stock, True)):
        if any(phrase.strip().casefold() in folded for phrase in phrases if phrase.strip()):
            return answer
    return _said_in(folded) if len(folded) <= _REMEMBERED else _looked_for(folded)


def _looked_for(folded: str) -> bool | None:
    answers = {answer for part in _SPLIT.split(folded) if part for answer in _part(" ".join(part.split()))}
    return answers.pop() if len(answers) == 1 else None


_REMEMBERED: Final = 120  # characters; what is longer seldom comes again
_said_in: Final = lru_cache(maxsize=4096)(_looked_for)  # a page's short texts are asked several times


def stock_from_classes(node: LexborNode) -> bool | None:
    """What the classes of a product's own element say, where they agree."""
    return stock_from_names(node.attributes.get("class") or "")


@short_cache(4096)
def stock_from_names(classes: str) -> bool | None:
    """The same of the classes alone."""
    answers = {bool(found["in"]) for name in classes.split() if (found := _STOCK_CLASS.search(name)) is not None}
    return answers.pop() if len(answers) == 1 else None


def speaks_of_stock(text: str) -> bool:
    """Whether a text has words about stock in it, whatever it says with them."""
    return _PHRASE.search(text.casefold()) is not None or stock_from_text(text) is not None


def _part(part: str) -> Iterator[bool]:
    """What one sentence or line says."""
    alone = _alone().get(part.strip(" .:!¡-–✓✔●*()[]"))
    if alone is not None:
        yield alone
        return
    counted = _COUNTS.search(part) and _COUNTED.search(part)
    if counted:
        count = next(filter(None, counted.groups()))
        yield any(map(int, count)) if count.isdecimal() else counted["circle"] is not None
        return
    if len(part) <= _LONGEST_REQUEST and _TELLS_WHEN.match(part):
        yield False
        return
    if _phrases_at_all().search(part.encode("utf-8", "replace")) is None:  # a tenth of the time, and most texts have none
        return
    for match in _PHRASE.finditer(part):
        lead = _WORDS.findall(part[max(0, match.start() - 60) : match.start()])
        answer = _said()[match.group()]
        if _is_of_another(part, match, lead, answer=answer):
            continue
        if answer and (
            _NONE_LEFT.match(part, match.end()) or (len(part) <= _LONGEST_REQUEST and _ALERTS.match(part, match.end()))
        ):
            yield False
            continue
        yield answer ^ any(word in word_set("stock.negation") or word.endswith(("n't", "n’t")) for word in lead[-3:])


def _is_of_another(part: str, phrase: re.Match[str], lead: list[str], *, answer: bool) -> bool:
    """Whether a phrase is about another time, place or thing than the product now."""
    end = phrase.end()
    if (_LATER if answer else _NARROWED).match(part, end) or part[end:].lstrip(" !.").startswith("?"):
        return True
    if lead[-1:] == ["be"] or any(word in word_set("stock.hedge") for word in lead[-6:]):  # working hard to be back in stock
        return True
    if answer:
        return lead[-1:] in (["items"], ["products"]) or _OF_ALL.match(part, end) is not None
    named = next((word for word in reversed(lead) if word not in word_set("stock.beside.between")), "")
    if named in word_set("stock.beside.place") or part.startswith("is "):  # Is discontinued by manufacturer: No
        return True
    return (
        named in word_set("stock.beside.thing") and _MISSING.search(phrase[0]) is not None
    )  # pictures are missing, and paintings sold out
