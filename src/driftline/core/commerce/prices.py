"""Finds prices in text: every amount with its currency, position and role (the price, the old price, a saving, ...)."""

from __future__ import annotations

import html
import re
from decimal import Decimal
from typing import Final

import msgspec
from msgspec import structs

from driftline.core.commerce.amounts import NUMBER
from driftline.core.commerce.currency_symbols import currency_code, look_up
from driftline.core.commerce.currency_words import may_name_a_currency
from driftline.core.commerce.lookalikes import is_no_price, looks_like_money
from driftline.core.commerce.number_scan import DASH_MARK, NumberSeen, currency_of, numbers, with_split_prices_joined
from driftline.core.commerce.price_roles import Role, end_of_role_words, is_taxed, role_of, words_about_prices
from driftline.core.lexicon import any_of, word_set
from driftline.core.text.folding import without_invisible
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

_A_DIGIT: Final = re.compile(r"\d")
_TWO_POINTS: Final = re.compile(r"(?<=[^\w\s.])\.\.(?=\d\d(?!\d))")  # $..75
_SHORT = 1_000  # characters of a text that states a price; what comes later is another text
_PENCE = re.compile(r"(?<![\w.,])(\d{1,2})\s?p(?![\w.])")
# Roles that can be the price of a short text, the best first.
_ROLE_ORDER: Final = {
    role: place for place, role in enumerate(("price", "from", "net", "bundle", "unit", "installment", "hourly", "old"))
}
_WORD = re.compile(r"[^\W\d_]+")
_PERCENT = re.compile(
    r"[-–−+]?\s?\d{1,3}(?:[.,]\d+)?\s?(?:%|(?:percent|per cent|prozent|pour cent|por ciento|procent)\b)|%\d{1,2}(?!\d)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z]{3})(?=[A-Z][a-z])")  # USDSale price: the space was made by styles
_ADJACENT = re.compile(r"¤(?:[\s()/|*-]*¤)+")
_ARTEFACT = re.compile(r"(?<!\w)(?:undefined|null|NaN)(?!\w)")  # what a script wrote where it had nothing
_PLUS_SENDING = lazy_regex(  # 559.99 zzgl. Versand
    lambda: rf"(?<!\w)(?:{any_of('tax.without')})\.?\s(?:{any_of('price.sent')})(?!\w)", re.IGNORECASE
)
_SHARE = re.compile(r"(?<![\d.,])(\d{1,2})(?:[.,]\d{1,2})?\s?%|%(\d{1,2})(?![\d.,])")  # -30 %, -30,00%, %30
_SUBSCRIBED = lazy_regex(lambda: rf"{any_of('price.subscribed')}|\babo(?:nnement|nnieren)?\b|assin(?:e|atura)\b", re.IGNORECASE)
_ROUNDED = Decimal("0.012")  # discounts are stated in whole percent
_TAXES = (Decimal("1.02"), Decimal("1.28"))  # factors between prices without and with tax


class Price(msgspec.Struct, frozen=True):
    """An exact amount of money."""

    amount: Decimal
    currency: str | None  # ISO 4217; None: not stated


class PriceSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A price in a text."""

    price: Price
    start: int  # offset of the amount with its currency mark
    end: int
    role: Role = "price"  # high: the upper end of a range; net: without tax; extra: shipping, a deposit, a threshold; ...


def parse_price(text: str, *, currency: str | None = None) -> Price | None:
    """The price that a short text states, or None; `currency` decides what `$` and `kr` mean and what a bare number is in.

    >>> parse_price("1.299,00 EUR")
    Price(amount=Decimal('1299.00'), currency='EUR')
    """
    text = _ARTEFACT.sub(" ", _TWO_POINTS.sub(" .", _on_one_line(without_invisible(html.unescape(text[:_SHORT])))))
    text = with_split_prices_joined(text)
    if is_free(text):
        return Price(Decimal(0), currency)
    if (
        currency is None
        and _PENCE.search(text)
        and all(word.casefold() in word_set("price.word") or word in "pP" for word in _WORD.findall(text))
    ):
        text, currency = _PENCE.sub(r"\1p", text), "GBP"
    seen = numbers(text, currency)
    spans = _spans(text, seen, currency, weak=True)
    if not spans:
        return _bare(text, seen, currency)
    candidates = sorted((span for span in spans if span.role in _ROLE_ORDER), key=lambda span: _ROLE_ORDER[span.role])
    if not candidates:
        return None
    if candidates[0].role == "price" and not candidates[0].price.amount:  # Was $12 Now $0.00
        return next((span.price for span in candidates if span.price.amount), candidates[0].price)
    return candidates[0].price


def is_free(text: str) -> bool:
    """Whether a text says that a thing costs nothing, and nothing else."""
    return text.strip(" \t\n\r.!*").casefold() in word_set("price.free")


def find_prices(text: str, *, currency: str | None = None) -> list[PriceSpan]:
    """Every amount of money with a currency in a text, in order."""
    return list(_found(text, currency)) if _A_DIGIT.search(text) and may_name_a_currency(text) else []


@short_cache(4096)  # a listing repeats the same texts
def _found(text: str, currency: str | None) -> tuple[PriceSpan, ...]:
    text = with_split_prices_joined(text)
    return tuple(_spans(text, numbers(text, currency, bare=False), currency, weak=False))


def without_prices(text: str, *, currency: str | None = None) -> str:
    """The text with a placeholder for each price and percentage, one for several adjacent ones."""
    parts: list[str] = []
    at = 0
    for span in find_prices(text, currency=currency):
        parts += (text[at : span.start], "¤")
        at = max(at, span.end)
    return _ADJACENT.sub("¤", _PERCENT.sub("¤", "".join((*parts, text[at:]))))


def is_only_about_prices(text: str, *, currency: str | None = None) -> bool:
    """Whether a text consists only of prices, discounts and words about them."""
    rest = without_prices(text, currency=currency)
    if _A_DIGIT.search(rest):
        return False
    words = _WORD.findall(_RUN_ON.sub(" ", rest))
    return all(word.casefold() in words_about_prices() or currency_code(word) is not None for word in words)


def _on_one_line(text: str) -> str:
    """A text of a single price without words, joined to one line."""
    broken = "\n" in text and all(look_up(word) is not None for word in _WORD.findall(text))
    return " ".join(text.split()) if broken else text


def _spans(text: str, seen: list[NumberSeen], hint: str | None, *, weak: bool) -> list[PriceSpan]:
    spans: list[PriceSpan] = []
    last_end = 0
    counted: NumberSeen | None = None  # the last number that is a price
    for position, found in enumerate(seen):
        previous = seen[position - 1] if position else None
        following = seen[position + 1] if position + 1 < len(seen) else None
        mark = found.before or found.after
        inherited = None
        after_range = previous is not None and _is_range_between(previous, found)
        if mark is None and following is not None and following.after and _is_range_between(found, following):
            inherited = following.after  # 10-20 €
        elif mark is None and after_range and previous is not None and previous is counted:
            inherited = previous.before or previous.after  # $10-20
        if (mark is None and inherited is None) or found.negative or found.glued:
            continue
        doubtful = _is_lone_letter if weak else _is_doubtful
        if mark is not None and doubtful(text, found) and not _is_local_mark(text, found, hint):
            continue
        if mark is not None and not weak and is_no_price(text, found, hint):
            continue
        if inherited is not None:
            if inherited.weak and not weak and not looks_like_money(found):
                continue
            currency = inherited.meant(hint)
        else:
            currency = currency_of(text, found, hint)
            if found.before is not None and currency is None and after_range and spans:
                currency = spans[-1].price.currency
        role, said = role_of(text, found.start, found.end, after=last_end)
        if after_range and spans and spans[-1].role in ("price", "from", "high"):
            role = "high"
        spans.append(PriceSpan(price=Price(found.amount, currency), start=found.start, end=found.end, role=role))
        counted = found
        last_end = max(said, end_of_role_words(text, role, found.end))
    return _with_roles(text, spans) if len(spans) > 1 else spans


def _is_range_between(low: NumberSeen, high: NumberSeen) -> bool:
    """Whether only a range sign is between two numbers."""
    return low.leads_to != 0 and 0 <= high.start - low.leads_to <= 1


def _with_roles(text: str, spans: list[PriceSpan]) -> list[PriceSpan]:
    """The spans, with what they say of each other.

    An amount that is called old elsewhere is old wherever it stands, as is the higher of two where a discount leads from it to
    the lower; the lower of two is net where the higher has the tax in it.
    """
    old = {span.price for span in spans if span.role == "old"}
    candidates = [span for span in spans if span.role == "price" and span.price not in old]
    if old and candidates:
        return [_with_role(span, "old") if span.role == "price" and span.price in old else span for span in spans]
    if len(candidates) == 2 and candidates[0].price.currency == candidates[1].price.currency:
        first, second = candidates
        savings = [span.price.amount for span in spans if span.role == "saving"]
        if (before := price_before_reduction([first.price.amount, second.price.amount], text, savings)) is not None:
            return [_with_role(span, "old") if span.role == "price" and span.price.amount == before else span for span in spans]
        taxed = is_taxed(text, second.start, second.end) and not is_taxed(text, first.start, first.end)
        if taxed and _TAXES[0] * first.price.amount < second.price.amount < _TAXES[1] * first.price.amount:
            return [_with_role(span, "net") if span is first else span for span in spans]
    return spans


def price_before_reduction(amounts: list[Decimal], text: str, savings: list[Decimal]) -> Decimal | None:
    """The price before a reduction: the higher of two, if a discount or saving in the text explains the difference."""
    low, high = min(amounts), max(amounts)
    if len(amounts) != 2 or low == high or _SUBSCRIBED.search(text):  # without the subscription, the higher one is paid
        return None
    shares = (Decimal(before or behind) / 100 for before, behind in _SHARE.findall(text))
    if high - low in savings or any(abs(high * (1 - share) - low) <= high * _ROUNDED for share in shares):
        return high
    return None


def _with_role(span: PriceSpan, role: Role) -> PriceSpan:
    return structs.replace(span, role=role)


def _is_local_mark(text: str, found: NumberSeen, hint: str | None) -> bool:
    """Whether a weak mark is that of the page's own country and the line has no other text: R129, 129 KM."""
    if hint is None or currency_of(text, found, hint) != hint:
        return False
    start, end = text.rfind("\n", 0, found.start) + 1, text.find("\n", found.end)
    rest = text[start : found.start] + text[found.end : end if end >= 0 else len(text)]
    return not any(map(str.isdecimal, rest)) and all(word.casefold() in word_set("price.word") for word in _WORD.findall(rest))


