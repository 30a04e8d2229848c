"""Lines of a shop that turn by themselves: the day of delivery, how many were sold or reviewed, a price in another money."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Final

from driftline.core import dates
from driftline.core.instants import instant
from driftline.core.later import later
from driftline.core.noise_rules import NUMBER
from driftline.core.prices import find_prices, without_prices
from driftline.kinds.page.parsed import ParsedPage

_LONGEST: Final = 120  # characters of such a line
_DRIFT: Final = Decimal("0.05")  # of an exchange rate between two checks
_SOONEST: Final = 21  # days that a promise moves on by itself between two checks; beyond, somebody put it off
_YEAR: Final = 365
_SENT: Final = later(
    r"(?<!\w)(?:deliver(?:y|ed|s)?|arriv(?:es|al|ing)|get it|receive it|dispatch(?:ed|es)?|ships|geliefert|lieferung|"
    r"zustellung|livraison|livré|recevez|arrive|expédié|entrega|llega(?:rá)?|recíbelo|consegna|ricevi\w*|arriva|spedizione|"
    r"chega(?:rá)?|receba|bezorg\w*|gelever\w*|levering|in huis|verzonden|leverans|leveres|levereres|toimitus|dostaw\w*|"
    r"wysyłka|doruč\w*|dodán\w*|kiszállítás|szállítás|livrare|доставк\w*|доставим|привез[её]м|получите|доставимо|teslimat|"
    r"kargo\w*|παράδοση)(?!\w)|お届け|配送|到着|発送|送达|送達|预计|預計|到货|도착|배송"
)
_WEEKDAYS: Final = rf"(?:{dates.WEEKDAYS})"
# A day that somebody chose, or the days of a service.
_SET: Final = later(
    r"(?<!\w)(?:from|ab|à partir|a partir|desde|dal|vanaf|od|от|after|before|until|no deliver\w*|keine|last|letzte\w*|"
    r"dernière?|pre-?order|vorbestell\w*|release\w*|christmas|weihnacht\w*|noël|closed|every|each|jeden|nur|only|except|außer)"
    rf"(?!\w)|{_WEEKDAYS}\s?(?:[-–&]|to|bis|till|through|à|al|t/m|and|und|do)\s?{_WEEKDAYS}(?!\w|\W{{0,2}}\d)"
)
_SOON: Final = (
    r"(?:today|tomorrow|tonight|heute|morgen|übermorgen|aujourd['’]hui|demain|après-demain|hoy|mañana|pasado mañana|oggi|"
    r"domani|dopodomani|hoje|amanhã|depois de amanhã|vandaag|overmorgen|dziś|dzisiaj|jutro|pojutrze|dnes|zítra|pozítří|zajtra|"
    r"idag|imorgon|i morgon|i dag|i morgen|tänään|huomenna|holnap|azi|mâine|сегодня|завтра|послезавтра|сьогодні|післязавтра|"
    r"bugün|yarın|σήμερα|αύριο)"
)
_DAY: Final = later(
    r"(?<!\w)(?:(?:on|by|le|el|il|am|den|op|em|na|w|ve?|во?|у|σε)\s)?"
    rf"(?:{_WEEKDAYS}\.?,?\s(?:\d{{1,2}}\.\s?\d{{1,2}}\.(?!\d)|{dates.DATE})|{dates.DATE}|{_WEEKDAYS}(?!\w)|"
    rf"\d{{1,2}}\.\d{{1,2}}\.(?!\d)|\d{{1,2}}/\d{{1,2}}(?![\d%])|{_SOON}(?!\w))|明日|今日|明天|后天|後天|내일|모레|"
    r"[(（][日月火水木金土일월화수목금토][)）]"
)
_DATE: Final = later(dates.DATE)
_WITH_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_UP_TO_A_NUMBER: Final = re.compile(r"^\D+")
_COUNTS: Final = later(
    rf"\W*(?:(?:new|nuevo|novo|neu|neuf|nuovo|nieuw|used|usado)\W{{1,3}})?\+?(?:de\s)?{NUMBER}\s?(?:mil\s|rb\s?\+?\s)?"
    r"(?:sold|verkauft|vendus?|vendidos?|venduti|verkocht|sprzedan\w+|prodáno|sålda|solgte|myyty|satıldı|terjual|đã bán|"
    r"продан\w*|osób kupiło|人付款)(?: in (?:the )?(?:past|last) [\w ]{3,12})?\W*"
    r"|\W*(?:sold|verkauft|vendidos|продано|купили|terjual|đã bán|已售|已售出|销量|月销|月銷|月售|总销量|累计销量)"
    rf"\s?[:：]?\s?{NUMBER}(?:\s?(?:times|раза?|件|笔))?(?: in (?:the )?(?:past|last) [\w ]{{3,12}})?\W*"
    r"|\W*(?:レビュー|クチコミ|口コミ|評価|评价|評價|累计评价|商品评价|商品評價|리뷰|상품평|구매평|후기)(?:数|件数)?"
    rf"\s?[（(:：]?\s?{NUMBER}\s?(?:件|条|條|個|个|개|건)?\W*"
    rf"|\W*[0-5][.,]\d{{1,2}}\s(?:out of|von|sur|de|su|van|av|af|z|из)\s5(?:\s\w+)?\s?(?:[(（]{NUMBER}[)）])?\W*"
    rf"|\W*[0-5][.,]\d\W{{1,3}}[(（]{NUMBER}[)）]\W*"
    rf"|\W*(?:ask a question|questions?(?: (?:&|and) answers)?|q&a|fragen|preguntas|domande|perguntas|vragen|pytania|вопросы)"
    rf"\s[(（]{NUMBER}[)）]\W*"
    rf"|in {NUMBER} (?:other )?(?:people|shopper|customer)s?['’]?s? (?:carts?|baskets?)\W*"
)
_NUMBER: Final = re.compile(NUMBER)


def turned(before: str | None, after: str | None, pages: tuple[ParsedPage, ParsedPage]) -> str | None:
    """The rule by which a line of a product page became another without anything having changed."""
    if before is None or after is None or max(len(before), len(after)) > _LONGEST:
        return None
    if _is_same_price(before, after):
        return "writing"
    if any(page.classification.type != "product" for page in pages):
        return None
    old, new = before.lower(), after.lower()
    if _SENT.search(old) and not _SET.search(old) and not _SET.search(new) and _without_days(old) == _without_days(new):
        return None if _is_put_off(old, new) else "delivery-day"
    if _COUNTS.fullmatch(old) and _COUNTS.fullmatch(new) and _NUMBER.sub("", old) == _NUMBER.sub("", new):
        return "counter"
    return "converted-price" if _is_converted(before, after, pages) else None


def _is_same_price(before: str, after: str) -> bool:
    """Whether two lines say the same but for how their prices are written: 38,50 €, € 38.50."""
    old, new = find_prices(before), find_prices(after)
    if not old or [(span.price.currency, span.role) for span in old] != [(span.price.currency, span.role) for span in new]:
        return False
    if any(span.price.currency is None for span in old) or without_prices(before).split() != without_prices(after).split():
        return False
    return all(one.price.amount == other.price.amount for one, other in zip(old, new, strict=True))


def _without_days(line: str) -> str:
    """A line with one sign for all its days; whatever else differs still does."""
    return re.sub(r"•(?:[\s,–—-]{0,3}•)*", "•", _DAY.sub("•", line)) if _DAY.search(line) else line + "\n"


def _is_put_off(before: str, after: str) -> bool:
    """Whether the first days of two lines are weeks apart; without years, on the shorter way around the year."""
    found = _DATE.search(before), _DATE.search(after)
    if found[0] is None or found[1] is None:
        return False
    old, new = found[0][0], found[1][0]
    dated = _WITH_YEAR.search(old) is not None and _WITH_YEAR.search(new) is not None
    one, other = _at(old), _at(new)
    if one is None or other is None:
        return False
    apart = abs((other - one).days)
    return (apart if dated else min(apart % _YEAR, _YEAR - apart % _YEAR)) > _SOONEST


def _at(day: str) -> datetime | None:
    """When a day is; one without a year in a year that does not matter."""
    full = day if _WITH_YEAR.search(day) else f"{day.rstrip('. ')} 2026"
    return instant(full) or instant(_UP_TO_A_NUMBER.sub("", full))  # a weekday stands before the day


def _is_converted(before: str, after: str, pages: tuple[ParsedPage, ParsedPage]) -> bool:
    """Whether a line tells in another money what a product costs whose own price stayed as it is."""
    own, same = pages[0].offer, pages[1].offer
    if own.price is None or own.currency is None or (own.price, own.currency) != (same.price, same.currency):
        return False
    old, new = find_prices(before), find_prices(after)
    if not old or len(old) != len(new) or without_prices(before) != without_prices(after):
        return False
    return all(
        one.price.currency == other.price.currency not in (None, own.currency)
        and "extra" not in (one.role, other.role)  # a fee or a deposit is set
        and abs(one.price.amount - other.price.amount) <= _DRIFT * one.price.amount
        for one, other in zip(old, new, strict=True)
    )
