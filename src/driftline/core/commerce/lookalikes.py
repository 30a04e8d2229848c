"""What looks like a price and is none: parts of names, postcodes, numbers of clauses, weekdays, feet."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.commerce.currencies import DASHED
from driftline.core.commerce.number_scan import DASH_MARK, NumberSeen
from driftline.core.lexicon import any_of, word_set
from driftline.core.text.lazy_regex import lazy_regex

_DAY_OR_HOUR: Final = lazy_regex(
    lambda: rf"\d{{1,2}}[.:]\d\d\s?(?:{any_of('clock.uhr')})(?!\w)|[0-3]?\d\.(?P<month>0?[1-9]|1[0-2])\.(?!\d)", re.IGNORECASE
)
_GLUED: Final = frozenset(("kr", "rs", "rm", "rp", "chf", "eur", "usd", "gbp"))
_BRITISH_LEAD: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,2}\d[A-Z\d]?[ \u00a0]\Z")  # WA14 2DT
_TOWN: Final = re.compile(r"[ \u00a0]{1,2}([A-Z][a-z]+)")  # 1017 BR Amsterdam
_CLAUSE: Final = re.compile(r"[ \u00a0]{1,2}[^\W\d_]{2,}")  # 10.- Protection of personal data
_MOST_CLAUSES: Final = 100  # of a text; 1.279,- is a price
_LOOK: Final = 6  # characters before a number


def is_no_price(text: str, found: NumberSeen, hint: str | None) -> bool:
    """Whether a number in a running text with a mark beside it is something else than money."""
    return (
        _is_part_of_name(text, found)
        or _is_postcode(text, found)
        or _is_clause(text, found, hint)
        or _is_weekday(text, found, hint)
        or _are_feet(text, found, hint)
    )


def looks_like_money(found: NumberSeen) -> bool:
    """Whether a number has cents, a dash in their place, or its thousands apart."""
    return found.has_decimals or found.dashed or re.search(r"\d\D\d{3}", found.token) is not None


def _is_part_of_name(text: str, found: NumberSeen) -> bool:
    """Whether letters and digits form one name: crc32, bs4, cad43736ac8, fr_FR.88591, libfoo 1 dh_install."""
    if text[found.end : found.end + 1] == "_" or text[max(0, found.start - 1) : found.start] == "_":
        return True
    if found.before is None:
        before = text[max(0, found.at - 1) : found.at]
        named = before.isalpha() and before.isascii() and not found.has_decimals
        return named and found.after is not None and found.after.word
    lead = text[found.start : found.at]
    if not (found.before.word and lead.isascii() and lead[-1:].isalpha()) or found.has_decimals:
        return False
    follows = text[found.end : found.end + 1]
    if found.after is None and not found.dashed and follows.isascii() and follows.isalpha():
        return True
    is_currency = lead.casefold() in _GLUED and found.amount >= 10
    return len(found.token) <= 2 and (lead.islower() or found.amount < 10) and not is_currency


def _is_postcode(text: str, found: NumberSeen) -> bool:
    """Whether a number and the two capitals behind it are a British or a Dutch postcode."""
    code = text[found.at + len(found.token) : found.end].strip()
    if found.before is not None or len(code) != 2 or not (code.isascii() and code.isupper()):
        return False
    if len(found.token) == 1:
        return _BRITISH_LEAD.search(text[max(0, found.at - _LOOK) : found.at]) is not None
    town = _TOWN.match(text, found.end) if len(found.token) == 4 and found.token.isdecimal() else None
    return town is not None and town[1].casefold() not in word_set("price.word", "price.talk")


def _is_clause(text: str, found: NumberSeen, hint: str | None) -> bool:
    """Whether a number with a dash behind it counts the paragraphs of a text, where nobody writes prices so."""
    if found.before is not None or found.after is not DASH_MARK or hint in DASHED.split() or found.amount >= _MOST_CLAUSES:
        return False
    starts = not text[max(0, found.at - 2) : found.at].strip(" \u00a0\n")
    said = _CLAUSE.match(text, found.end) if starts else None
    return said is not None and said[0].strip().casefold() not in word_set("price.word", "price.talk")


def _is_weekday(text: str, found: NumberSeen, hint: str | None) -> bool:
    """Whether a mark is a day of the week before an hour or a date: Fr 9.00 Uhr, Fr. 3.4. (Fr. 3.40. may be a Swiss price)."""
    if found.before is None or not found.before.weak or not (day := _DAY_OR_HOUR.match(text, found.at)):
        return False
    return day["month"] is None or len(day["month"]) == 1 or found.before.meant(hint) != hint


def _are_feet(text: str, found: NumberSeen, hint: str | None) -> bool:
    """Whether a length in feet looks like forints: 6ft, 100 ft cable."""
    mark = found.after
    written = text[found.at + len(found.token) : found.end].strip()
    return mark is not None and mark.currency == "HUF" != hint and written == "ft" and not looks_like_money(found)