def _is_doubtful(_text: str, found: NumberSeen) -> bool:
    """Whether only a weak mark indicates money and the number does not look like it."""
    marks = [mark for mark in (found.before, found.after) if mark]
    if marks == [DASH_MARK]:
        return found.amount < 10  # "1.- Introduction" is a list
    if not all(mark.weak for mark in marks):
        return False
    if found.before is None:  # 125.000 KM are a distance, 125,00 KM a price
        return found.amount.as_tuple().exponent != -2 and not found.dashed
    return all(mark.alone for mark in marks) or not looks_like_money(found)


def _is_lone_letter(text: str, found: NumberSeen) -> bool:
    """Whether only a letter or two indicate money and the number does not look like it: N95, 4K."""
    if looks_like_money(found) or not all(mark is None or mark.alone for mark in (found.before, found.after)):
        return False
    return re.fullmatch(r"[^\W\d_]{2,3}\s\d+|\d+\s[^\W\d_]{2,3}", text.strip()) is None


def _is_same_with_tax(text: str, seen: list[NumberSeen]) -> bool:
    """Whether the second of two numbers is the first with tax, and says so: 34.12 (40.94 inc VAT)."""
    net, gross = seen[0].amount, seen[1].amount
    return _TAXES[0] * net < gross < _TAXES[1] * net and is_taxed(text, seen[1].start, seen[1].end)


def _bare(text: str, seen: list[NumberSeen], hint: str | None) -> Price | None:
    """A number without a mark is a price only if all words around it are about prices."""
    if not 1 <= len(seen) <= 2 or seen[0].marked or seen[0].negative or seen[0].glued:
        return None
    first = seen[0]
    if (
        len(seen) == 2
        and not (_is_range_between(first, seen[1]) and first.amount < seen[1].amount)
        and not _is_same_with_tax(text, seen)
        and not (first.has_decimals and first.amount == seen[1].amount)
    ):
        return None  # 25-09
    lead = text[max(0, first.at - 1) : first.at + 2].lstrip()
    numbered = lead[:1] in ("+", "#", "(") or (re.match(r"0\d", lead) and not re.fullmatch(r"0+[.,]\d\d", first.token))
    counted = "+" in text and not first.has_decimals  # 4+
    if numbered or counted or (len(seen) == 2 and "-" in text and len(first.token) == 4):
        return None
    rest = text[: first.at] + " " + _PLUS_SENDING.sub(" ", text[first.end :])
    if len(re.findall(NUMBER, rest)) != len(seen) - 1 or re.search(r"[%#@=<>{}\[\]\\^|\"″”°]", rest):
        return None
    if all(word.casefold() in word_set("price.word") for word in _WORD.findall(rest)):
        return Price(first.amount, hint)
    return None
