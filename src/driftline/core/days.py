"""What the day brings: texts that tell the present day, whose name day it is, how warm it is and what money costs.

In the head or the foot of a page they are noise; elsewhere a date is content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import re2
from selectolax.lexbor import LexborNode

from driftline.core import dates
from driftline.core.later import later
from driftline.core.noise_days import OPEN_NOW
from driftline.core.text import fold

_LONGEST: Final = 60  # characters of a date
_LONGEST_DAY: Final = 120  # of a text that tells more of the day
_HIGHEST: Final = 4  # elements between a rate and the others
_FEWEST: Final = 2  # sorts of money
_LONE: Final = later(
    rf"\W{{0,3}}(?:(?:date|datum|fecha|data|дата|tarih)\s?:?\s)?(?:(?:{dates.WEEKDAYS})(?!\w)(?:[\s,.|،"
    rf"·-]{{1,3}}(?:{dates.MOMENT}))?|{dates.MOMENT})\W{{0,3}}"
)
_WEEKDAY: Final = later(rf"(?<!\w)(?:{dates.WEEKDAYS})(?!\w)|[曜星요]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_FIRST: Final = 30  # texts in which a page's head stands
_BELOW: Final = frozenset(("h1", "h2", "h3", "main", "article"))
_WARM: Final = re.compile(r"(?<![\d.,])[-−–+]?\d{1,3}\s?(?:°\s?(?:[CF]\b|(?!\w))|℃|℉)")
_NAME_DAYS: Final = "mieniny|vátek|eniny|amnsdag|avnedag|imip|évnap|менини|vārd|vard|imep|γιορτ"
_HINT: Final = re.compile(rf"\d|{_NAME_DAYS}", re.IGNORECASE)
_ANY_HINT: Final = re2.compile(rf"(?i)\p{{Nd}}|{_NAME_DAYS}")  # in many lines at once
_HIJRI: Final = (
    r"محرم|صفر|ربيع الأول|ربيع الآخر|ربيع الثاني|جمادى الأولى|جمادى الآخرة|جمادى الثانية|رجب|شعبان|رمضان|شوال|ذو القعدة|"
    r"ذي القعدة|"
    r"ذو الحجة|ذي الحجة|فروردین|اردیبهشت|خرداد|تیر|مرداد|شهریور|مهر|آبان|آذر|دی|بهمن|اسفند"
)
# Names of saints; a line that says whose day it is says nothing else.
_NAME_DAY: Final = (
    r"(?:imieniny(?: obchodzą| dzisiaj| dziś)?|(?:dnes )?(?:má |slaví )?svátek(?: má| mají| slaví)?|"
    r"(?:dnes )?(?:má )?meniny(?: má| majú)?|"
    r"namnsdag(?: idag)?|dagens namn|navnedag|nimipäivä|nimipäivät|(?:mai )?névnap|именины|іменини|vārda diena|vardadienis|"
    r"vardadieniai|"
    r"nimepäev|γιορτάζουν(?: σήμερα)?|εορτολόγιο)\s?:?\s[^\d:]{2,80}"
)
_TODAY_IS: Final = (
    r"today(?: is)?|heute(?: ist)?|aujourd['’]hui|nous sommes(?: le)?|hoy(?: es)?|oggi(?: è)?|hoje(?: é)?|vandaag(?: is het)?|"
    r"dziś(?: jest| mamy)?|"
    r"dzisiaj(?: jest)?|dnes(?: je)?|idag(?: är det)?|i dag(?: er det)?|tänään(?: on)?|bugün(?: günlerden)?|сегодня|сьогодні|"
    r"ma(?: van)?|astăzi|"
    r"今天是|今日は|本日は|今日|今天|오늘은|오늘|اليوم(?: هو)?|date|datum|fecha|data|дата|tarih|التاريخ|日期"
)
_OF_THE_DAY: Final = later(
    rf"(?P<saint>{_NAME_DAY})$|(?P<day>\d{{1,2}}[\s/-](?:{_HIJRI})[\s/،-]{{1,2}}\d{{4}}(?:\s?(?:هـ|ه|هجري))?|{dates.MOMENT}|"
    rf"(?<!\w)(?:{dates.WEEKDAYS})(?!\w))|"
    rf"(?<!\w)(?:{_TODAY_IS})(?!\w)|[-–—,|]\s(?:san|santa|sant['’]|santi|santo|saints?|sainte|são)\s?[^\d:]{{2,60}}$|(?:农历|"
    rf"農曆|旧历)[\u4e00-\u9fff]{{3,10}}|(?:kw|week|semaine|semana|settimana|týden|"
    rf"tydzień|uge|uke|vecka)"
    rf"\s?\d{{1,2}}|です|(?<!\w)(?:م|هـ|г\.?|р\.?|r\.)(?!\w)|(?<!\w)(?:{'|'.join(map(re.escape, sorted(OPEN_NOW)))})(?!\w)"
)
_CURRENCY: Final = (
    r"usd|eur|gbp|chf|jpy|cny|rub|uah|pln|czk|try|sek|nok|dkk|huf|ron|kzt|byn|brl|mxn|ars|d[oó]lar(?:es)?|dollar|euro|libra|"
    r"sterlin|pound|"
    r"доллар|евро|долар|євро|юань|altın|gram altın|美元|欧元|英镑|日元|달러|유로|دولار|يورو|btc|bitcoin|eth|ethereum|brent|wti|"
    r"нефть|gold|silver|oil|s&p ?500|dow(?: jones)?|nasdaq(?: 100)?|dax|m-?dax|euro ?stoxx(?: 50)?|ftse(?: 100| mib)?|cac ?40|"
    r"ibex(?: 35)?|nikkei(?: 225)?|hang seng|sensex|nifty(?: 50)?|bist ?100|smi|atx|wig ?20"
)
# A group that gives nothing back: what follows a number may be the next one.
_RATES: Final = later(
    rf"\W{{0,3}}(?:(?>(?:{_CURRENCY})(?:\s?/\s?(?:{_CURRENCY}))?\s?[:=]?\s?[▲▼↑↓+-]?\s?[$€£]?"
    rf"(?:\d{{1,3}}[.,' ])?\d{{1,6}}[.,]\d{{2,4}}"
    rf"(?:\s?(?:[₽€$₴₺]|руб\.?|грн|tl|zł|kč))?(?:\s?[▲▼↑↓(]?[+−-]?\d{{1,3}}[.,]\d{{1,4}}\s?%?\)?)?[\s|,;·]{{0,3}})){{1,8}}+"
)
_MONEY: Final = later(_CURRENCY)


def of_the_day(node: LexborNode) -> Iterator[int]:
    """The texts of the page's head or foot that tell the day, how warm it is or what money costs, and nothing else."""
    said = node.text(separator="\n")
    if not _ANY_HINT.search(said) or not any(map(_may_tell, said.split("\n"))):
        return
    for inner in node.traverse(include_text=True):
        if inner.is_text_node and (_tells(text := inner.text_content or "") or (_is_rate(text) and _is_among_rates(inner))):
            yield inner.mem_id


