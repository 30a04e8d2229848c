"""Stock: explicit evidence that a thing can be bought or cannot; anything else is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, Final

import re2
from selectolax.lexbor import LexborNode

from driftline.core.commerce.stock_words import (
    ALONE_IN,
    ALONE_OUT,
    BETWEEN,
    HEDGES,
    IN,
    NEGATIONS,
    OTHERS,
    OUT,
    PLACES,
    SAID_OF_OTHERS,
    WHEN_BACK,
)
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
    r"(?:^|[-_])(?:(?P<out>sold-?_?out|out-?_?(?:of-?_?)?stock|unavailable|not-?_?available|ausverkauft|agotado|epuise|esaurito)"
    r"|(?P<in>in-?_?stock|onbackorder))(?:$|[-_](?:badge|label|overlay|product|card|item|ribbon|tag|flag|icon|message|text)s?$)",
    re.IGNORECASE,
)
_NOT_LETTERS = lazy_regex(r"[\W_]+")


def stock_from_schema(value: object) -> bool | None:
    """What a schema.org availability says, in any of its spellings; True means that it can be ordered."""
    if isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        said = [stock for stock in map(stock_from_schema, value) if stock is not None]
        return any(said) if said else None
    if isinstance(value, dict):
        return stock_from_schema(value.get("@id") or value.get("name") or value.get("@value"))
    if not isinstance(value, str):
        return None
    name = value.strip().rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]
    return _SCHEMA.get(_NOT_LETTERS.sub("", name).casefold())


def _phrases(text: str) -> list[str]:
    return [phrase.replace("_", " ").casefold() for phrase in text.split()]


def _borderless(phrase: str) -> bool:
    """Scripts that put no spaces between words: a phrase may stand against anything."""
    return phrase[0] >= "\u0e00" and not "\u1e00" <= phrase[0] <= "\u1fff"


_SAID: Final = dict.fromkeys(_phrases(OUT), False) | dict.fromkeys(_phrases(IN), True)
_ALONE: Final = dict.fromkeys(_phrases(ALONE_OUT), False) | dict.fromkeys(_phrases(ALONE_IN), True)
_longest_first = sorted(_SAID, key=len, reverse=True)
_PHRASE: Final = lazy_regex(
    r"(?<![^\W\d_])(?:"
    + "|".join(re.escape(phrase) for phrase in _longest_first if not _borderless(phrase))
    + r")(?![^\W\d_])|"
    + "|".join(re.escape(phrase) for phrase in _longest_first if _borderless(phrase))
)


@cache
def _phrases_at_all() -> Any:
    return re2.compile("|".join(map(re.escape, _longest_first)).encode())


_COUNTS: Final = lazy_regex(r"[\d○◯◎△×✕✖]")
# A number with words that make it a stock count. After some words it needs no more, after others it does: only 3 left.
_COUNTED: Final = lazy_regex(
    r"(?:stock|inventory|lagerbestand|bestand|lagersaldo|voorraad|stok|stoc|estoque|existencias|készlet|stan magazynowy|"
    r"остаток|在庫数?|库存|庫存|재고)"
    r"(?: level| qty| quantity)?\s?[:：]\s?(?P<level>\d+)"
    r"|(?:il n(?:e |[’']en )reste(?: plus)? que|plus que|solo quedan?|quedan? solo|quedan|(?:ne )?rest(?:ano|a) solo|"
    r"rimangono solo|rest(?:am|a) apenas|só restam|dostępnych|ultimele|zostało(?: tylko)?|zbývá(?: jen)?|осталось(?: только)?|"
    r"залишилось|ostatni[ea]|残り|あと|在庫数|仅剩|僅剩|只剩|剩余|剩餘|남은 수량|재고|"
    r"chỉ còn|tersisa|sisa|باقي|بقي)\s?(?P<rest>\d+)"
    r"|(?:only|just|last|nur noch|noch|nog maar|nog|slechts|endast|bara|kun|vain|tylko|solo|soltanto|solamente|son|mai sunt|"
    r"još)\s?(?P<left>\d+)\s?"
    r"(?:(?:items?|pieces?|units?|pcs|stück|exemplare|unidades|pezzi|stuks|sztuk[ia]?|artikel|st) )?"
    r"(?:left|remaining|available|in stock|st(?:ü|u)c?k|exemplare|auf lager|verfügbar|en stock|exemplaires?|unidades|"
    r"disponibil[ei]|disponibles?|disponíveis|pezzi|rimast[aio]|stuks|op voorraad|beschikbaar|kvar|igjen|tilbage|jäljellä|"
    r"szt|ks|шт|adet|ürün|kaldı|点|個|件)"
    r"|(?<![\d.,])(?P<have>\d+)\+? (?:items? |pieces? |units? |available |left |stück |stk\.? |pièces |pezzi |unidades |"
    r"stuks |szt\.? |ks |шт\.? )?"
    r"(?:in stock|auf lager|an lager|en stock|op voorraad|på lager|i lager|skladem|na stanie|disponibles)"
    r"|(?<!\d)(?P<still>\d+)\s?개 남음"
    r"|\A(?:more than |mehr als |plus de |más de |mais de |\+\s?)?(?P<few>\d+)\+? (?:(?:items?|pieces?|units?) )?"
    r"(?:left|remaining|available|verfügbar|disponibles?|disponibili|disponíveis|beschikbaar|kvar|tilbage|igjen|jäljellä)!?\Z"
    r"|在庫(?:状況)?\s?[:：]?\s?(?:(?P<circle>[○◯◎△])|(?P<cross>[×✕✖]))"
)
_LONGEST_REQUEST: Final = 80  # characters of a button that promises to tell
_TELLS_WHEN: Final = lazy_regex(
    rf"[^?]{{0,24}}\b(?:{'|'.join(map(re.escape, _phrases(SAID_OF_OTHERS)))})[^?]*"
    rf"(?:{'|'.join(map(re.escape, _phrases(WHEN_BACK)))})[^?]*\Z"
)
_SPLIT: Final = lazy_regex(r"[\n\r|•·;✓✔●]+|\s/\s|(?<=[^\W\d_])[.!](?=\s|\Z)")
_WORDS: Final = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# "not available in your country" is about the country, "back in stock soon" about some day, 在庫切れの場合 about some case.
_NARROWED: Final = lazy_regex(
    r"\s(?:(?:in|for|on|at|to|as|with|für|im|bei|en|sur|pour|dans|para|per|su|voor|op|för|w|na|для|на)\s"
    r"(?!stock|the moment|this time|moment|questo momento|este momento|this moment|purchase\b|sale\b|ligne|this item)|"
    r"i (?:butik|varuhus|din|ditt|dit)|twice|\d+ times|last |every |within )"
    r"|の?場合|の際|次第|の可能性|になること|必至|間近|时|的情况|임박|될 수|\s시(?!\S)"
)
_MISSING: Final = lazy_regex(
    r"avail|verfügbar|erhältlich|dispon|beschikbaar|tilg|tillg|saatavilla|dostęp|dostup|elérhető|доступ|mevcut|διαθέσιμο"
)
# In-stock items ship today: all that are.
_OF_ALL: Final = lazy_regex(r"\s(?:items|products|orders|goods|styles|range|only)(?![^\W\d_])")
_ALERTS: Final = lazy_regex(r"[\s-](?:alerts?|notifications?|reminders?)(?![^\W\d_])")  # get in-stock alert
_NONE_LEFT: Final = lazy_regex(r"[\s:：(]{1,3}0(?!\s?[\d.,:–-])")  # skladem 0 ks
_LATER: Final = lazy_regex(
    r"\s(?:soon|shortly|again soon|bald|demnächst|bientôt|pronto|presto|a breve|em breve|binnenkort|snart|pian|wkrótce|dalam |"
    r"brzy|hamarosan|скоро|yakında|ab \d|from |on \d|on [a-z]+day|à partir|dès le|expected|"
    r"in \d+ (?:weeks|wochen|months|monaten))"
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
    said = {bool(found["in"]) for name in classes.split() if (found := _STOCK_CLASS.search(name)) is not None}
    return said.pop() if len(said) == 1 else None


def speaks_of_stock(text: str) -> bool:
    """Whether a text has words about stock in it, whatever it says with them."""
    return _PHRASE.search(text.casefold()) is not None or stock_from_text(text) is not None


def _part(part: str) -> Iterator[bool]:
    """What one sentence or line says."""
    alone = _ALONE.get(part.strip(" .:!¡-–✓✔●*()[]"))
    if alone is not None:
        yield alone
        return
    counted = _COUNTS.search(part) and _COUNTED.search(part)
    if counted:
        said = next(filter(None, counted.groups()))
        yield any(map(int, said)) if said.isdecimal() else counted["circle"] is not None
        return
    if len(part) <= _LONGEST_REQUEST and _TELLS_WHEN.match(part):
        yield False
        return
    if _phrases_at_all().search(part.encode("utf-8", "replace")) is None:  # a tenth of the time, and most texts have none
        return
    for match in _PHRASE.finditer(part):
        lead = _WORDS.findall(part[max(0, match.start() - 60) : match.start()])
        answer = _SAID[match.group()]
        if _is_of_another(part, match, lead, answer=answer):
            continue
        if answer and (
            _NONE_LEFT.match(part, match.end()) or (len(part) <= _LONGEST_REQUEST and _ALERTS.match(part, match.end()))
        ):
            yield False
            continue
        yield answer ^ any(word in NEGATIONS or word.endswith(("n't", "n’t")) for word in lead[-3:])


def _is_of_another(part: str, phrase: re.Match[str], lead: list[str], *, answer: bool) -> bool:
    """Whether a phrase is about another time, place or thing than the product now."""
    end = phrase.end()
    if (_LATER if answer else _NARROWED).match(part, end) or part[end:].lstrip(" !.").startswith("?"):
        return True
    if lead[-1:] == ["be"] or any(word in HEDGES for word in lead[-6:]):  # working hard to be back in stock
        return True
    if answer:
        return lead[-1:] in (["items"], ["products"]) or _OF_ALL.match(part, end) is not None
    named = next((word for word in reversed(lead) if word not in BETWEEN), "")
    if named in PLACES or part.startswith("is "):  # Is discontinued by manufacturer: No
        return True
    return named in OTHERS and _MISSING.search(phrase[0]) is not None  # pictures are missing, and paintings sold out
