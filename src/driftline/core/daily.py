"""Parts of a page that the day turns over: boxes of the day beside the content, tickers, the quiet days of a status page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core import dates
from driftline.core.later import later
from driftline.core.standing import is_beside
from driftline.core.text import fold

_LARGEST: Final = 700  # characters of a box of the day, or of a ticker
_LONGEST_DAY: Final = 120  # of a day on which nothing happened
_HIGHEST: Final = 4  # elements between such words and the day that they are said of
_MOST: Final = 1_000  # elements that are looked at
_PER_NUMBER: Final = 4  # words of a ticker beside each number
_HEADS: Final = "h2,h3,h4,h5,h6,strong,[class*=title],[class*=head]"
_NEVER: Final = frozenset("html body main article form table tbody tr td th".split())
_HEADINGS: Final = frozenset(
    phrase
    for line in """
quote of the day|word of the day|tip of the day|fact of the day|joke of the day|photo of the day|picture of the day
image of the day|thought of the day|verse of the day|on this day|this day in history|today in history|did you know
did you know?|random quote|daily quote|weather|exchange rates|prayer times|zitat des tages|spruch des tages|wort des tages
tipp des tages|witz des tages|bild des tages|foto des tages|wussten sie schon|wussten sie schon?|tageslosung
losung des tages|kalenderblatt|wetter|wechselkurse|citation du jour|mot du jour|astuce du jour|le saviez-vous
le saviez-vous ?|photo du jour|blague du jour|pensée du jour|saint du jour|éphéméride|météo|cours des devises|frase del día
cita del día|palabra del día|consejo del día|foto del día|¿sabías que...?|¿sabías que?|santoral|efemérides|el tiempo|divisas
tipo de cambio|citazione del giorno|frase del giorno|parola del giorno|lo sapevi|lo sapevi?|santo del giorno|foto del giorno
meteo|frase do dia|palavra do dia|dica do dia|citação do dia|sabia que|o tempo|câmbio|citaat van de dag|spreuk van de dag
woord van de dag|tip van de dag|wist je dat|het weer|cytat dnia|myśl dnia|słowo dnia|czy wiesz, że|kartka z kalendarza
imieniny|pogoda|kursy walut|citát dne|tip dne|výrok dne|víte, že|svátek|dnes má svátek|počasí|kurzovní lístek|dagens citat
dagens ord|dagens tips|visste du att|väder|vidste du|vejret|dagens sitat|visste du at|været|päivän sana|päivän mietelause
tiesitkö|sää|günün sözü|günün kelimesi|biliyor muydunuz|hava durumu|döviz kurları|namaz vakitleri|цитата дня|слово дня
совет дня|фото дня|анекдот дня|знаете ли вы|погода|курсы валют|курс валют|порада дня|今日の名言|今日の言葉|今日のひとこと
天気|為替|每日一句|每日一言|今日名言|天气|天氣|汇率|오늘의 명언|오늘의 한마디|날씨|환율|حكمة اليوم|قول اليوم|هل تعلم|الطقس
حالة الطقس|أسعار العملات|مواقيت الصلاة|أوقات الصلاة
moon phase|sunrise|sunset|sunrise / sunset|sunrise and sunset|tides|tide times|horoscope|horoskop|horóscopo|oroscopo|гороскоп
air quality|luftqualität|qualité de l'air|last visitors|birthdays|today's birthdays|geburtstage|geburtstage heute
online now|members online|users online|who's online|who’s online|who is online|currently online|jetzt online|wer ist online
qui est en ligne|en ligne|quién está en línea|chi è online|quem está online|wie is er online|kto jest online|сейчас онлайн
forum statistics|board statistics|forum stats|forenstatistik|board-statistik|statistiques du forum|estadísticas del foro
statistiche del forum|statystyki forum|статистика форума|on air|on air now|now on air|jetzt on air
""".splitlines()
    for phrase in line.split("|")
    if phrase
)
_QUIET_WORDS: Final = (
    r"(?:no (?:incidents?|issues|outages) (?:were )?(?:reported|recorded|to report)|no known (?:incidents|issues)|"
    r"keine (?:vorfälle|störungen)(?: gemeldet| bekannt| verzeichnet)?|aucun incident(?: signalé| à signaler)?|"
    r"(?:sin|ningún|no hay) incidentes?(?: reportados?| informados?)?|nessun (?:incidente|problema)(?: segnalato)?|"
    r"(?:nenhum|sem) incidentes?(?: relatados?| reportados?)?|geen (?:incidenten|storingen)(?: gemeld)?|"
    r"brak (?:zgłoszonych )?incydentów|žádné incidenty|inga incidenter(?: rapporterade)?|ingen (?:hændelser|"
    r"hendelser)(?: rapporteret| rapportert)?|"
    r"ei häiriöitä|olay (?:bildirilmedi|yok)|инцидентов (?:нет|не было|не зарегистрировано)|インシデントは報告されていません|"
    r"(?:障害|インシデント)はありません|(?:没有|无)(?:报告)?(?:事件|故障)|보고된 사고가 없습니다)"
)
_QUIET: Final = later(_QUIET_WORDS)
_QUIET_DAY: Final = later(
    rf"(?:(?:{dates.WEEKDAYS})\.?,?\s)?(?:{dates.DATE}|today|yesterday|heute|gestern|aujourd['’]hui|"
    rf"hier)[\s:–—-]{{0,3}}{_QUIET_WORDS}"
    rf"(?:\s(?:today|for this day|on this day|heute|aujourd['’]hui|hoy|oggi|hoje|vandaag|dziś|dnes|idag|i dag|tänään|"
    rf"сегодня))?[.!]?"
)
# Without one of these in a source in lower case there is no such day.
DAILY_MARKS: Final = frozenset(
    word.encode()
    for word in "incident|incydent|no issues|outages|vorfälle|störungen|storingen|hændelser|hendelser|häiriö|olay|"
    "инцидент|インシデント|障害|事件|故障|사고".split("|")
)
_LOOSE_COMMA: Final = re.compile(r"\s(?=[,.])")
_DECIMAL: Final = re.compile(r"[▲▼+−-]?\d[\d.,]*[.,]\d+%?|[▲▼+−-]?\d+(?:[.,]\d+)?%")


def daily_parts(body: LexborNode, marks: frozenset[bytes]) -> Iterator[LexborNode]:
    """The boxes of the day beside the content, and the days of a status page on which nothing happened, by a source's marks."""
    yield from _boxes(body)
    if not DAILY_MARKS.isdisjoint(marks):
        yield from _quiet_days(body)


