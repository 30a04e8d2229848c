"""The catalog kind: the products of a shop's listing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final
from uuid import UUID

import msgspec

from driftline.core.urls import registrable_host
from driftline.errors import StoreCorrupt
from driftline.kinds.catalog import judging
from driftline.kinds.catalog.feeds import is_data
from driftline.kinds.catalog.json_listing import read_data, read_json
from driftline.kinds.catalog.listing import page_number, read_listing, with_page
from driftline.kinds.catalog.product import Product, canonical
from driftline.kinds.catalog.rows import collapse
from driftline.kinds.catalog.rules import CatalogRules, check, is_json
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Target, Verdict, whole_or_nothing
from driftline.model.account import Features
from driftline.model.change import Notice
from driftline.model.delta import Delta
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.item import Mask
from driftline.model.watch import Watch

_DECODER: Final = msgspec.json.Decoder(Product)
_GONE: Final = frozenset({404, 410, 416})  # what a page number behind the last one answers


class CatalogKind:
    """Products by URL within a shop. A listing is never exhaustive: what it does not show may still be for sale."""

    name: ClassVar[str] = "catalog"
    version: ClassVar[int] = 3  # 3: addresses without what is of the link, more words about stock
    rules: ClassVar[type[CatalogRules]] = CatalogRules
    exhaustive: ClassVar[bool] = False
    singular: ClassVar[bool] = False
    keeps_partial: ClassVar[bool] = False
    robots: ClassVar[bool] = True
    keeps_body: ClassVar[bool] = False
    streams: ClassVar[bool] = False

    def check_rules(self, rules: CatalogRules) -> None:
        """Refuse what cannot be asked or read."""
        check(rules)

    def scope(self, watch_id: UUID, url: str, rules: CatalogRules) -> str:  # noqa: ARG002 - the protocol's
        """The shop: watches of one shop share products."""
        return f"shop:{rules.scope or registrable_host(url)}"

    def expand(self, watch: Watch, rules: CatalogRules, *, at: datetime) -> None:
        """A listing has no children."""

    def requests(self, target: Target, rules: CatalogRules) -> Sequence[Request]:
        """The first page."""
        url = with_page(target.url, rules, 1) if rules.pages.parameter is not None else target.url
        return (Request(url=url),)

    def sight(self, answers: Sequence[Fetched], rules: CatalogRules) -> None:
        """None: products are shared with other watches."""

    def read(self, got: Fetched, rules: CatalogRules, hint: Hint | None) -> Reading[Product]:  # noqa: ARG002 - the protocol's
        """The products of one page of the listing, and the page after it."""
        if is_json(rules):
            return read_json(got, rules)
        return read_data(got, rules) if rules.card is None and is_data(got.body) else read_listing(got, rules)

    def combine(self, parts: Sequence[Part[Product]], rules: CatalogRules) -> Reading[Product]:
        """All pages as one reading: a page that could not be read makes the run partial, never completed."""
        numbered = rules.pages.parameter is not None
        whole = whole_or_nothing([part for part in parts if not (numbered and _is_behind_the_end(part))])
        items, notices = collapse(whole.items)
        if whole.outcome is not None and any(isinstance(part.got, Reading) and part.got.items for part in parts):
            whole.outcome, whole.reason = None, whole.reason or "a page of the listing could not be read"
        last = max((page_number(part.request) for part in parts), default=1)
        if last >= rules.pages.limit > 1:
            notices += (Notice(code="page_limit", message="the listing was read up to the page limit", count=last),)
        whole.items, whole.warnings, whole.counters["total"] = items, whole.warnings + notices, len(items)
        return whole

    def canonical(self, state: Product) -> bytes:
        """Title, price, currency, stock and free fields; images and memory are not compared."""
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
        """The five changes."""
        return judging.judge(before, after, rules, at=at)

    def wanted(self, before: Baseline[Product], after: Delta[Product], rules: CatalogRules) -> Sequence[Request]:  # noqa: ARG002 - part of the protocol
        """Nothing more."""
        return ()

    def learn(self, one: Product, other: Product, rules: CatalogRules, *, evidence: str, at: datetime) -> Sequence[Mask]:  # noqa: ARG002
        """Nothing: price and stock are never noise."""
        return ()

    def pack(self, state: Product, features: Features) -> Packed:  # noqa: ARG002 - the same for every plan
        """The product as JSON."""
        return Packed(state=msgspec.json.encode(state))

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> Product:  # noqa: ARG002 - it has neither
        """The stored product, typed again."""
        try:
            return _DECODER.decode(state)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise StoreCorrupt("stored product does not decode", fault=str(fault)) from fault


def _is_behind_the_end(part: Part[Product]) -> bool:
    return isinstance(part.got, Failed) and part.got.status in _GONE and page_number(part.request) > 1


KIND: Final = CatalogKind()
