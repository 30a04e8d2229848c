"""The catalog kind: the products of a shop's listing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final

import msgspec

from driftline.core.identity.urls import registrable_host
from driftline.errors import StoreCorrupt
from driftline.kinds.catalog import judging
from driftline.kinds.catalog.listing.feeds import is_data
from driftline.kinds.catalog.listing.json_listing import read_data, read_json
from driftline.kinds.catalog.listing.page import read_listing
from driftline.kinds.catalog.listing.paging import is_found, page_number, with_page
from driftline.kinds.catalog.product import Product, canonical, code_of
from driftline.kinds.catalog.push.rows import collapse
from driftline.kinds.catalog.rules import CatalogRules, check, is_json
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Target, Traits, Verdict, whole_or_nothing
from driftline.kinds.unreadable import needs_browser, no_text
from driftline.model.account import Features
from driftline.model.change import Notice
from driftline.model.condition import Subject
from driftline.model.delta import Delta
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.noise.mask import Mask

_DECODER: Final = msgspec.json.Decoder(Product)
_NO_PAGE: Final = frozenset({404, 410, 416})  # status of a page number after the last one


SUBJECT: Final = Subject(
    kind="catalog",
    fields=("title", "price", "currency", "in_stock", "image", "extra"),
    quantities=("price", "number", "count", "status"),
)


class CatalogKind:
    """Products by URL within a shop. A listing is never exhaustive: a product that it does not show may still be for sale."""

    name: ClassVar[str] = "catalog"
    version: ClassVar[int] = 7  # 7: names and prices of more shops, 0.00 is not stated
    rules: ClassVar[type[CatalogRules]] = CatalogRules
    traits: ClassVar[Traits] = Traits(obeys_robots=True, subject=SUBJECT)

    def check_rules(self, rules: CatalogRules) -> None:
        """Refuse invalid rules."""
        check(rules)

    def scope(self, url: str, rules: CatalogRules) -> str:
        """The shop: its watches share products."""
        return f"shop:{rules.scope or registrable_host(url)}"

    def code(self, state: Product) -> str:
        """Its GTIN, or its brand and part number."""
        return code_of(state)

    def requests(self, target: Target, rules: CatalogRules) -> Sequence[Request]:
        """The first page."""
        url = with_page(target.url, rules, 1) if rules.pages.parameter is not None else target.url
        return (Request(url=url),)

    def read(self, got: Fetched, rules: CatalogRules, hint: Hint | None) -> Reading[Product]:  # noqa: ARG002 - the protocol's
        """The products of one page of the listing, and the page after it."""
        if is_json(rules):
            return read_json(got, rules)
        if rules.card is None and is_data(got.body):
            return read_data(got, rules)
        reading = no_text(got) or read_listing(got, rules)
        return (needs_browser(got) if reading.outcome == "selector_missing" else None) or reading

    def combine(self, parts: Sequence[Part[Product]], rules: CatalogRules) -> Reading[Product]:
        """All pages as one reading: a page that could not be read makes the run partial."""
        numbered = rules.pages.parameter is not None
        whole = whole_or_nothing(
            [part for part in parts if not ((numbered or is_found(part.request)) and _is_after_last_page(part))]
        )
        items, notices = collapse(whole.items)
        if whole.outcome is not None and any(isinstance(part.got, Reading) and part.got.items for part in parts):
            whole.outcome, whole.reason = None, whole.reason or "a page of the listing could not be read"
        last = max((page_number(part.request) for part in parts), default=1)
        if last >= rules.pages.limit > 1:
            notices += (Notice(code="page_limit", message="the listing was read up to the page limit", count=last),)
        whole.items, whole.warnings, whole.counters["total"] = items, whole.warnings + notices, len(items)
        return whole

    def canonical(self, state: Product) -> bytes:
        """Title, price, currency, stock and free fields; images and remembered values are not compared."""
        return canonical(state)

    def judge(
        self,
        before: Baseline[Product],
        after: Delta[Product],
        rules: CatalogRules,
        masks: Sequence[Mask],  # noqa: ARG002 - the protocol's
        *,
        at: datetime,
    ) -> Verdict:
        """New products, price changes and stock changes."""
        return judging.judge(before, after, rules, at=at)

    def summary(self, states: Sequence[Product]) -> str:
        """The number of products, their currencies, and for how many the stock is known."""
        currencies = [code for code, _ in Counter(one.currency for one in states if one.price).most_common() if code]
        priced = sum(one.price is not None for one in states)
        money = f"prices in {' and '.join(currencies[:3])}" if currencies else "prices" if priced else "no prices"
        of_some = f" for {priced}" if 0 < priced < len(states) else ""
        with_stock = sum(one.in_stock is not None for one in states)
        stock = f"stock known for {with_stock}" if with_stock else "stock not known"
        return f"{len(states)} product{'s' * (len(states) != 1)}, {money}{of_some}, {stock}"

    def pack(self, state: Product, features: Features) -> Packed:  # noqa: ARG002 - the same for every plan
        """The product as JSON."""
        return Packed(state=msgspec.json.encode(state))

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> Product:  # noqa: ARG002 - it has neither
        """The stored product, decoded."""
        try:
            return _DECODER.decode(state)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise StoreCorrupt("stored product does not decode", fault=str(fault)) from fault


def _is_after_last_page(part: Part[Product]) -> bool:
    return isinstance(part.got, Failed) and part.got.status in _NO_PAGE and page_number(part.request) > 1


KIND: Final = CatalogKind()
