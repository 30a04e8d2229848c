"""Prices in text: every amount with its currency, where it stands and what it is (the price, the old one, a saving, ...)."""

from __future__ import annotations

import html
import re
from decimal import Decimal

import msgspec
from msgspec import structs

from driftline.core.money import NUMBER, SPACES, bounded, read_number
from driftline.core.money_marks import DASHED, THOUSANDTHS, Mark, look_up, mark_after, mark_before
from driftline.core.money_words import FREE, PRICE_WORDS, Role, role_of, said_after


class Price(msgspec.Struct, frozen=True):
    """An exact amount of money."""

    amount: Decimal
    currency: str | None  # ISO 4217; None: not said


class PriceSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A price in a text."""

    price: Price
    start: int  # of the amount with its currency mark
    end: int
    role: Role = "price"  # high: the upper end of a range; extra: shipping, a deposit, a threshold; the others as they say


# What may stand between the digits and whatever follows: 12.–  19,-  199:-  500/-  19⁹⁹
_DASHED = re.compile(r"(?:[.,:]|/(?=-))[ \u00a0]?[-\u2010-\u2015\u2212_]{1,2}(?![\w-])")
_SUPERSCRIPT = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{2}(?![\u2070\u00b9\u00b2\u00b3\u2074-\u2079])")
_PLAIN_DIGITS = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_CENTS = re.compile(rf"(?P<gap>[{SPACES}]?)(?P<cents>\d\d)(?![\d.,%\w\u20ac$\u00a3])")
_SIZE = re.compile(r"[ \u00a0]?(?:[mck]?g|[mcd]?l|[mck]?m|x|pcs?|st(?:k|ück)?|oz|lbs?)\b", re.IGNORECASE)  # 12 € 50 g
_PER = re.compile(r"[ \u00a0]?/[ \u00a0]?[^\W\d_]{1,12}\.?(?=[ \u00a0]?[^\w\s])")  # 5.99 / piece $
_NUMBER = re.compile(NUMBER)
_MULTIPLIER = re.compile(
    r"[ \u00a0]?(?:(?P<k>[kK](?![^\W\d_])|тыс\.?|tys\.?|thousand|ngàn|nghìn|rb\b|ribu)"
    r"|(?P<lakh>[Ll]akhs?|[Ll]acs?\b|L(?!\w))|(?P<crore>[Cc]rores?\b|Cr\b)"
    r"|(?P<m>M(?![^\W\d_])|[Mm]n\b|[Mm]io\.?|[Mm]illions?\b|[Mm]ill?\.|[Mm]illionen|[Mm]illones|млн\.?|mln|triệu|juta|jt\b)"
    r"|(?P<b>[Bb]n\b|[Bb]illions?\b|[Mm]rd\.?|млрд\.?|tỷ))"
)
_MULTIPLIED = {"k": 10**3, "lakh": 10**5, "m": 10**6, "crore": 10**7, "b": 10**9}
_MYRIADS = {"千": 10**3, "천": 10**3, "万": 10**4, "萬": 10**4, "만": 10**4, "億": 10**8, "亿": 10**8, "억": 10**8}
_CENT = re.compile(r"[ \u00a0]?(?:(?P<cent>[¢￠])|(?P<ct>ct\.?|[Cc]ents?|centimes|céntimos|centesimi)(?![^\W\d_]))")
_NO_PRICE = re.compile(
    r"[ \u00a0]?(?:[%\uff05\u066a‰]|percent|prozent|pour ?cent|procent)|[eE][+-]?\d|:\d\d(?!\d)", re.IGNORECASE
)
_RANGE = re.compile(
    r"[ \u00a0]?(?:[-\u2010-\u2015~\u301c\uff5e]|to|bis|till?|až|do|à|al?|から|至|到|до)[ \u00a0]?"
    r"(?=[^\w\s]?\d|[^\W\d]{1,3}[ $.]{0,2}\d|[^\w\s]\s?\d)"
)
_TAKEN_APART = 40  # characters of a text that is one price and nothing else
_SHORT = 1_000  # characters of a text that states a price; what comes later is another text
_MINUS = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212")
_PENCE = re.compile(r"\s*(\d{1,2})\s?p\s*")
# Markup takes prices apart: `$19. 99`, `118, 99 TL`, and where nothing else is said `19 99 €`.
_WHOLE = rf"(?:\d{{1,3}}(?:[.,{SPACES}]\d{{3}}){{1,3}}|\d{{1,12}})"
_APART = re.compile(rf"(?<![\d.,])({_WHOLE})([{SPACES}]?[.,][{SPACES}]|[{SPACES}][.,])(\d\d)(?![\d.,])")
_SPLIT = re.compile(rf"(\D{{0,12}}?)({_WHOLE})[{SPACES}](\d\d)(?![\w.,])(\D{{0,12}})")
_WORD = re.compile(r"[^\W\d_]+")


class _Seen(msgspec.Struct):
    """A number in the text that may turn out to be money."""

    amount: Decimal
    token: str
    at: int  # of the digits
    start: int  # with the mark before it
    end: int  # with whatever belongs to it, marks included
    before: Mark | None = None
    after: Mark | None = None
    glued: bool = False  # a letter stands directly at the digits: an id, a size, a model
    negative: bool = False
    dashed: bool = False  # 199,- has its mark in the digits
    is_range: bool = False  # a range sign leads to the next number

    @property
    def marked(self) -> bool:
        return self.before is not None or self.after is not None

    @property
    def has_decimals(self) -> bool:
        return self.amount.as_tuple().exponent in (-2, -1, -3)


def parse_price(text: str, *, currency: str | None = None) -> Price | None:
    """The price that a short text states, or None; `currency` decides what `$` and `kr` mean and what a bare number is in.

    >>> parse_price("1.299,00 EUR")
    Price(amount=Decimal('1299.00'), currency='EUR')
    """
    text = _together(html.unescape(text[:_SHORT]))
    if text.strip(" \t\n\r.!*").casefold() in FREE:
        return Price(Decimal(0), currency)
    if pence := _PENCE.fullmatch(text):
        return Price(Decimal(pence[1]) / 100, "GBP")
    seen = _numbers(text, currency)
    spans = _spans(text, seen, currency, weak=True)
    if not spans:
        return _bare(text, seen, currency)
    for wanted in ("price", "from", "bundle", "unit", "installment", "old"):
        for span in spans:
            if span.role == wanted:
                return span.price
    return None


def find_prices(text: str, *, currency: str | None = None) -> list[PriceSpan]:
    """Every amount of money in a text that names its currency, in order."""
    text = _together(text)
    return _spans(text, _numbers(text, currency), currency, weak=False)


def _together(text: str) -> str:
    """The text, as long as it was, with the cents of a price that markup took apart back at their place."""
    if len(text) <= _TAKEN_APART and (split := _SPLIT.fullmatch(text)):
        beside = [mark for side in (split[1], split[4]) if (mark := side.strip())]
        if len(beside) == 1 and look_up(beside[0]) is not None:
            return f"{split[1]}{split[2]}.{split[3]}{split[4]}"
    return _APART.sub(_closed_up, text)


def _closed_up(found: re.Match[str]) -> str:
    whole, point, cents = found.groups()
    text = found.string
    if mark_before(text, found.start()) is None and mark_after(text, found.end()) is None:
        return found[0]
    return f"{whole}{point.strip()}{cents}".rjust(len(found[0]))


def _numbers(text: str, hint: str | None) -> list[_Seen]:
    """Every number that is not a percentage, a time or a discount, with the marks beside it."""
    seen: list[_Seen] = []
    used = 0  # a mark after one number is not the mark before the next
    for match in _NUMBER.finditer(text):
        at, end = match.span()
        if at < used or (at > 1 and text[at - 1] == ":" and text[at - 2].isdigit()):
            continue
        if no_price := _NO_PRICE.match(text, end):
            used = no_price.end()
            continue
        found = _Seen(Decimal(0), match.group(), at, at, end)
        led = mark_before(text, at)
        if led and led[1] >= used:
            found.before, found.start = led
            refined = mark_before(text, found.start)  # CAD $19
            if refined and refined[1] >= used and refined[0].currency in found.before.family:
                found.before, found.start = refined
        found.negative = _is_negative(text, at, found.start)
        end = _tail(text, found, end)
        _mark_after(text, found, end)
        written_in = _currency(text, found, hint) if found.marked else hint
        thousandths = THOUSANDTHS.get(written_in or "", "")
        amount = read_number(found.token, thousandths=thousandths)
        if amount is None:
            continue
        amount = _scaled(text, found, amount)
        if amount is None:
            continue
        found.amount = amount
        if found.dashed and not found.marked:
            found.after = _DASH_MARK
        if not found.marked:
            follows = text[found.end : found.end + 1]
            found.glued = text[at - 1 : at].isalpha() or (follows.isalpha() and follows.isascii())
        found.is_range = _RANGE.match(text, found.end) is not None
        seen.append(found)
        used = found.end
    return seen


def _tail(text: str, found: _Seen, end: int) -> int:
    """Take in what is written between the digits and the mark: `,-` and the like, superscript cents."""
    if dashed := _DASHED.match(text, end):
        end = dashed.end()
        found.dashed = True
    elif "." not in found.token and "," not in found.token and (raised := _SUPERSCRIPT.match(text, end)):
        found.token += "." + raised.group().translate(_PLAIN_DIGITS)
        end = raised.end()
    found.end = end
    return end


def _mark_after(text: str, found: _Seen, end: int) -> None:
    """Take in the mark after the digits, unless it belongs to the next number."""
    if end < len(text) and text[end] in _MYRIADS:  # 12万円
        return
    trailed = mark_after(text, end)
    if trailed is None:
        per = _PER.match(text, end) if found.before is None else None
        behind = mark_after(text, per.end()) if per else None
        if behind and not behind[0].word and not _starts_number(text, behind[2]):
            found.after = behind[0]
        return
    mark, mark_at, mark_end = trailed
    if mark.weak and found.before:  # ₹85 L
        return
    spaced = mark_at > end
    whole = found.before is None and "." not in found.token and "," not in found.token
    cents = _CENTS.match(text, mark_end) if whole and not mark.word else None
    if cents and _are_cents(text, found, cents, mark_at, spaced=spaced):
        found.token += "." + cents["cents"]
        found.after, found.end = mark, cents.end()
        return
    next_at = mark_end
    while next_at < len(text) and next_at - mark_end < 2 and text[next_at].isspace():
        next_at += 1
    if next_at < len(text) and text[next_at].isdigit() and (spaced or found.before or next_at == mark_end):
        if (
            found.before or next_at == mark_end or "\n" in text[end:mark_at]
        ):  # $19 $25; iPhone 15 €799; 4.5$10.99; the mark of the next line
            return
        following = _NUMBER.match(text, next_at)
        plain = not any(sign in found.token for sign in ".,")
        if following and plain and any(sign in following.group() for sign in ".,") and not mark_after(text, following.end()):
            return  # Galaxy 24 EUR 799.00
    found.after, found.end = mark, mark_end
    refined = mark_after(text, mark_end + (text[mark_end : mark_end + 2] == " ("))
    if refined and refined[0].currency in mark.family and not _starts_number(text, refined[2]):  # 19 $ CAD
        found.after, found.end = refined[0], refined[2]


def _are_cents(text: str, found: _Seen, cents: re.Match[str], mark_at: int, *, spaced: bool) -> bool:
    """2€50 and 35€ 99 are one price; 12 €50 only where nothing else is said, and 12 € 50 g never."""
    if cents["gap"]:
        return text.count(text[mark_at]) == 1 and not _SIZE.match(text, cents.end())
    return not spaced or not (text[: found.start] + text[cents.end() :]).strip()


def _starts_number(text: str, at: int) -> bool:
    return bool(re.match(r"\s?\d", text[at : at + 2]))


def _scaled(text: str, found: _Seen, amount: Decimal) -> Decimal | None:
    """The amount with its multiplier (12万, 1億2000万, $1.2M, 3 lakh) or as a part of the unit (99¢)."""
    end = found.end
    if end < len(text) and text[end] in _MYRIADS and found.after is None:
        return _myriads(text, found, amount)
    if found.before is None and found.after is None and (cents := _CENT.match(text, end)):
        found.end = cents.end()
        found.after = _CENT_MARKS["cent" if cents["cent"] else "ct"]
        return amount / 100
    if found.after is None and (factor := _MULTIPLIER.match(text, end)):
        trailed = mark_after(text, factor.end())
        if factor["lakh"] == "L" and not (found.before and found.before.meant("INR") == "INR"):
            return amount  # ₹85 L are lakhs, €5 L are litres
        if found.before or trailed:
            found.end = factor.end()
            if trailed and not (found.before and _starts_number(text, trailed[2])):
                found.after, _, found.end = trailed
            return bounded(amount * _MULTIPLIED[factor.lastgroup or "k"])
    return amount


def _myriads(text: str, found: _Seen, amount: Decimal) -> Decimal | None:
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


_DASH_MARK = Mark(None, frozenset(DASHED.split()))
_CENT_MARKS = {
    "cent": Mark("USD", frozenset({"USD", "CAD", "AUD"})),
    "ct": Mark("EUR", frozenset({"EUR", "USD", "AUD", "CAD", "CHF"})),
}


def _is_negative(text: str, at: int, start: int) -> bool:
    """A minus directly at the digits or at their mark, that no word and no other price leads up to."""
    return _minus_before(text, at) or (start < at and _minus_before(text, start))


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


_SYMBOLS = frozenset("\u20ac$\u00a3\u00a5\u20b9")


def _currency(text: str, found: _Seen, hint: str | None) -> str | None:
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


def _yen_or_yuan(text: str, found: _Seen) -> str:
    """¥ is the yen, unless decimals or the words around say yuan: Japanese prices have no decimals and come with kana."""
    around = text[max(0, found.start - 30) : found.end + 30]
    if any("\u3040" <= sign <= "\u30ff" or sign in "円込抜" for sign in around):
        return "JPY"
    if re.search(r"[.\uff0e]\d{1,2}$", found.token) or re.search(r"元|人民|RMB|CNY|起|券|价|包邮|[\u4e00-\u9fff]", around):
        return "CNY"
    return "JPY"


def _spans(text: str, seen: list[_Seen], hint: str | None, *, weak: bool) -> list[PriceSpan]:
    spans: list[PriceSpan] = []
    last_end = 0
    for position, found in enumerate(seen):
        previous = seen[position - 1] if position else None
        following = seen[position + 1] if position + 1 < len(seen) else None
        mark = found.before or found.after
        inherited = None
        after_range = previous is not None and previous.is_range and found.start - previous.end <= 5
        if mark is None and found.is_range and following is not None and following.after and following.start - found.end <= 5:
            inherited = following.after  # 10-20 €
        elif mark is None and after_range and previous is not None and (previous.before or previous.after):
            inherited = previous.before or previous.after  # $10-20
        if (mark is None and inherited is None) or found.negative or found.glued:
            continue
        if mark is not None and not weak and (_is_doubtful(found) or _is_in_a_name(text, found)):
            continue
        if inherited is not None:
            currency = inherited.meant(hint)
        else:
            currency = _currency(text, found, hint)
            if found.before is not None and currency is None and after_range and spans:
                currency = spans[-1].price.currency
        role: Role = role_of(text, found.start, found.end, after=last_end)
        if after_range and spans and spans[-1].role in ("price", "from", "high"):
            role = "high"
        spans.append(PriceSpan(price=Price(found.amount, currency), start=found.start, end=found.end, role=role))
        last_end = said_after(text, found.end)[1]
    return _told_again(spans)


def _told_again(spans: list[PriceSpan]) -> list[PriceSpan]:
    """The spans, an amount that is called the old price elsewhere old wherever it stands, unless no other is asked."""
    old = {span.price for span in spans if span.role == "old"}
    if not old or not any(span.role == "price" and span.price not in old for span in spans):
        return spans
    return [structs.replace(span, role="old") if span.role == "price" and span.price in old else span for span in spans]


def _is_doubtful(found: _Seen) -> bool:
    """Only a weak mark says money, and the number does not look like it."""
    marks = [mark for mark in (found.before, found.after) if mark]
    if marks == [_DASH_MARK]:
        return found.amount < 10  # "1.- Introduction" is a list
    return all(mark.weak for mark in marks) and not (found.has_decimals or re.search(r"\d[., ]\d{3}", found.token))


def _is_in_a_name(text: str, found: _Seen) -> bool:
    """Whether letters and digits make one name: crc32, bs4, fr_FR.88591, libfoo 1 dh_install."""
    if text[found.end : found.end + 1] == "_" or text[max(0, found.start - 1) : found.start] == "_":
        return True
    if found.before is None:
        before = text[max(0, found.at - 1) : found.at]
        named = before.isalpha() and before.isascii() and not found.has_decimals
        return named and found.after is not None and found.after.word
    lead = text[found.start : found.at]
    glued = found.before.word and lead.isascii() and lead[-1:].isalpha()
    plain = not found.has_decimals and len(found.token) <= 2
    return glued and plain and (lead.islower() or found.amount < 10) and lead.casefold() not in _GLUED


_GLUED = frozenset(("kr", "rs", "rm", "rp", "chf", "eur", "usd", "gbp"))


def _bare(text: str, seen: list[_Seen], hint: str | None) -> Price | None:
    """A number without any mark is a price only where nothing but words about prices stands around it."""
    if not seen or seen[0].negative or seen[0].glued or len(seen) > 2 or (len(seen) == 2 and not seen[0].is_range):
        return None
    first = seen[0]
    lead = text[max(0, first.at - 1) : first.at + 2].lstrip()
    numbered = lead[:1] in ("+", "#", "(") or (re.match(r"0\d", lead) and not re.fullmatch(r"0+[.,]\d\d", first.token))
    if numbered or (len(seen) == 2 and "-" in text and len(first.token) == 4):
        return None
    rest = text[: first.at] + " " + text[first.end :]
    if len(_NUMBER.findall(rest)) != len(seen) - 1 or re.search(r"[%#@=<>{}\[\]\\^|]", rest):
        return None
    if all(word.casefold() in PRICE_WORDS for word in _WORD.findall(rest)):
        return Price(first.amount, hint)
    return None
