"""Finds numbers that may be money, each with the currency marks next to it."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import islice
from typing import Final

import msgspec

from driftline.core.commerce.amounts import NUMBER, SPACES, bounded, read_number
from driftline.core.commerce.currencies import DASHED, THOUSANDTHS
from driftline.core.commerce.currency_names import name_after
from driftline.core.commerce.currency_symbols import CurrencyMark, dollars_of, look_up, mark_after, mark_before
from driftline.core.lexicon import any_of, parts, word_set
from driftline.core.text.lazy_regex import lazy_regex

# What may follow the digits directly: 12.–  19,-  199:-  500/-  500/=  19⁹⁹
_DASHED: Final = lazy_regex(r"(?:[.,:]|/(?=-))[ \u00a0]?[-\u2010-\u2015\u2212_]{1,2}(?![\d-])|/=(?!\w)")
_SUPERSCRIPT: Final = lazy_regex("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{2}(?![\u2070\u00b9\u00b2\u00b3\u2074-\u2079])")
_PLAIN_DIGITS: Final = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_CENTS: Final = lazy_regex(rf"(?P<gap>[{SPACES}]?)(?P<cents>\d\d)(?![\d.,%\w\u20ac$\u00a3])")
_SIZE: Final = lazy_regex(  # 12 € 50 g
    lambda: rf"[ \u00a0]?(?:[mck]?g|[mcd]?l|[mck]?m|x|pcs?|oz|lbs?|{any_of('stock.count.any_piece')})\b", re.IGNORECASE
)
_PER: Final = lazy_regex(r"[ \u00a0]?/[ \u00a0]?[^\W\d_]{1,12}\.?(?=[ \u00a0]?[^\w\s])")  # 5.99 / piece $
_NUMBER: Final = lazy_regex(NUMBER)
_GAP: Final = lazy_regex("[ \u00a0\u202f]")
_PARTS_AT_MOST: Final = 6  # of three digits each: no amount has more than twelve before its point
_MULTIPLIER: Final = lazy_regex(
    lambda: (
        rf"(?P<k>[kK](?!\w)|[ \u00a0]?(?:{any_of('number.thousand')}|rb\b))"
        r"|[ \u00a0]?(?:(?P<lakh>[Ll]akhs?|[Ll]acs?\b|L(?!\w))|(?P<crore>[Cc]rores?\b|Cr\b))"
        r"|(?P<m>M(?!\w|\.\w)|(?P<small>m(?![\w²³/]))"
        rf"|[ \u00a0]?(?:[Mm]n\b|[Mm]illions?\b|{any_of('number.million')}|jt\b))"
        rf"|(?P<b>B(?!\w|\.\w)|[ \u00a0]?(?:[Bb]n\b|[Bb]illions?\b|{any_of('number.billion')}))"
    )
)
_LEADING_DASH: Final = lazy_regex(r"(?<![\w.,-])[-\u2010-\u2015\u2212](?=\.\d\d(?!\d))")  # Fr. -.95
_TO_THE_CENT: Final = lazy_regex(r"[.,]\d\d\Z")
_MULTIPLIED: Final = {"k": 10**3, "lakh": 10**5, "m": 10**6, "crore": 10**7, "b": 10**9}
_MYRIADS: Final = {sign: 10 ** int(zeros) for zeros, signs in parts("number.myriad").items() for sign in signs}
_CENT: Final = lazy_regex(
    lambda: (
        r"[ \u00a0]?(?:(?P<cent>[¢￠]|cents(?![^\W\d_]))|"
        rf"(?P<ct>ct\.?|[Cc]ents?|{any_of('currency.cent')})(?![^\W\d_]))"
    )
)
_MINOR: Final = lazy_regex(
    lambda: rf"[ \u00a0]?(?:{any_of('currency.minor')}|{any_of('currency.cent')}|ct|cents?)(?![^\W\d_])", re.IGNORECASE
)
_PENCE: Final = lazy_regex(r"p(?![\w.])")
_NO_PRICE: Final = lazy_regex(
    lambda: rf"[ \u00a0]?(?:[%\uff05\u066a‰]|{any_of('number.percent')})|[eE][+-]?\d|:\d\d(?!\d)", re.IGNORECASE
)
_RANGE: Final = lazy_regex(
    lambda: (
        rf"[ \u00a0]?(?:[-\u2010-\u2015~\u301c\uff5e]|{any_of('number.to')})"
        r"[ \u00a0]?(?=[^\w\s]?\d|[^\W\d]{1,3}[ $.]{0,2}\d|[^\w\s]\s?\d)"
    )
)
_TAKEN_APART: Final = 40  # characters of a text that is a single price
_SAID_TWICE: Final = 200  # characters of a text that may have its price twice
_ALONE: Final = re.compile(r"[ \u00a0]?(?:\d|[;()|\"'\u2032\u2033]|\n[A-Za-z0-9]|\Z)")  # behind a number: no mark can follow
_CLOSED: Final = frozenset(("", "\n", ")"))  # behind which nothing belongs to a number but its mark
_MINUS: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212")
_SYMBOLS: Final = frozenset("\u20ac$\u00a3\u00a5\u20b9")
# Markup splits prices: `$19. 99`, `118, 99 TL`, and, if there is no other text, `19 99 €`.
_WHOLE: Final = rf"(?:\d{{1,3}}(?:[.,{SPACES}]\d{{3}}){{1,3}}|\d{{1,12}})"
_APART: Final = lazy_regex(rf"(?<![\d.,])({_WHOLE})([{SPACES}]?[.,][{SPACES}]|[{SPACES}][.,])(\d\d)(?![\d.,])")
_SPLIT: Final = lazy_regex(rf"(\D{{0,12}}?)({_WHOLE})[{SPACES}](\d\d)(?![\w.,])(\D{{0,12}})")
_COLON: Final = lazy_regex(r"(?<![\w:.,])(\d{1,5}):(\d\d)(?=[ \u00a0]?kr\b)")  # 25:90 kr
_SAID_OF_IT: Final = lazy_regex(lambda: rf"[ \u00a0](?:{any_of('currency.said_of_it')})\b", re.IGNORECASE)  # 35€ 99 dont 0,02 €
_YUAN: Final = lazy_regex(lambda: rf"RMB|CNY|{any_of('currency.yuan_around')}|[\u4e00-\u9fff]")
_PENNY: Final = CurrencyMark("GBP")
DASH_MARK: Final = CurrencyMark(None, frozenset(DASHED.split()))
_CENT_MARKS: Final = {
    "cent": CurrencyMark("USD", frozenset({"USD", "CAD", "AUD", "EUR", "NZD"})),
    "ct": CurrencyMark("EUR", frozenset({"EUR", "USD", "AUD", "CAD", "CHF"})),
}


class NumberSeen(msgspec.Struct):
    """A number in the text that may be money."""

    amount: Decimal
    token: str
    at: int  # offset of the digits
    start: int  # including the mark before it
    end: int  # including everything that belongs to it
    before: CurrencyMark | None = None
    after: CurrencyMark | None = None
    glued: bool = False  # a letter touches the digits: an id, a size, a model
    negative: bool = False
    dashed: bool = False  # 199,- has its mark in the number
    leads_to: int = 0  # offset of the upper end of its range; 0: no range

    @property
    def marked(self) -> bool:
        """Whether it has a currency mark."""
        return self.before is not None or self.after is not None

    @property
    def has_decimals(self) -> bool:
        """Whether it is written like money, with cents."""
        return self.amount.as_tuple().exponent in (-2, -1, -3)


def with_split_prices_joined(text: str) -> str:
    """The text at the same length, with the cents of prices that markup split moved next to them."""
    if "." in text:
        text = _LEADING_DASH.sub("0", text)
    if ":" in text and "kr" in text:
        text = _COLON.sub(r"\1.\2", text)
    if len(text) <= _TAKEN_APART and (split := _SPLIT.fullmatch(text)):
        beside = [mark for side in (split[1], split[4]) if (mark := side.strip())]
        if len(beside) == 1 and look_up(beside[0]) is not None:
            return f"{split[1]}{split[2]}.{split[3]}{split[4]}"
    return _APART.sub(_closed_up, text)


def _closed_up(found: re.Match[str]) -> str:
    whole, point, cents = found.groups()
    text = found.string
    alone = len(text) <= _TAKEN_APART and len(text.strip()) == len(found[0])  # 392. 00
    joined = f"{whole}{point.strip()}{cents}"
    marks = (mark_before(text, found.start()), mark_after(text, found.end()))
    again = len(text) <= _SAID_TWICE and joined in text  # 559. 99 559.99
    if not alone and not again and not any(mark is not None and not mark[0].weak for mark in marks):
        return found[0]  # BD2268, 17 pcs
    return joined.rjust(len(found[0]))


def numbers(text: str, hint: str | None, *, bare: bool = True) -> list[NumberSeen]:
    """Every number that is not a percentage, a time or a discount, with the marks next to it.

    Without `bare`, none that has no mark and nothing beside it that could lead to one: most numbers of a page.
    """
    seen: list[NumberSeen] = []
    used = 0  # end of the last mark: it does not count for the next number
    at = 0
    while match := _NUMBER.search(text, at):
        token = _sensible(match.group())
        start = match.start()
        at = end = start + len(token)
        if start < used or (start > 1 and text[start - 1] == ":" and text[start - 2].isdigit()):
            continue
        if text[end : end + 1] not in _CLOSED and (no_price := _NO_PRICE.match(text, end)):
            used = no_price.end()
            continue
        found = NumberSeen(Decimal(0), token, start, start, end)
        _mark_before(text, found, used)
        if not bare and found.before is None and _ALONE.match(text, end) and not (seen and seen[-1].leads_to >= start - 1):
            used = end
            continue
        found.negative = _is_negative(text, start, found.start)
        end = _tail(text, found, end)
        _mark_after(text, found, end)
        written_in = currency_of(text, found, hint) if found.marked else hint
        thousandths = THOUSANDTHS.get(written_in or "", "")
        amount = read_number(found.token, thousandths=thousandths)
        if amount is None:
            continue
        amount = _scaled(text, found, amount, hint)
        if amount is None:
            continue
        found.amount = amount
        if found.dashed and not found.marked:
            found.after = DASH_MARK
        if not found.marked:
            follows = text[found.end : found.end + 1]
            found.glued = text[start - 1 : start].isalpha() or (follows.isalpha() and follows.isascii())
        if text[found.end : found.end + 1] not in _CLOSED and (leads := _RANGE.match(text, found.end)):
            found.leads_to = leads.end()
        seen.append(found)
        used = found.end
    return seen


def _sensible(token: str) -> str:
    """The number without parts that only a space joins to it: `19.99 250` of "19.99 250 ml" are two."""
    if token.isascii() and " " not in token:
        return token
    gaps = [gap.start() for gap in islice(_GAP.finditer(token), _PARTS_AT_MOST)]
    if len(gaps) == _PARTS_AT_MOST:  # it has too many digits, cut where it may be: to try each cut would take their square
        token = token[: gaps[-1]]
    while (cut := max(map(token.rfind, " \u00a0\u202f"))) > 0 and read_number(token) is None:
        token = token[:cut]
    return token


def _mark_before(text: str, found: NumberSeen, used: int) -> None:
    """Include the mark before the digits, and a more exact one before that: CAD $19."""
    led = mark_before(text, found.at)
    if led is None or led[1] < used:
        return
    found.before, found.start = led
    refined = mark_before(text, found.start)
    if refined and refined[1] >= used and refined[0].currency in found.before.family:
        found.before, found.start = refined


def _tail(text: str, found: NumberSeen, end: int) -> int:
    """Include what is written between the digits and the mark: `,-` and the like, superscript cents."""
    if text[end : end + 1] in _CLOSED:
        found.end = end
        return end
    if (dashed := _DASHED.match(text, end)) and not (
        text[dashed.end() : dashed.end() + 1].isalpha() and mark_after(text, dashed.end()) is None
    ):
        end = dashed.end()
        found.dashed = True
    elif "." not in found.token and "," not in found.token and (raised := _SUPERSCRIPT.match(text, end)):
        found.token += "." + raised.group().translate(_PLAIN_DIGITS)
        end = raised.end()
    found.end = end
    return end


def _mark_after(text: str, found: NumberSeen, end: int) -> None:
    """Include the mark after the digits, unless it belongs to the next number."""
    if end < len(text) and text[end] in _MYRIADS:  # 12万円
        return
    trailed = mark_after(text, end)
    if (trailed is None or trailed[0].family) and (named := name_after(text, end)):
        trailed = named
    if trailed is None:
        if found.before is not None:
            if found.before.family:
                _said_behind(text, found, found.before, end)  # $19 CDN, $19 (CAD)
            return
        per = _PER.match(text, end)
        behind = mark_after(text, per.end()) if per else None
        if behind and not behind[0].word and not _starts_number(text, behind[2]):
            found.after = behind[0]
        return
    mark, mark_at, mark_end = trailed
    if mark.weak and (found.before or mark_end - mark_at == 1) and not _is_one_of(mark, found.before):  # ₹85 L, 1.5 L
        return
    spaced = mark_at > end
    whole = found.before is None and "." not in found.token and "," not in found.token
    cents = _CENTS.match(text, mark_end) if whole else None
    if cents and (called := _MINOR.match(text, cents.end())):  # 12 Euro 50 Cent
        found.token += "." + cents["cents"]
        found.after, found.end = mark, called.end()
        return
    if cents and not mark.word and _are_cents(text, found, cents, mark_at, spaced=spaced):
        found.token += "." + cents["cents"]
        found.after, found.end = mark, cents.end()
        return
    next_at = mark_end
    while next_at < len(text) and next_at - mark_end < 2 and text[next_at].isspace():
        next_at += 1
    if next_at < len(text) and text[next_at].isdecimal() and (spaced or found.before or next_at == mark_end):
        following = _NUMBER.match(text, next_at)
        again = mark_after(text, following.end()) if following and not found.before else None
        ours = again is not None and again[0] is mark and not _starts_number(text, again[2])  # 1 299 ₽1 999 ₽
        if following and not found.before:  # 129 zł14 opinii, 19,99 €12 Bewertungen
            exact = _is_to_the_cent(found.token) and not _is_to_the_cent(following.group())
            ours = ours or exact or text[mark_at:mark_end].casefold() in word_set("currency.behind")
        if "\n" in text[end:mark_at] or ((found.before or next_at == mark_end) and not ours):
            return  # the mark of the next line; $19 $25; iPhone 15 €799; 4.5$10.99
        plain = not any(sign in found.token for sign in ".,")
        pointed = following is not None and any(sign in following.group() for sign in ".,")
        ours = ours or "\n" in text[mark_end:next_at]  # 10 € in a line, 4.5 stars in the next
        if following and not ours and plain and pointed and not mark_after(text, following.end()):
            return  # Galaxy 24 EUR 799.00
    found.after, found.end = mark, mark_end
    if found.before is not None and found.before.word and _is_a_word(text[found.start : found.at], found.before, mark):
        found.before, found.start = None, found.at
    if mark.family:
        _said_behind(text, found, mark, mark_end)  # 19 $ CAD, 19 $ CDN


def _is_one_of(mark: CurrencyMark, before: CurrencyMark | None) -> bool:
    """Whether a mark names one of the currencies that the mark before the amount leaves open: $ 1.299,00 ARS."""
    return before is not None and mark.currency is not None and mark.currency in before.family


def _is_a_word(written: str, before: CurrencyMark, after: CurrencyMark) -> bool:
    """Whether small letters before an amount are no code of a currency: the mark behind it names another."""
    related = {before.currency, *before.family} & {after.currency, *after.family}
    return written.islower() and not after.weak and not related  # nad 2500 Kč are crowns


def _is_to_the_cent(token: str) -> bool:
    return _TO_THE_CENT.search(token) is not None


def _said_behind(text: str, found: NumberSeen, mark: CurrencyMark, end: int) -> None:
    """Include a code after a shared mark, or after its number, that names the currency."""
    at = end + 1 + (text[end] == " ") if text[end : end + 1] == "(" or text[end : end + 2] == " (" else end
    refined = mark_after(text, at)
    if refined and refined[0].currency in mark.family and not _starts_number(text, refined[2]):
        found.after, found.end = refined[0], refined[2]
    elif dollars := dollars_of(text, at, mark):
        found.after, found.end = dollars


def _are_cents(text: str, found: NumberSeen, cents: re.Match[str], mark_at: int, *, spaced: bool) -> bool:
    """Whether cents follow the mark: 2€50 and 35€ 99 are one price; 12 €50 only without other text, and 12 € 50 g never."""
    if cents["gap"]:
        once = text.count(text[mark_at]) == 1 or _SAID_OF_IT.match(text, cents.end()) is not None
        return once and not _SIZE.match(text, cents.end())
    rest = text[cents.end() :]
    return not spaced or (not text[: found.start].strip() and (not rest.strip() or _SAID_OF_IT.match(rest) is not None))


def _starts_number(text: str, at: int) -> bool:
    return bool(re.match(r"\s?\d", text[at : at + 2]))


def _scaled(text: str, found: NumberSeen, amount: Decimal, hint: str | None) -> Decimal | None:
    """The amount with its multiplier (12万, 1億2000万, $1.2M, 3 lakh), or as cents (99¢, in Britain 99p)."""
    end = found.end
    if text[end : end + 1] in _CLOSED:
        return amount
    if end < len(text) and text[end] in _MYRIADS and found.after is None:
        return _myriads(text, found, amount)
    if found.before is None and found.after is None and (cents := _CENT.match(text, end)):
        found.end = cents.end()
        found.after = _CENT_MARKS["cent" if cents["cent"] else "ct"]
        return amount / 100
    if hint == "GBP" and not found.marked and amount < 100 and (pence := _PENCE.match(text, end)):
        found.after, found.end = _PENNY, pence.end()
        return amount / 100
    if found.after is None and (factor := _MULTIPLIER.match(text, end)):
        trailed = mark_after(text, factor.end()) or name_after(text, factor.end())
        if factor["lakh"] == "L" and not (found.before and found.before.meant("INR") == "INR"):
            return amount  # ₹85 L are lakhs, €5 L are litres
        if factor["small"] and (not found.before or found.before.word):
            return amount  # £1.2m are millions, EUR 5m are metres
        if found.before or trailed:
            found.end = factor.end()
            if trailed and not (found.before and _starts_number(text, trailed[2])):
                found.after, _, found.end = trailed
            return bounded(amount * _MULTIPLIED["m" if factor["small"] else factor.lastgroup or "k"])
    return amount


def _myriads(text: str, found: NumberSeen, amount: Decimal) -> Decimal | None:
    total, end = Decimal(0), found.end
    while True:
        unit = _MYRIADS.get(text[end]) if end < len(text) else None
        total += amount * (unit or 1)
        end += unit is not None
        following = _NUMBER.match(text, end + (text[end : end + 1] == " ")) if unit else None
        value = read_number(following.group()) if following else None
        if following is None or value is None or value >= (unit or 1):
            break
        amount, end = value, following.end()
    found.end = end
    if trailed := mark_after(text, end):
        found.after, _, found.end = trailed
    return bounded(total)


def _is_negative(text: str, at: int, start: int) -> bool:
    """Whether a minus touches the digits or their mark, and no word or other price precedes it."""
    return _minus_before(text, at) or (start < at and text[start - 1 : start] in _MINUS and _minus_before(text, start))


def _minus_before(text: str, at: int) -> bool:
    sign_at = at - 1
    spaced = sign_at > 0 and text[sign_at] in " \u00a0"
    sign_at -= spaced
    if sign_at < 0 or text[sign_at] not in _MINUS:
        return False
    lead = text[max(0, sign_at - 6) : sign_at].rstrip()[-4:]
    if spaced or not lead:
        return not lead  # "- 5 €" is negative, "Coffee - 5 €" is not
    if lead[-1] in _SYMBOLS:
        return not any(sign.isdigit() for sign in lead)  # $-5, and not 10€-20€
    if text[sign_at - 1].isspace():
        return not lead[-1].isdigit()
    return not lead[-1].isalnum() and lead[-1] not in ").,-"


def currency_of(text: str, found: NumberSeen, hint: str | None) -> str | None:
    """The ISO code of the currency that the marks next to a number name."""
    before, after = found.before, found.after
    if before and after:
        if after.currency in before.family and not after.family:
            return after.currency
        if before.weak and not after.weak:
            return after.meant(hint)
    mark = before or after
    if mark is None:
        return None
    if hint is None and "CNY" in mark.family and "JPY" in mark.family:
        return _yen_or_yuan(text, found)
    return mark.meant(hint)


def _yen_or_yuan(text: str, found: NumberSeen) -> str:
    """¥ is the yen, unless decimals or nearby words indicate the yuan: Japanese prices have no decimals."""
    around = text[max(0, found.start - 30) : found.end + 30]
    if any("\u3040" <= sign <= "\u30ff" or sign in word_set("currency.yen_around") for sign in around):
        return "JPY"
    if re.search(r"[.\uff0e]\d{1,2}$", found.token) or _YUAN.search(around):
        return "CNY"
    return "JPY"
