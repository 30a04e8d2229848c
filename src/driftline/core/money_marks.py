"""Currency marks: which symbol, word or code on either side of a number names which ISO 4217 currency."""

from __future__ import annotations

from typing import Final

# ISO code, then every mark that means it and nothing else. `_` stands for a space.
_MARKS: Final = """
EUR € euro euros eur. ευρώ евро يورو یورو ユーロ 欧元 歐元 유로 evro eiro eurot euró eurų ₠
USD US$ U$S US_$ USD$ U.S.$ us_dollar us_dollars dollars_us dolar_amerykański 美元 美金 달러 米ドル ドル
USD долл $US доллар доллара долларов
GBP £ GB£ UK£ pound_sterling pounds_sterling pounds ￡ 英镑 英鎊 фунтов ポンド
JPY 円 日元 日圓 日圆 yen JP¥ ¥JPY 엔 иен
CNY 元 圆 人民币 人民幣 rmb yuan CN¥ RMB¥ ¥RMB ¥CNY 块钱 юаней 위안
TWD NT$ NTD TW$ NT 新台幣 新台币 台幣 台币
HKD HK$ HK_$ 港元 港币 港幣 港紙
MOP MOP$ 澳門元
KRW ₩ ￦ 원 won вон
INR ₹ रु रु. रुपये रुपए रू rupees inr. ₹. ரூ రూ ₹/
PKR PKR. روپے
BDT ৳ টাকা taka tk tk. টকা
LKR රු
NPR नेरू NRs NRs.
AUD A$ AU$ AUD$ AU_$
CAD C$ CA$ CAD$ CDN$ $CA CA_$ $_CA
NZD NZ$ NZD$ NZ_$
SGD S$ SG$ SGD$
MXN MX$ MEX$ Mex$ MXN$ M.N.
BRL R$ reais real_brasileiro BRL$
ARS AR$ ARS$
CLP CL$ CLP$
COP CO$ COL$ COP$
UYU $U UY$ $UY
DOP RD$
PEN S/ S/. soles
BOB Bs Bs.
VES Bs.S Bs.F
PYG ₲ Gs Gs.
CRC ₡ colones
GTQ quetzales
HNL lempiras
JMD J$ JM$
TTD TT$
BZD BZ$
BBD Bds$
XCD EC$
FJD FJ$
NAD N$
ZWL ZW$
BND BN$ B$
CHF CHF. SFr SFr. sFr. Fr. Fr stutz schweizer_franken
SEK SEK. kronor svenska_kronor
NOK NOK. norske_kroner
DKK DKK. danske_kroner
ISK ISK. íkr króna krónur
PLN zł zl zł. złotych zloty złote złoty
CZK Kč Kc Kčs kč. korun
HUF Ft Ft. forint
RON lei leu RON. lej
BGN лв лв. lv lv. лева
RSD din din. дин дин. динара dinara РСД
MKD ден ден. денари
HRK kn kuna
ALL lekë lek
RUB ₽ RUR руб руб. рублей рубля рубль р р. rub. Руб
UAH ₴ грн грн. гривень гривен гривні
BYN бел.руб руб.бел
KZT ₸ тг тг. тенге теңге
UZS сум so'm soʻm so‘m
KGS сом
AZN ₼ man. манат
GEL ₾ ლარი
AMD ֏ դր դր. դրամ
MDL lei_md
TRY ₺ TL TL. lira tl türk_lirası
ILS ₪ שח ש"ח ש״ח ש'ח שקל שקלים nis NIS
THB ฿ บาท baht บ.
VND ₫ đ đồng vnđ VNĐ dong
IDR Rp Rp. rupiah
MYR RM ringgit
PHP ₱ PhP Php. piso
KHR ៛
LAK ₭
MMK ကျပ် Ks
MNT ₮ төгрөг
NGN ₦ naira
GHS ₵ GH₵ GH¢
KES KSh KSh. Ksh Kshs
TZS TSh TSh.
UGX USh USh.
ZAR rand
PAB B/. balboas
ETB birr ብር
AOA Kz
RWF FRw
XOF FCFA CFA F_CFA
MAD د.م د.م.
DZD د.ج د.ج. DA
TND د.ت د.ت. DT
EGP ج.م ج.م. جنيه L.E. E£ £E
AED د.إ د.إ. Dhs Dhs. AED. dirhams
SAR ر.س ر.س. ريال_سعودي ريال SR
QAR ر.ق ر.ق.
OMR ر.ع ر.ع.
KWD د.ك د.ك. KD دينار_كويتي
BHD د.ب د.ب.
JOD د.ا د.أ د.ا. د.أ. JD
IQD د.ع د.ع. دينار_عراقي
LBP ل.ل ل.ل. LB£
SYP ل.س ل.س. SY£
LYD د.ل د.ل.
YER ر.ي ر.ي.
IRR ریال
AFN ؋
"""

