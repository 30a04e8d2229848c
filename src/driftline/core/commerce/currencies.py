"""Currencies as the world writes them: every symbol, word and code, by what it means."""

from __future__ import annotations

from typing import Final

# ISO code, then every mark that means it and nothing else. `_` stands for a space.
MARKS: Final = """
EUR € euro euros eur. ευρώ يورو یورو ユーロ 欧元 歐元 유로 यूरो ইউরো யூரோக்கள் ยูโร ₠
USD US$ U$S U$D US_$ USD$ U.S.$ U.S._$ 美元 美金 달러 米ドル ドル долл $US щ.д.
USD 미국_달러 डॉलर यूएस_डॉलर ডলার মার্কিন_ডলার ดอลลาร์ ดอลลาร์สหรัฐ
GBP £ GB£ UK£ pound_sterling pounds_sterling pounds stg ￡ 英镑 英鎊 ポンド 英国ポンド 영국_파운드
JPY 円 日元 日圓 日圆 JP¥ ¥JPY 엔 일본_엔 일본_엔화
CNY 元 圆 人民币 人民幣 rmb CN¥ RMB¥ ¥RMB ¥CNY 块钱 위안
TWD NT$ NT_$ NTD NTD$ TW$ NT 新台幣 新台币 台幣 台币
HKD HK$ HK_$ 港元 港币 港幣 港紙
MOP MOP$ 澳門元 澳门元
KRW ₩ ￦ 원 대한민국_원 won
INR ₹ रु रु. रुपये रुपए रू र inr. ₹. ரூ రూ ₹/ भारतीय_रुपए भारतीय_रुपया 印度卢比 インド_ルピー
PKR PKR. روپے
BDT ৳ টাকা taka tk tk. টকা
LKR රු රු. LKR.
NPR नेरू NRs NRs. NPR.
AUD A$ AU$ AUD$ AU_$ $AU
CAD C$ CA$ CAD$ CAN$ CDN$ CDN_$ CAN_$ $CA $CAD $CDN $CAN CA_$ $_CA
NZD NZ$ NZD$ NZ_$
SGD S$ SG$ SGD$ 新加坡元
MXN MX$ MX_$ MEX$ MXN$ M.N.
BRL R$ BR$ reais BRL$
ARS AR$ ARS$
CLP CL$ CLP$
COP CO$ COL$ COP$
UYU $U UY$ $UY
DOP RD$
PEN S/ S/. soles
BOB Bs Bs. $b bolivianos
VES Bs.S Bs.F Bs.D Bs.S. bolívares
PYG ₲ Gs. guaraníes
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
ZWL ZW$ Z$
TOP T$
WST WS$
SBD SI$
LRD L$
GYD GY$
SRD SR$
KYD CI$
BND BN$ B$
CHF CHF. SFr SFr. sFr. stutz 瑞士法郎 スイス_フラン 스위스_프랑
SEK SEK. kronor
NOK NOK.
DKK DKK.
ISK ISK. íkr króna krónur
PLN zł zl zł. зл
CZK Kč Kc Kčs kč. korun korún
HUF Ft Ft.
RON lei leu RON. lej
BGN лв лв. lv lv. лева
RSD din din. дин дин. динара dinara РСД
MKD ден ден. денари
HRK kn kuna
ALL lekë lek
RUB ₽ RUR руб руб. р р. rub.
UAH ₴ грн грн. hrn
BYN бел.руб руб.бел
KZT ₸ тг тг. тенге теңге
UZS сум сўм so'm soʻm so‘m so’m
KGS сом
AZN ₼ man. манат
GEL ₾ ლარი ლ lari
AMD ֏ դր դր. դրամ
MDL lei_md
TRY ₺ TL TL. lira
ILS ₪ שח ש"ח ש״ח ש'ח ש׳ח שקל שקלים NIS
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
KES KSh KSh. Ksh/ Kshs Kshs.
TZS TSh TSh.
UGX USh USh.
ZAR rand
PAB B/. balboas
ETB birr ብር
AOA Kz
RWF FRw
BIF FBu
DJF Fdj
ERN Nfk
MVR Rf. ރ. MRf
MRU أ.م أ.م.
AWG Afl Afl.
XCG Cg.
ANG NAf NAf.
MZN MTn Mts meticais
SDG ج.س ج.س.
XPF FCFP F_CFP CFP
MAD د.م د.م.
DZD د.ج د.ج. دج DA
TND د.ت د.ت. DT
EGP ج.م ج.م. جنيه جن L.E. E£ £E
AED د.إ د.إ. Dhs Dhs. AED.
SAR ر.س ر.س. SR
QAR ر.ق ر.ق.
OMR ر.ع ر.ع.
KWD د.ك د.ك. KD
BHD د.ب د.ب. .د.ب
JOD د.ا د.أ د.ا. د.أ. JD
IQD د.ع د.ع. ع.د
LBP ل.ل ل.ل. LB£ L.L.
SYP ل.س ل.س. SY£
LYD د.ل د.ل. ل.د
YER ر.ي ر.ي.
IRR ریال
AFN ؋
"""

