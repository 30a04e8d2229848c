"""The words that always count: however small the edit, a changed number, date or negation changes what a text says."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.window import window

_AROUND = 40  # characters around a difference: what a number or a date is written with
_SIGNS = "$€£¥₹₽₩₺₴₪₫฿₦₱₡₲₵₸₼₾¢"
_CODES = (
    "USD|EUR|GBP|JPY|CNY|INR|RUB|KRW|TRY|UAH|ILS|VND|THB|NGN|PHP|CHF|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|BRL|MXN|"
    "ARS|CLP|COP|PEN|ZAR|EGP|KES|SGD|HKD|TWD|MYR|IDR|AED|SAR|QAR|KWD|PKR|BDT|LKR|KZT|Rs"
)
# A number with its inner separators (1,299.00  2026-03-01  20:30  3/4  v1.2.3), its sign, unit of money and percent.
_NUMBER = (
    rf"(?:(?:[{_SIGNS}]|\b(?:{_CODES})\.?)[ ]?)?(?:(?<!\w)[-+−±<>≤≥~][ ]?)?\d+(?:[.,:/'’٫٬\-–][ ]?\d+)*"
    rf"(?:[ ]?(?:[%‰°{_SIGNS}]|(?:{_CODES})\b))?"
)

# Months and days of the week; short ones count only beside a number, since many are words of their own ("may", "mar", "set").
_DATES = """
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight
januar jänner februar märz mai juni juli oktober dezember
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag heute morgen
janvier février mars avril juin juillet août septembre octobre novembre décembre
lundi mardi mercredi jeudi vendredi samedi dimanche demain
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
lunes martes miércoles jueves viernes sábado domingo mañana
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
lunedì martedì mercoledì giovedì venerdì sabato domenica domani
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro terça quarta quinta sexta
januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
poniedziałek wtorek środa czwartek piątek sobota niedziela
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
понедельник вторник среда четверг пятница суббота воскресенье сегодня завтра
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
pazartesi salı çarşamba perşembe cuma cumartesi pazar
maj maandag måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag
"""
_SHORT_DATES = """
jan feb mar apr jun jul aug sep sept oct nov dec okt dez janv févr avr juil déc ene abr ago dic gen mag giu lug set ott fev out
янв фев мар апр июн июл авг сен окт ноя дек
mon tue wed thu fri sat sun
"""
_NUMERALS = """
two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred
thousand million billion half double twice
zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
deux trois quatre cinq sept huit neuf onze douze vingt trente cent mille
dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien mil
tre quattro cinque sei sette otto nove dieci dodici venti
dois três quatro sete oito dez doze vinte trinta cem
twee drie vijf zes zeven negen tien twaalf twintig
два три четыре пять шесть семь восемь девять десять двадцать сто тысяча
"""
_NEGATIONS = """
not no never none nothing nobody nowhere neither nor without cannot unable unavailable except
nicht kein keine keinen keinem keiner keines nie niemals ohne nichts niemand weder
ne pas jamais aucun aucune sans rien personne
nunca jamás sin ningún ninguna ninguno nada nadie tampoco
non mai senza nessun nessuno nessuna niente nulla
não sem nenhum nenhuma ninguém
niet geen nooit zonder niets
nie bez nigdy żaden żadna żadne brak
не нет без никогда ни нельзя ничего нету немає ні ніколи
değil yok hiç asla hayır
inte ingen inga inget aldrig utan ikke ingen intet aldri uten uden
ei eivät ilman není nejsou nikdy žádný nem nincs nélkül soha nu fără niciun
δεν μη μην χωρίς ποτέ όχι
لا ليس ليست لم لن غير بدون ما
לא אין בלי ללא אל
नहीं मत बिना ना
không chưa chẳng tidak bukan belum tanpa tak
"""
# Endings and solid scripts, where a negation is no word of its own.
_NEGATED = r"n['’]t\b|\bn['’](?=\w)|[不没沒无無未非勿别別莫]|ない|なし|ません|なかった|ずに|않|없|못|아니|ไม่|មិន"
_WEEKDAYS = "星期[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일"


# Words that count are looked up: an expression of hundreds of them is tried word by word, at every letter.
_COUNTING = frozenset(f"{_DATES} {_NUMERALS} {_NEGATIONS}".casefold().split())
_SHORT = frozenset(_SHORT_DATES.casefold().split()) - _COUNTING
_SOLID = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # scripts without spaces
_LETTERS = rf"(?<!\w)(?!n['’]\w)(?:(?![{_SOLID}])[^\W\d_])+(?!\w|['’]t\b)"
_CRITICAL = lazy_regex(
    rf"({_LETTERS})(?!\.?[ ]?[-+−±<>≤≥~]?[ ]?\d)|({_NUMBER}|{_NEGATED}|{_WEEKDAYS})|({_LETTERS})",  # USD 5 is no word
    re.IGNORECASE,
)
_DATED = lazy_regex(rf"(?<=\d[ .])(?:{'|'.join(_SHORT)})\b|\b(?:{'|'.join(_SHORT)})(?=[.,]? \d)", re.IGNORECASE)


def differs_critically(before: str, after: str) -> bool:
    """Whether two versions of a text say other numbers, dates or negations; only the part that differs is read."""
    part = window(before, after, around=_AROUND)
    return critical_tokens(part.before) != critical_tokens(part.after)


def critical_tokens(text: str) -> Counter[str]:
    """The numbers (with sign, money and percent), dates, numerals and negations of a text, and how often each is there."""
    plain = unicodedata.normalize("NFKC", text)
    found: list[str] = []
    short = False
    for one, kept, other in _CRITICAL.findall(plain):
        if kept:
            found.append(kept.replace(" ", "").casefold())
            continue
        word = (one or other).casefold()
        if word in _COUNTING:
            found.append(word)
        elif word in _SHORT:
            short = True
    if short:
        found += [token.casefold() for token in _DATED.findall(plain)]
    return Counter(found)