def on_top(body: LexborNode) -> Iterator[int]:
    """The texts above all headings and the page's own text that are a weekday with its date: old pages have no other head."""
    texts = 0
    for inner in body.traverse(include_text=True):
        if inner.tag in _BELOW or texts > _FIRST:
            return
        if inner.is_text_node and (text := inner.text_content or "").strip():
            texts += 1
            if len(text) <= _LONGEST and _YEAR.search(text) and is_date(text) and _WEEKDAY.search(text.lower()):
                yield inner.mem_id


def _may_tell(line: str) -> bool:
    return len(line) <= 2 * _LONGEST_DAY and _HINT.search(line) is not None and (_tells(line) or _is_rate(line))


def _tells(text: str) -> bool:
    return _is_warm(text) or is_date(text) or (_HINT.search(text) is not None and _is_day(text))


def _is_warm(text: str) -> bool:
    return len(text) <= _LONGEST and _WARM.search(text) is not None


def is_date(text: str) -> bool:
    """Whether a text is a date or a time and nothing else."""
    folded = fold(text)
    return 3 <= len(folded) <= _LONGEST and _LONE.fullmatch(folded.lower()) is not None


def _is_day(text: str) -> bool:
    """Whether a text is made of nothing but what tells the day: a date in two calendars, a weekday, a name day."""
    low = fold(text).lower()
    if not 3 <= len(low) <= _LONGEST_DAY:
        return False
    told = False
    rest: list[str] = []
    at = 0
    for found in _OF_THE_DAY.finditer(low):
        told = told or bool(found["day"] or found["saint"])
        rest.append(low[at : found.start()])
        at = found.end()
    return told and not any(map(str.isalnum, "".join((*rest, low[at:]))))


def _is_rate(text: str) -> bool:
    folded = fold(text)
    return 6 <= len(folded) <= _LONGEST_DAY and _RATES.fullmatch(folded.lower()) is not None


def _is_among_rates(node: LexborNode) -> bool:
    """Whether what money costs is told of two sorts at least: one alone may be a price."""
    inner: LexborNode | None = node
    for _ in range(_HIGHEST):
        said = inner.text(separator=" ") if inner is not None else ""
        if inner is None or not _is_rate(said):
            return False
        if len({found[0] for found in _MONEY.finditer(said.lower())}) >= _FEWEST:
            return True
        inner = inner.parent
    return False
