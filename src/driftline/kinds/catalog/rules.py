"""The rules of a catalog watch; without any, a listing is read automatically."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import ClassVar, Final

import msgspec

from driftline.core.commerce.amounts import from_plain
from driftline.core.commerce.currencies import CODES
from driftline.core.select.selectors import parse_selector
from driftline.errors import BadRule
from driftline.kinds.kind import Rules

MAX_PAGES: Final = 500
MAX_OPTIONS: Final = 50
_ATTRIBUTE: Final = re.compile(r"(?P<selector>.*?)@(?P<attribute>[\w:-]+)")
_PATH: Final = re.compile(r"\{(\$[^{}]*)\}")  # in a template
_CHANGE: Final = re.compile(r"(?P<amount>\d+(?:\.\d+)?)\s*(?P<percent>%?)")


class CardFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a card has what: a CSS selector inside the card, `selector@attribute`, or a JSONPath where the listing is JSON.

    A field that is not named is found automatically in HTML, and is unknown in JSON.
    """

    url: str | None = None  # in JSON also a template: https://shop.example/p/{$.slug}
    title: str | None = None
    price: str | None = None
    currency: str | None = None
    stock: str | None = None  # text, availability or a number of pieces
    image: str | None = None
    extra: dict[str, str] = {}

    def all(self) -> list[str]:
        """Every field that is set."""
        named = (self.url, self.title, self.price, self.currency, self.stock, self.image, *self.extra.values())
        return [text for text in named if text is not None]


class Pages(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How to find the next page of a listing; by default rel=next is followed."""

    next: str | None = None  # a CSS selector of the link, or a JSONPath of the next URL; "none": one page only
    parameter: str | None = None  # a number in the URL's query, counted up until a page is empty
    start: int = 1  # the parameter's value on the first page
    step: int = 1
    limit: int = 50  # pages at most


class CatalogRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules of a catalog watch."""

    judging: ClassVar[frozenset[str]] = Rules.judging | {"min_price_change", "price_below", "cooldown_for"}

    card: str | None = None  # CSS of one product's element, or the JSONPath of the list; None: automatic
    fields: CardFields = CardFields()
    pages: Pages = Pages()
    scope: str | None = None  # the shop; None: the URL's registrable host
    currency: str | None = None  # the currency of `$`, `kr` and bare numbers
    options: tuple[str, ...] = ()  # only these variants, by size or colour: "42", "Black"; none: all
    sold_out: tuple[str, ...] = ()  # further phrases
    in_stock: tuple[str, ...] = ()
    unmarked_in_stock: bool = False  # a card with a price and no word about stock is in stock: the shop marks sold-out ones
    min_price_change: str | None = None  # "0.50" or "5%": smaller price changes are muted
    price_below: str | None = None  # price changes that end at or above it are muted
    cooldown_for: float = 0.0  # seconds within which a reverting change is recorded and not sent

    def selectors(self) -> tuple[str, ...]:
        """The selectors of the cards, their fields and the next page."""
        following = self.pages.next if self.pages.next != "none" else None
        named = [text for text in (self.card, following) if text is not None]
        if is_json(self):
            fields = [path for text in self.fields.all() for path in _PATH.findall(text) or [text]]
        else:
            fields = [selector for text in self.fields.all() if (selector := selector_of(text)[0])]
        return (*named, *fields)


def check(rules: CatalogRules) -> None:
    """Raise BadRule for values that types cannot refuse."""
    if rules.card is not None:
        parse_selector(rules.card)
    json = is_json(rules)
    for text in rules.fields.all():
        _check_field(text, json=json)
    _check_pages(rules.pages, json=json)
    if rules.currency is not None and rules.currency not in CODES:
        raise BadRule("unknown currency", currency=rules.currency, hint="use an ISO 4217 code such as EUR")
    if rules.min_price_change is not None:
        threshold_of(rules.min_price_change)
    if rules.price_below is not None and from_plain(rules.price_below) is None:
        raise BadRule("invalid price_below", price_below=rules.price_below, hint='write it as "99.90"')
    if not 0 <= rules.cooldown_for <= 2 * 86_400:
        raise BadRule("cooldown_for is out of range", cooldown_for=rules.cooldown_for, hint="seconds, at most 2 days")
    if len(rules.options) > MAX_OPTIONS or any(not 1 <= len(option.strip()) <= 80 for option in rules.options):
        raise BadRule("invalid options", hint=f"name at most {MAX_OPTIONS} sizes or colours, of 1 to 80 characters")
    if rules.scope is not None and not 1 <= len(rules.scope) <= 200:
        raise BadRule("invalid scope", length=len(rules.scope), hint="use 1 to 200 characters")


def is_json(rules: CatalogRules) -> bool:
    """Whether the listing is a JSON endpoint."""
    return rules.card is not None and rules.card.strip().startswith(("$", "json:", "jsonpath:"))


def selector_of(text: str) -> tuple[str, str | None]:
    """The selector and the attribute of `a.more@href`."""
    found = _ATTRIBUTE.fullmatch(text.strip())
    return (found["selector"].strip(), found["attribute"]) if found else (text.strip(), None)


def threshold_of(text: str) -> tuple[Decimal, bool]:
    """The smallest change that counts: an amount, and whether it is in percent."""
    found = _CHANGE.fullmatch(text.strip())
    amount = from_plain(found["amount"]) if found else None
    if found is None or amount is None:
        raise BadRule("invalid min_price_change", min_price_change=text, hint='write it as "0.50" or "5%"')
    return amount, bool(found["percent"])


def _check_field(text: str, *, json: bool) -> None:
    if json:
        for path in _PATH.findall(text) or [text]:
            _check_path(path)
        return
    selector, _ = selector_of(text)
    if selector and parse_selector(selector).language != "css":
        raise BadRule("the fields of a card are CSS selectors", selector=text, hint="write .title, or a@href for an attribute")


def _check_path(text: str) -> None:
    from driftline.core.select.jsonpath import compile_path  # noqa: PLC0415 - slow to load, and cards of pages need these rules too

    compile_path(text)


def _check_pages(pages: Pages, *, json: bool) -> None:
    if not 1 <= pages.limit <= MAX_PAGES:
        raise BadRule("the page limit is out of range", limit=pages.limit, hint=f"1 to {MAX_PAGES}")
    if pages.next is not None and pages.parameter is not None:
        raise BadRule("use only one of `next` and `parameter`", hint="leave out `next` or `parameter`")
    if pages.parameter is not None and not re.fullmatch(r"[\w.\[\]-]{1,60}", pages.parameter):
        raise BadRule("invalid page parameter", parameter=pages.parameter)
    if not 0 <= pages.start <= 1_000_000 or not 1 <= pages.step <= 100_000:
        raise BadRule("invalid page numbers", start=pages.start, step=pages.step)
    if pages.next is not None and pages.next != "none":
        if json:
            _check_path(pages.next)
        else:
            parse_selector(pages.next)