def is_ticker(node: LexborNode) -> bool:
    """Whether an element that is called a ticker shows numbers with names, and little else."""
    said = node.text(separator=" ")
    given = node.attributes
    if len(said) > _LARGEST or "ticker" not in f"{given.get('class') or ''} {given.get('id') or ''}".lower():
        return False
    words = said.split()
    numbers = sum(_DECIMAL.fullmatch(word) is not None for word in words)
    return bool(numbers) and len(words) - numbers <= _PER_NUMBER * numbers


def _boxes(body: LexborNode) -> Iterator[LexborNode]:
    for heading in body.css(_HEADS)[:_MOST]:
        holder = heading.parent
        if (
            holder is None
            or holder.tag in _NEVER
            or fold(heading.text()[:_LONGEST_DAY]).lower().strip(" :：…") not in _HEADINGS
        ):
            continue
        if not is_beside(heading):
            continue
        said = fold(holder.text())
        if len(said) <= _LARGEST and said.startswith(fold(heading.text())):
            yield holder
        elif (following := _following(heading)) is not None and len(following.text()) <= _LARGEST:
            yield following


def _following(heading: LexborNode) -> LexborNode | None:
    following = heading.next
    while following is not None and not following.is_element_node:
        following = following.next
    return following if following is None or following.tag not in _NEVER else None


def _quiet_days(body: LexborNode) -> Iterator[LexborNode]:
    for node in body.css("p,div,span,li,td,small")[: 4 * _MOST]:
        said = node.text()
        if len(said) > _LONGEST_DAY or not _QUIET.search(said.lower()):
            continue
        day: LexborNode | None = node
        for _ in range(_HIGHEST):
            if day is None or day.tag in _NEVER or len(day.text()) > 2 * _LONGEST_DAY:
                break
            if _QUIET_DAY.fullmatch(_LOOSE_COMMA.sub("", fold(day.text(separator=" ")).lower())):
                yield day
                break
            day = day.parent
