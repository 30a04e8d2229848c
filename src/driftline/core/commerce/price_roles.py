"""Words around prices: what makes an amount the old price, a saving, a unit price, an instalment, or nothing of the kind."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from driftline.core.lexicon import any_of, folded, word_set, words
from driftline.core.text.lazy_regex import lazy_regex

Role = Literal["price", "from", "high", "net", "old", "unit", "installment", "hourly", "bundle", "saving", "extra"]

# Phrases that end right before an amount, by what they make of it.
_LEADS: Final[tuple[Role, ...]] = ("old", "from", "net", "saving", "unit", "bundle", "installment", "extra")


_AMOUNT: Final = r"[:：\s]*[¥￥]?\d"  # 税込1,298円: the words lead to the next amount


def _tax(beside: str) -> str:
    share = r"\s?(?:\d{1,2}(?:[.,]\d)?\s?%\s?)?(?:of\s)?"
    return rf"(?:{beside}){share}(?:{any_of('tax.name')})\b"


NET_AFTER: Final = lazy_regex(
    lambda: (
        rf"[ \u00a0]{{0,2}}[(（]?\s?(?:{_tax(any_of('tax.without') + '|' + re.escape('+'))}|"
        rf"(?:{any_of('tax.net')})(?![^\W\d_])|(?:{any_of('tax.net_solid')})(?!{_AMOUNT}))(?!\.?\s?[:：])"
    ),
    re.IGNORECASE,
)
_GROSS_AFTER: Final = lazy_regex(
    lambda: (
        rf"\s{{0,2}}[(（]?\s?(?:{_tax(any_of('tax.with'))}|(?:{any_of('tax.gross')})(?![^\W\d_])|"
        rf"(?:{any_of('tax.gross_solid')})(?!{_AMOUNT}))"
    ),
    re.IGNORECASE,
)
_GROSS_LED: Final = lazy_regex(
    lambda: rf"(?:{any_of('tax.gross_solid')}|{_tax(any_of('tax.with'))}\.?|{any_of('tax.gross_before')})[\s:：(（]*\Z",
    re.IGNORECASE,
)
_LOOK: Final = 24  # characters before an amount


@cache
def _roles() -> dict[str, Role]:
    roles = {phrase: role for role in _LEADS for phrase in folded(f"price.{role}")}
    return roles | dict.fromkeys(folded("price.harmless"), "price")


@cache
def words_about_prices() -> frozenset[str]:
    """All words that may stand in a text which is only about prices."""
    talked = " ".join(phrase for phrase, role in _roles().items() if role not in ("installment", "extra"))
    return word_set("price.word", "price.talk") | frozenset(re.findall(r"[^\W\d_]+", talked))


@cache
def _lengths() -> dict[str, list[int]]:
    """How long the phrases are that end in a letter, the longest first."""
    lengths: dict[str, set[int]] = {}
    for phrase in _roles():
        lengths.setdefault(phrase[-1], set()).add(len(phrase))
    return {last: sorted(found, reverse=True) for last, found in lengths.items()}


_UNIT_LED = lazy_regex(lambda: rf"(?:\d\s?|[^\W\d_]\s|(?<![^\W\d_]))(?:{any_of('price.measure')})\s?=\Z", re.IGNORECASE)
_INSTALLMENT_LED = lazy_regex(
    lambda: rf"(?<!\d)\d{{1,3}}\s?(?:(?:{any_of('price.each_of')})\s?)?[x×]\s?(?:{any_of('price.times_of')})?\Z", re.IGNORECASE
)
_BUNDLE_LED = lazy_regex(lambda: rf"(?<![\w.,])\d{{1,2}}\s?(?:{any_of('price.for_several')}|/)(?: only| nur)?\Z", re.IGNORECASE)
_LEAD: Final = 64  # characters before an amount that may say what it is; a word in the patterns below is no longer
# Free shipping over 50 €: a threshold. Free shipping, 50 €: a price.
_FREE_LED = lazy_regex(
    lambda: rf"(?:{any_of('price.given', ending=_LETTERS)})\s\S+\Z|\S(?:{any_of('price.given_ending')})\Z", re.IGNORECASE
)
_LETTERS: Final = r"\w{0,64}"
_FLOOR_LED = lazy_regex(
    lambda: rf"(?:{any_of('price.sending', ending=_LETTERS)})\s(?:[\w'’-]{{1,20}}\s){{0,6}}(?:{any_of('price.over')})\Z",
    re.IGNORECASE,
)
# Free delivery on $35 of items, ships free with $35+: so, if what follows says so too.
_MAYBE_FLOOR_LED = lazy_regex(
    lambda: rf"(?:{any_of('price.sending', ending=_LETTERS)})(?:\s[\w'’-]{{1,20}}[,.]?){{0,6}}\Z", re.IGNORECASE
)
_FLOOR_AFTER = lazy_regex(lambda: rf"\s?\+|\s(?:{any_of('price.or_more')})\b", re.IGNORECASE)
_POINTS_LED = lazy_regex(lambda: rf"(?:{any_of('price.points')})\s(?:{any_of('price.points_for')})\Z", re.IGNORECASE)
_EARNED_LED = lazy_regex(lambda: rf"(?:^|\W)(?:{any_of('price.earn')})(?: up to| bis zu)?\Z", re.IGNORECASE)
_EARNED_AFTER = lazy_regex(
    lambda: rf"\s{{1,2}}(?:in |en )?(?:{any_of('price.reward')}|[\w'’]{{2,16}} (?:cash|bucks|rewards))(?![^\W\d_])",
    re.IGNORECASE,
)
_WITHIN_LED = lazy_regex(lambda: rf"(?:^|\W)(?:{any_of('price.within')}|\+)\.?\Z", re.IGNORECASE)
_DEPOSIT_AFTER = lazy_regex(
    lambda: rf"\s{{0,2}}\w{{0,12}}(?:{any_of('price.deposit')}|eco[ -]?(?:part|fee|tax)\w*)(?![^\W\d_])", re.IGNORECASE
)
_COUPON_AFTER = lazy_regex(
    lambda: rf"\s{{0,2}}(?:{any_of('price.with')})\s(?:[\w'’]+\s){{0,2}}(?:{any_of('price.coupon')})(?![^\W\d_])", re.IGNORECASE
)
_STILL: Final[dict[Role, re.Pattern[str]]] = {"saving": _COUPON_AFTER, "extra": _DEPOSIT_AFTER}
_SHARE_LED = lazy_regex(r"(?:\d\s?%|%\s?\d{1,2})\s?\w*(?:\s\w+){0,2}\Z")
_POR = lazy_regex(lambda: rf"\s*(?:{any_of('price.now_for')})\b", re.IGNORECASE)
_LOWEST_LED = lazy_regex(
    lambda: (
        rf"(?:{any_of('price.lowest')})[^\n]{{0,30}}(?<!\d)30(?!\d)[^\n\d]{{0,40}}\Z"
        rf"|(?<!\d)30[ -]?(?:{any_of('price.days')})[ -]?(?:{any_of('price.days_lowest')})[\w* -]{{0,24}}\Z"
    ),
    re.IGNORECASE,
)
_AFTER: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    (
        "unit",
        lazy_regex(
            lambda: (
                rf"\s{{0,2}}(?:/\s?|(?:{any_of('price.per')})\s)(?:\d{{1,4}}(?:[.,]\d+)?\s?)?"
                rf"(?:{any_of('price.measure')})(?![^\W\d_])"
            ),
            re.IGNORECASE,
        ),
    ),
    ("net", NET_AFTER),
    (
        "bundle",
        lazy_regex(
            lambda: (
                rf"\s{{0,2}}(?:{any_of('price.for_members')})"
                r"(?![^\W\d_]|\s{0,2}[:：]?\s?[^\w\s]?\d)"
            ),  # before an amount the words are said of that
            re.IGNORECASE,
        ),
    ),
    (
        "saving",
        lazy_regex(
            lambda: rf"\s{{0,2}}(?:off(?![^\W\d_])|value(?=\s*(?:\Z|[\n.,;)!]))|{any_of('price.saved')})", re.IGNORECASE
        ),
    ),
    (
        "installment",
        lazy_regex(
            lambda: (
                rf"\s{{0,2}}(?:(?:/|(?:{any_of('price.per_period')})(?![a-z]))\s?(?:{any_of('price.period')})(?![^\W\d_])|"
                rf"{any_of('price.monthly')}|[x×]\s?\d{{1,2}}(?!\d))"
            ),
            re.IGNORECASE,
        ),
    ),
    (
        "extra",
        lazy_regex(
            lambda: rf"\s{{0,2}}(?:{any_of('price.sent')})(?:\s(?:fee|costs?|charge))?(?=\s*(?:\Z|[\n.,;)|]))", re.IGNORECASE
        ),
    ),
    (
        "hourly",
        lazy_regex(
            lambda: (
                rf"\s{{0,2}}(?:(?:/|(?:{any_of('price.per_hour')})(?![a-z]))\s?(?:{any_of('price.hour')})\.?(?![^\W\d_])|"
                rf"{any_of('price.hourly')})"
            ),
            re.IGNORECASE,
        ),
    ),
    ("from", lazy_regex(lambda: rf"\s?(?:{any_of('price.from_after')}|[~～](?!\s?\S?\d))")),
)
_PUNCTUATION = " \t\n\u00a0\u202f\u3000:*(：（【[,"


def role_of(text: str, start: int, end: int, *, after: int) -> tuple[Role, int]:
    """What the amount at `start:end` is, by the words beside it and behind `after`, where the amount before ends.

    And where the words behind it end that say so.
    """
    role, said = role_after(text, end)
    return role or _led_to(text, start, end, after), said


def _led_to(text: str, start: int, end: int, after: int) -> Role:
    """The role that the words before an amount give it."""
    lead = text[max(after, start - _LEAD) : start].rstrip(_PUNCTUATION)
    if not lead:
        return "price"
    trail = text[end : end + 28]
    if (_WITHIN_LED.search(lead) and _DEPOSIT_AFTER.match(trail)) or (
        _FLOOR_AFTER.match(trail) and _MAYBE_FLOOR_LED.search(lead)
    ):
        return "extra"
    if _EARNED_AFTER.match(trail) and _EARNED_LED.search(lead):
        return "saving"
    role = _led(lead, trail)
    apart = text[:start][len(text[:start].rstrip(_PUNCTUATION)) :]
    badge = role == "saving" and "\n" in apart and ":" not in apart and lead.split()[-1].casefold() in word_set("price.badge")
    return "price" if badge else role


def role_after(text: str, end: int) -> tuple[Role | None, int]:
    """The role that the words right behind an amount give it, and where they end; they do not apply to the next amount."""
    trail = text[end : end + 28]
    if trail and not trail[0].isdigit():
        for role, pattern in _AFTER:
            if found := pattern.match(trail):
                return role, end + found.end()
    return None, end


def end_of_role_words(text: str, role: Role, end: int) -> int:
    """The end of the words behind an amount that still belong to its role: Save $5 with coupon, plus 0,25 € Pfand."""
    found = _STILL[role].match(text, end) if role in _STILL else None
    return found.end() if found else end


def _led(lead: str, trail: str) -> Role:
    if _LOWEST_LED.search(lead):
        return "old"
    if lead[-1] == "=":
        return "unit" if _UNIT_LED.search(lead) else "price"
    if _FLOOR_LED.search(lead) or _POINTS_LED.search(lead):
        return "extra"
    role = _phrase(lead.casefold())
    if role == "saving" and _SHARE_LED.search(lead):  # 20% discount $80
        return "price"
    if role == "extra" and _FREE_LED.search(lead):
        return "price"
    if role:
        return role
    if _INSTALLMENT_LED.search(lead):
        return "installment"
    if _BUNDLE_LED.search(lead):
        return "bundle"
    return "old" if lead[-3:].casefold() in (" de", "de", "\nde") and _POR.match(trail) else "price"  # de R$ 100 por R$ 80


def _phrase(lead: str) -> Role | None:
    """The role of the longest known phrase at the end of the lead, ignoring filler words."""
    if (role := _known(lead)) is not None:
        return role
    bare = lead
    for filler in words("price.filler"):
        bare = bare.removesuffix(f" {filler}")
    return _known(bare) if bare != lead else None


def _known(lead: str) -> Role | None:
    """The longest known phrase at the end of the lead, as whole words."""
    for length in _lengths().get(lead[-1:], ()):
        role = _roles().get(lead[-length:])
        if role and not (
            length < len(lead) and lead[-length].isalpha() and lead[-length - 1].isalpha() and lead[-length] < "\u3040"
        ):
            return role
    return None


def is_taxed(text: str, start: int, end: int) -> bool:
    """Whether the words beside the amount at `start:end` say that it includes tax."""
    return _GROSS_AFTER.match(text, end) is not None or _GROSS_LED.search(text[max(0, start - _LOOK) : start]) is not None
