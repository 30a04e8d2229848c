"""Which currency a country's shops mean by a sign that many currencies share."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

# Countries whose `$`, `kr`, `¥`, `Rs` or `£` is not what the sign means alone, or whose own mark (R, KM, Q) may be anything
# elsewhere; by ISO 3166 and top-level domain alike.
_COUNTRIES: Final = {
    "au": "AUD", "ca": "CAD", "nz": "NZD", "sg": "SGD", "hk": "HKD", "tw": "TWD", "mx": "MXN", "ar": "ARS", "cl": "CLP",
    "co": "COP", "uy": "UYU", "do": "DOP", "br": "BRL", "jm": "JMD", "tt": "TTD", "us": "USD", "gb": "GBP", "uk": "GBP",
    "se": "SEK", "no": "NOK", "dk": "DKK", "is": "ISK", "jp": "JPY", "cn": "CNY", "in": "INR", "pk": "PKR", "lk": "LKR",
    "np": "NPR", "mu": "MUR", "ch": "CHF", "eg": "EGP", "lb": "LBP", "ae": "AED", "ma": "MAD", "kw": "KWD", "bh": "BHD",
    "jo": "JOD", "iq": "IQD", "tn": "TND", "dz": "DZD", "sa": "SAR", "qa": "QAR", "om": "OMR", "md": "MDL", "by": "BYN",
    "kg": "KGS", "ve": "VES", "cz": "CZK", "ph": "PHP", "cu": "CUP", "hans": "CNY", "za": "ZAR", "ba": "BAM", "gt": "GTQ",
    "hn": "HNL", "pe": "PEN", "ng": "NGN", "tr": "TRY", "al": "ALL", "ke": "KES", "gh": "GHS", "bo": "BOB", "cr": "CRC",
}  # fmt: skip
# Languages that are at home in one country.
_LANGUAGES: Final = {
    "sv": "SEK", "nb": "NOK", "nn": "NOK", "no": "NOK", "da": "DKK", "is": "ISK", "ja": "JPY", "cs": "CZK", "ur": "PKR",
    "ne": "NPR", "si": "LKR",
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
