"""Currencies by ISO code: which share a mark, which marks are doubtful, which have three decimals, which a country uses."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

# A mark that many currencies share (`currency.shared` of the lexicon): what it means alone, and what a hint may make of it.
SHARED: Final[dict[str, tuple[str | None, str]]] = {
    "dollar_sign": (
        "USD",
        """USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP BRL JMD TTD BZD BBD XCD FJD NAD ZWL BND LRD GYD SRD BSD BMD KYD
        SBD CUP CVE NIO TOP WST BOB""",
    ),
    "wide_dollar_sign": ("USD", "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP"),
    "dollar": ("USD", "USD CAD AUD NZD SGD HKD TWD"),
    "pound_sign": ("GBP", "GBP EGP LBP SYP GIP FKP SHP SDG SSP IEP"),
    "lira_sign": ("GBP", "GBP ITL TRL"),
    "yen_sign": ("JPY", "JPY CNY"),
    "yuan": ("CNY", "CNY TWD HKD SGD MOP"),
    "round": ("TWD", "TWD HKD MOP JPY"),
    "c_dollar": ("CAD", "CAD NIO"),
    "cfa": ("XOF", "XOF XAF"),
    "florin": (None, "AWG ANG XCG NLG"),
    "krone": (None, "SEK NOK DKK ISK"),
    "kroner": (None, "NOK DKK"),
    "kronur": ("ISK", "ISK"),
    "rupee": ("INR", "INR PKR LKR NPR MUR SCR"),
    "dirham": (None, "AED MAD"),
    "dirham_word": ("AED", "AED MAD"),
    "dinar_word": (None, "KWD BHD IQD JOD TND DZD LYD"),
    "riyal_word": ("SAR", "SAR QAR OMR YER IRR"),
    "riyal_sign": (None, "SAR QAR OMR YER IRR"),
    "toman": (None, ""),  # ten rials, and no code of its own
    "peso": (None, "MXN ARS CLP COP UYU DOP PHP CUP"),
    "franken": ("CHF", "CHF"),
    "franc": (None, "CHF XOF XAF XPF FRF BEF"),
    "lei": ("RON", "RON MDL"),
    "rouble": ("RUB", "RUB BYN"),
    "lev": ("BGN", "BGN KGS"),
    "din": ("RSD", "RSD"),
    "egyptian_pound": ("EGP", "EGP"),
    "br": (None, "BYN ETB"),
    "bs": ("BOB", "BOB VES"),
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
"""

# Codes that are words or names as well, and those of former currencies.
WORDLIKE: Final = frozenset("ALL TRY TOP CUP AMD MAD PEN GEL BAM MOP SOS ERN WST MMK ANG ARS CVE HNL NPR".split()) | _FORMER

# 199,- and 12.– say money without saying which.
DASHED: Final = "SEK NOK DKK ISK CHF EUR CZK INR PKR IDR"

# Currencies with three decimals, and the separators that may stand before them; elsewhere three digits are thousands.
THOUSANDTHS: Final = {"KWD": ".", "BHD": ".", "OMR": ".", "JOD": ".", "IQD": ".", "TND": ".,", "LYD": ".,"}

# Currencies without cents: those of ISO 4217, and those whose cents are no longer written.
WHOLE_ONLY: Final = frozenset(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF HUF IDR IRR LAK LBP MMK COP UZS SYP TWD".split()
)


def decimals_of(currency: str | None) -> int:
    """How many decimals a price in this currency is written with; 0 where nobody can say."""
    if currency in THOUSANDTHS:
        return 3
    return 2 if currency in CODES and currency not in WHOLE_ONLY else 0


# What a country pays in: what `$`, `kr`, `Rs` and `£` mean there, where its own mark (R, KM, Q) is no word, and what a price
# without a currency is in; by ISO 3166 and top-level domain alike.
_COUNTRIES: Final = {
    "au": "AUD", "ca": "CAD", "nz": "NZD", "sg": "SGD", "hk": "HKD", "tw": "TWD", "mx": "MXN", "ar": "ARS", "cl": "CLP",
    "co": "COP", "uy": "UYU", "do": "DOP", "br": "BRL", "jm": "JMD", "tt": "TTD", "us": "USD", "gb": "GBP", "uk": "GBP",
    "se": "SEK", "no": "NOK", "dk": "DKK", "is": "ISK", "jp": "JPY", "cn": "CNY", "in": "INR", "pk": "PKR", "lk": "LKR",
    "np": "NPR", "mu": "MUR", "ch": "CHF", "eg": "EGP", "lb": "LBP", "ae": "AED", "ma": "MAD", "kw": "KWD", "bh": "BHD",
    "jo": "JOD", "iq": "IQD", "tn": "TND", "dz": "DZD", "sa": "SAR", "qa": "QAR", "om": "OMR", "md": "MDL", "by": "BYN",
    "kg": "KGS", "ve": "VES", "cz": "CZK", "ph": "PHP", "cu": "CUP", "hans": "CNY", "za": "ZAR", "ba": "BAM", "gt": "GTQ",
    "hn": "HNL", "pe": "PEN", "ng": "NGN", "tr": "TRY", "al": "ALL", "ke": "KES", "gh": "GHS", "bo": "BOB", "cr": "CRC",
    **dict.fromkeys("at be bg cy de ee es fi fr gr hr ie it lt lu lv mt nl pt si sk".split(), "EUR"),
    "pl": "PLN", "hu": "HUF", "ro": "RON", "ru": "RUB", "ua": "UAH", "rs": "RSD", "kr": "KRW", "vn": "VND", "id": "IDR",
    "th": "THB", "my": "MYR", "il": "ILS",
}  # fmt: skip
# Languages that are at home in one country.
_LANGUAGES: Final = {
    "sv": "SEK", "nb": "NOK", "nn": "NOK", "no": "NOK", "da": "DKK", "is": "ISK", "ja": "JPY", "cs": "CZK", "ur": "PKR",
    "ne": "NPR", "si": "LKR", "fi": "EUR", "el": "EUR", "nl": "EUR", "et": "EUR", "lv": "EUR", "lt": "EUR", "sk": "EUR",
    "sl": "EUR", "hr": "EUR", "bg": "EUR", "pl": "PLN", "hu": "HUF", "uk": "UAH", "ko": "KRW", "vi": "VND", "th": "THB",
    "he": "ILS", "id": "IDR", "tr": "TRY",
}  # fmt: skip
_ELSEWHERE: Final = frozenset(("co", "is", "in"))  # sold to everybody: a domain that says nothing, alone


def shared_sign_currency(language: str, url: str) -> str | None:
    """The currency of the country that a page is written for, by its language tag, then its domain, if one tells."""
    tongue, *regions = language.lower().replace("_", "-").split("-")
    for region in regions:
        if region in _COUNTRIES:
            return _COUNTRIES[region]
    labels = (urlsplit(url).hostname or "").split(".")
    if labels[-1] in _COUNTRIES and (labels[-1] not in _ELSEWHERE or labels[-2:-1] in (["co"], ["com"])):
        return _COUNTRIES[labels[-1]]
    return _LANGUAGES.get(tongue)