# A mark that many currencies share: what it means alone, and what a hint may make of it.
_SHARED: Final[dict[str, tuple[str | None, str]]] = {
    "$": (
        "USD",
        "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP BRL JMD TTD BZD BBD XCD FJD NAD ZWL BND LRD GYD SRD BSD BMD KYD",
    ),
    "＄": ("USD", "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP"),
    "dollar": ("USD", "USD CAD AUD NZD SGD HKD TWD"),
    "dollars": ("USD", "USD CAD AUD NZD SGD HKD TWD"),
    "£": ("GBP", "GBP EGP LBP SYP GIP FKP SHP"),
    "¥": ("JPY", "JPY CNY"),
    "￥": ("JPY", "JPY CNY"),
    "元": ("CNY", "CNY TWD HKD SGD MOP"),
    "kr": (None, "SEK NOK DKK ISK"),
    "kr.": (None, "SEK NOK DKK ISK"),
    "kroner": (None, "NOK DKK"),
    "kronur": ("ISK", "ISK"),
    "rs": ("INR", "INR PKR LKR NPR MUR SCR"),
    "rs.": ("INR", "INR PKR LKR NPR MUR SCR"),
    "₨": ("INR", "INR PKR LKR NPR MUR SCR"),
    "dh": (None, "AED MAD"),
    "dh.": (None, "AED MAD"),
    "درهم": ("AED", "AED MAD"),
    "دينار": (None, "KWD BHD IQD JOD TND DZD LYD"),
    "ريال": ("SAR", "SAR QAR OMR YER IRR"),
    "﷼": (None, "SAR QAR OMR YER IRR"),
    "تومان": (None, ""),  # ten rials, and no code of its own
    "تومن": (None, ""),
    "pesos": (None, "MXN ARS CLP COP UYU DOP PHP CUP"),
    "peso": (None, "MXN ARS CLP COP UYU DOP PHP CUP"),
    "franken": ("CHF", "CHF"),
    "francs": (None, "CHF XOF XAF XPF"),
    "lei": ("RON", "RON MDL"),
    "руб": ("RUB", "RUB BYN"),
    "руб.": ("RUB", "RUB BYN"),
    "р": ("RUB", "RUB BYN"),
    "р.": ("RUB", "RUB BYN"),
    "лв": ("BGN", "BGN KGS"),
    "din": ("RSD", "RSD"),
    "din.": ("RSD", "RSD"),
    "£e": ("EGP", "EGP"),
    "br": (None, "BYN ETB"),
    "bs": ("BOB", "BOB VES"),
    "bs.": ("BOB", "BOB VES"),
}

CODES: Final = frozenset(
    """AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
    COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF
    IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB
    RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
    USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL""".split()
)

# Marks that are ordinary words or model letters too: believed only where the number looks like money, or stands alone.
_WEAK: Final[dict[str, str | None]] = {
    **{code: code for code in "ALL TRY TOP CUP AMD MAD PEN GEL BAM MOP SOS ERN WST MMK".split()},
    "R": "ZAR",
    "Q": "GTQ",
    "L": "HNL",
    "P": "PHP",
    "QR": "QAR",
    "BD": "BHD",
    "JD": "JOD",
    "LE": "EGP",
    "DA": "DZD",
    "SR": "SAR",
    "NT": "TWD",
    "B$": "BND",
    "G": None,
    "KM": "BAM",
    "Ar": "MGA",
    "MT": "MZN",
}

# 199,- and 12.– say money without saying which.
DASHED: Final = "SEK NOK DKK ISK CHF EUR CZK INR PKR IDR"

# Currencies with three decimals, and the separators that may stand before them; elsewhere three digits are thousands.
THOUSANDTHS: Final = {"KWD": ".", "BHD": ".", "OMR": ".", "JOD": ".", "IQD": ".", "TND": ".,", "LYD": ".,"}


