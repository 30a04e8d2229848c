"""Currencies by name: `US dollars`, `Schweizer Franken`, `couronnes suédoises`, `польских злотых`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeVar

from driftline.core.commerce.currency_symbols import CurrencyMark

# How the names of one sort of money begin in the languages of the world; whose it may be, and whose it is if nobody says.
# Stems with "*" need their country beside them: the word alone is another one (corona, font, libraries, real). Those with
# "=" are whole words: other words begin so too (European, Yeni).
_SORTS: Final = """
dollar USD: dollar dollár dolar dolár dolār doler dólar dòlar dolyar доллар долар δολάρι đô_la دولار דולר डॉलर ডলার
dollar USD: டாலர் ดอลลาร์
euro EUR: euro= euros= euroa= eurot= euron= eura= eur= eurem= euró= eurót= eurų= eurai= eurais= evro= evra= evri= evrov=
euro EUR: eiro= евро= євро= евра= ευρώ= יורו= אירו= ยูโร यूरो= ইউরো= யூரோ
zloty PLN: zlot zlott zloț złot eslot slot* злот ζλότι
forint HUF: forint форинт
hryvnia UAH: hryvn hrywn hrivn griwn гривн гривен
yen JPY: yen= yens= yenes= jen* ien* йен иен єн γιεν येन ইয়েন เยน
yuan CNY: yuan юан γουάν
won KRW: вон
rouble RUB: rubel rubl rouble rublo рубл ρούβλι
rupee INR: rupee rupia rupie rupii rupij rupies roupie rúpi rūpij ruupia рупи рупій ρουπί روبية रुप রুপি ரூபாய் రూపాయ
shekel ILS: shekel sheqel schekel sjekel szekel šekel шекел שקל شيكل
franc -: franc* frank* franken* franco* franchi* frang* frans* франк φράγκ فرنك פרנק ฟรังก์ フラン 프랑
crown -: kron* krón* korun* korún koron* coron* couronn* coroa* coroan* kruun* kroon* крон* крони κορόν* كرونة
pound GBP: pound* pfund* pond* pund* funt* font* libr* libier liber* libras livre* lliure* sterlin* фунт λίρ* جنيه
pound GBP: ปอนด์ svar* mārciņ* paun
real BRL: real* reai* réal* reál* reāl* реал* ρεάλ*
peso -: peso* песо* πέσο*
dirham -: dirham درهم دراهم дирхам
dinar -: dinar دينار دنانير динар
riyal -: riyal rial ريال риал
shilling -: shilling* schilling* شلن
lira TRY: lira* lire* lir* лир*
leu RON: leu* lei* lej* леев лея
lev BGN: lev* leva* lew* лев*
"""
# How the words begin that say whose money it is.
_COUNTRIES: Final = """
USD: us u.s usa us- amerik americ američ amérique estadounid statunit estats estados сша щатск американ ηπα jav asv
USD: abd ameriš as eua أمريكي אמריקאי यूएस মার্কিন yhdysval bandar mỹ สหรัฐ
CAD: canad kanad канад καναδ كندي
AUD: austral australsk австрал αυστραλ أسترالي
NZD: neusee néo neozel neo-zel nieuw new nowozel новозел
SGD: singap сингап
HKD: hong гонконг
TWD: taiwan tajwan тайван
CHF: swiss schweiz suiss suiz suiç suíç svizzer zwitser szwajc švýcar švajč švicar švajcar svájci elveț швейцар ελβετ
CHF: isviçre i̇sviçre šveits šveicar sveits sveitsi svissn سويسري שוויצר thụy สวิส
XOF: cfa
SEK: swed schwed suéd suec svedes zweed szwedz svensk švéd sved svéd suedez швед σουηδ isveç i̇sveç ruots švedi zviedr
SEK: rootsi sænsk سويدية
NOK: norw norweg norv norueg noor norwes norsk norveg норве норвеж νορβηγ norjan
DKK: dan dän danois danes dinamar deens duńs dansk dán датс данс δανί tansk
CZK: czech tschech tchèq chec cec tsjech czesk tjeck tjekk tsjekk česk cseh ceh чеш τσεχ
ISK: iceland isländ island islandais islandes íslensk исланд
GBP: british britisch brit britanniq britán britân esterlin sterlin uk gb angol englan англій англий британ βρετ στερλ
GBP: szterling إسترلين anh inggris ingiliz i̇ngiliz lielbrit didžio suurbrit
EGP: egyp ägyp égyp egip египет مصري
INR: ind indi inde índi indy indsk индий индійс ινδί هندي भारतीय ভারতীয় இந்திய
PKR: pakist пакист
LKR: sri இலங்கை
NPR: nepal непал
MUR: mauri
BRL: braz bras brés braç бразил βραζιλ برازيلي
MXN: mex mej mexik meks мекс
ARS: argent
CLP: chil
COP: colomb kolumb
PHP: phil fil filip
UYU: urug
DOP: domin
PLN: pol poln polsk polac polon polnis pools пол поль πολων puolan lengyel lenk polij بولندي poola पोलिश
RUB: rus russ rosy ross российск русск рос ρωσ
BYN: belar weißruss biał bělorus беларус белорус
KWD: kuwe kuwa koweït كويتي
BHD: bahr بحريني
JOD: jord أردني
IQD: ira irak عراقي
TND: tunis تونسي
DZD: alg جزائري
LYD: lib ليبي
RSD: serb srb srp српс
MKD: macedon makedon mazed македон
AED: uae emir vae إماراتي
MAD: mor mar marok maroc marroq مغربي
SAR: saud سعودي
QAR: qat kat قطري
OMR: om عماني
IRR: iran
KES: keny keni
TZS: tanz
UGX: ugand
TRY: tur tür турец
RON: rom rum român румын
MDL: mold молд
BGN: bulg bułg български болгар
HUF: magyar ungar hung венгер
JPY: jap giap japon japán japón japön japān јапан япон jaap ιαπων ياباني
CNY: chin kin кита κιν
UAH: ukr укр
ILS: isr izr изр إسرائيلي ישר
"""
_OF: Final = {
    "dollar": "USD CAD AUD NZD SGD HKD TWD", "franc": "CHF XOF", "crown": "SEK NOK DKK CZK ISK", "pound": "GBP EGP",
    "rupee": "INR PKR LKR NPR MUR", "real": "BRL", "peso": "MXN ARS CLP COP PHP UYU DOP", "rouble": "RUB BYN",
    "dinar": "KWD BHD JOD IQD TND DZD LYD RSD MKD", "dirham": "AED MAD", "riyal": "SAR QAR OMR IRR BRL",
    "shilling": "KES TZS UGX", "lira": "TRY GBP", "leu": "RON MDL", "lev": "BGN", "zloty": "PLN", "forint": "HUF",
    "yen": "JPY", "yuan": "CNY", "hryvnia": "UAH", "shekel": "ILS",
}  # fmt: skip
_BETWEEN: Final = frozenset(
    "de des of the of ng new zealand kong united states dels del dos states unidos units amerika".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[.\u0300-\u036f][^\W\d_]+)*")
_GAP: Final = frozenset(" \u00a0\u202f-")
_END: Final = "\0"  # of a word
_MOST: Final = 5  # words of a name
_T = TypeVar("_T")


def _stems() -> tuple[dict[str, tuple[str, bool]], dict[str, str]]:
    sorts: dict[str, tuple[str, bool]] = {}
    for line in _SORTS.strip().split("\n"):
        head, stems = line.split(": ")
        for stem in stems.split():
            sorts[stem.rstrip("*").replace("_", " ").replace("=", _END)] = (head.split()[0], stem.endswith("*"))
    countries = {stem: line[:3] for line in _COUNTRIES.strip().split("\n") for stem in line[5:].split()}
    return sorts, countries


def _alone() -> dict[str, str | None]:
    heads = [line.split(":")[0].split() for line in _SORTS.strip().split("\n")]
    return {sort: None if code == "-" else code for sort, code in heads}


_SORT_STEMS, _COUNTRY_STEMS = _stems()
_ALONE: Final = _alone()
_LONGEST: Final = max(map(len, (*_SORT_STEMS, *_COUNTRY_STEMS)))
_FIRST: Final = frozenset(sign for stem in (*_SORT_STEMS, *_COUNTRY_STEMS, *_BETWEEN) for sign in (stem[0], stem[0].upper()))


def name_after(text: str, start: int) -> tuple[CurrencyMark, int, int] | None:
    """The currency that is named right after `start`, where the name begins and where it ends."""
    at = first_at = _behind_gap(text, start)
    if text[at : at + 1] not in _FIRST:
        return None
    sort, needs_country, countries, end = "", False, list[str](), at
    for _ in range(_MOST):
        word = _WORD.match(text, at)
        if word is None:
            break
        low = word[0].casefold() + _END
        if not sort and (known := _longest(_SORT_STEMS, low)) is not None:
            sort, needs_country = known
            end = word.end()
        elif (country := _longest(_COUNTRY_STEMS, low)) is not None:
            countries.append(country)
            end = word.end() if sort and country in _OF.get(sort, "") else end
        elif low.rstrip(_END) not in _BETWEEN and not (sort and end == word.end()):
            break
        at = _behind_gap(text, word.end())
    whose = next((country for country in countries if country in _OF.get(sort, "")), None)
    if not sort or (whose is None and (needs_country or _ALONE[sort] is None)):
        return None
    return CurrencyMark(whose) if whose else CurrencyMark(_ALONE[sort], frozenset(_OF.get(sort, "").split())), first_at, end


def _behind_gap(text: str, at: int) -> int:
    end = min(at + 2, len(text))
    while at < end and text[at] in _GAP:
        at += 1
    return at


def _longest(stems: Mapping[str, _T], word: str) -> _T | None:
    """What is known of the longest known beginning of a word."""
    for length in range(min(len(word), _LONGEST), 0, -1):
        if (found := stems.get(word[:length])) is not None:
            return found
    return None