# A mark that many currencies share: what it means alone, and what a hint may make of it.
SHARED: Final[dict[str, tuple[str | None, str]]] = {
    "$": (
        "USD",
        """USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP BRL JMD TTD BZD BBD XCD FJD NAD ZWL BND LRD GYD SRD BSD BMD KYD
        SBD CUP CVE NIO TOP WST BOB""",
    ),
    "＄": ("USD", "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP"),
    "dollar": ("USD", "USD CAD AUD NZD SGD HKD TWD"),
    "dollars": ("USD", "USD CAD AUD NZD SGD HKD TWD"),
    "£": ("GBP", "GBP EGP LBP SYP GIP FKP SHP SDG SSP IEP"),
    "₤": ("GBP", "GBP ITL TRL"),
    "¥": ("JPY", "JPY CNY"),
    "￥": ("JPY", "JPY CNY"),
    "元": ("CNY", "CNY TWD HKD SGD MOP"),
    "圓": ("TWD", "TWD HKD MOP JPY"),
    "c$": ("CAD", "CAD NIO"),
    "fcfa": ("XOF", "XOF XAF"),
    "cfa": ("XOF", "XOF XAF"),
    "f cfa": ("XOF", "XOF XAF"),
    "ƒ": (None, "AWG ANG XCG NLG"),
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
    "franc": (None, "CHF XOF XAF XPF FRF BEF"),
    "francs": (None, "CHF XOF XAF XPF FRF BEF"),
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

_CURRENT: Final = frozenset(
    """AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
    COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF
    IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB
    RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
    USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL""".split()
)

# Codes that are no longer in use, where old pages still name them.
_FORMER: Final = frozenset(
    "ATS BEF BYR CYP DEM EEK ESP FIM FRF GRD IEP ITL LTL LUF LVL MTL NLG PTE ROL SIT SKK TRL VEF".split()
)
CODES: Final = _CURRENT | _FORMER

# Marks that are ordinary words, sizes or model letters too, in just this case: believed where the number looks like money.
# What such a mark means alone ("-": nobody can say), and what a hint may make of it.
WEAK: Final = """
R ZAR
Q GTQ
L HNL MDL
L. HNL
Lps. HNL
КМ BAM
P PHP BWP
G - HTG PYG
QR QAR
BD BHD
JD JOD
LE EGP
Le SLE
DA DZD
SR SAR SCR
NT TWD
B$ BND
KM BAM
Ar MGA
MT MZN
Gs PYG
Q. GTQ
Fr CHF
Fr. CHF
"""

# The same, and so short that they are believed only in a text that is a price: an option or a section has a letter as well.
ALONE: Final = """
K - ZMW PGK MMK
D GMD
E SZL
N NGN
S SOS
CF KMF
DB STN
Db STN
FC CDF
FG GNF
GFr GNF
LD LRD
LS SYP
MK MWK
RF RWF
Rf MVR
UM MRU
VT VUV
ZK ZMW
Esc CVE
SM TJS
ЅM TJS
"""

# Codes that are words or names as well, and those of former currencies.
WORDLIKE: Final = frozenset("ALL TRY TOP CUP AMD MAD PEN GEL BAM MOP SOS ERN WST MMK ANG ARS CVE HNL NPR".split()) | _FORMER

# 199,- and 12.– say money without saying which.
DASHED: Final = "SEK NOK DKK ISK CHF EUR CZK INR PKR IDR"

# Currencies with three decimals, and the separators that may stand before them; elsewhere three digits are thousands.
THOUSANDTHS: Final = {"KWD": ".", "BHD": ".", "OMR": ".", "JOD": ".", "IQD": ".", "TND": ".,", "LYD": ".,"}