class Mark:
    """A recognised currency mark: the currency that it names, and how far it may be believed."""

    __slots__ = ("currency", "family", "weak", "word")

    def __init__(
        self, currency: str | None, family: frozenset[str] = frozenset(), *, weak: bool = False, word: bool = False
    ) -> None:
        self.currency = currency  # None: a currency, though nobody can say which
        self.family = family  # what else it may mean; empty for a mark of one currency
        self.weak = weak
        self.word = word  # of letters that join with their neighbours: needs a border, and stays on its line

    def meant(self, hint: str | None) -> str | None:
        """The currency, with a hint where the mark alone leaves a choice."""
        return hint if hint in self.family else self.currency


def _is_word(mark: str) -> bool:
    """Letters of a script that puts borders between words; 円, 원 and บาท stand against anything."""
    edge = mark[0] if mark[0].isalpha() else mark[-1]
    return (
        edge.isalpha()
        and not "\u0e00" <= edge <= "\u0e7f"
        and not "\u3040" <= edge <= "\u9fff"
        and not "\uac00" <= edge <= "\ud7af"
    )


def _table() -> dict[str, Mark]:
    meanings: dict[str, tuple[str | None, str, bool]] = {}
    for line in _MARKS.split("\n"):
        code, *marks = line.split() or [""]
        meanings |= {mark.replace("_", " ").casefold(): (code, "", False) for mark in marks}
    meanings |= {mark: (alone, family, False) for mark, (alone, family) in _SHARED.items()}
    meanings |= {code.casefold(): (code, "", False) for code in CODES if code not in _WEAK}
    for mark, weak_code in _WEAK.items():  # in capitals only
        meanings.pop(mark.casefold(), None)
        meanings[mark] = (weak_code, "", True)
    return {
        mark: Mark(code, frozenset(family.split()), weak=weak, word=_is_word(mark))
        for mark, (code, family, weak) in meanings.items()
    }


_TABLE: Final = _table()


def _lengths(edge: int) -> dict[str, list[int]]:
    """How long the marks are that have this character at their edge, the longest first."""
    lengths: dict[str, set[int]] = {}
    for mark in _TABLE:
        for sign in {mark[edge], mark[edge].upper()}:
            lengths.setdefault(sign, set()).add(len(mark))
    return {sign: sorted(found, reverse=True) for sign, found in lengths.items()}


_BY_FIRST: Final = _lengths(0)
_BY_LAST: Final = _lengths(-1)
_BIDI: Final = "\u200e\u200f\u061c\u202a\u202b\u202c"


def look_up(text: str) -> Mark | None:
    """The mark that is written exactly so, whatever its case."""
    return _TABLE.get(text) or _TABLE.get(text.casefold())


def mark_before(text: str, end: int) -> tuple[Mark, int] | None:
    """The mark that ends at `end`, but for a little space or a colon, and where it starts."""
    at, broken = end, False
    while at > 0 and end - at < 3 and (text[at - 1].isspace() or text[at - 1] in _BIDI or text[at - 1] == ":"):
        at -= 1
        broken = broken or text[at] in "\n\r"
    for length in _BY_LAST.get(text[at - 1], ()) if at else ():
        start = at - length
        if start < 0:
            continue
        mark = look_up(text[start:at])
        if mark and not (mark.word and (broken or (start and text[start].isalpha() and text[start - 1].isalpha()))):
            return mark, start
    return None


def mark_after(text: str, start: int) -> tuple[Mark, int, int] | None:
    """The mark that starts at `start`, but for a little space, where it starts and where it ends."""
    at, size, broken = start, len(text), False
    while at < size and at - start < 2 and (text[at].isspace() or text[at] in _BIDI):
        broken = broken or text[at] in "\n\r"
        at += 1
    for length in _BY_FIRST.get(text[at], ()) if at < size else ():
        end = at + length
        mark = look_up(text[at:end]) if end <= size else None
        if mark and not (mark.word and (broken or (end < size and text[end - 1].isalpha() and text[end].isalpha()))):
            return mark, at, end
    return None


def currency_code(text: str | None, hint: str | None = None) -> str | None:
    """The ISO code that a currency field names (`eur`, `€`, `US$`), or None."""
    stripped = (text or "").strip()
    if stripped.upper() in CODES:
        return stripped.upper()
    mark = look_up(stripped) if stripped else None
    return mark.meant(hint) if mark else None
