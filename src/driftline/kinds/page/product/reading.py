"""Price and stock of a page's product, read only where something calls for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from driftline.core.commerce.currencies import shared_sign_currency
from driftline.core.markup.structured import Thing
from driftline.kinds.page.extract.html import Extraction
from driftline.kinds.page.parsed import Classification, Offer
from driftline.kinds.page.product.classify import classify
from driftline.kinds.page.product.offers import offer_of, offer_within, price_candidates
from driftline.kinds.page.product.product_area import ProductArea
from driftline.kinds.page.rules import PageRules

_RUNNING: Final = 12_000  # characters of running text: a page with more of it sells nothing that it does not say in its head


class Sold(NamedTuple):
    """What a page sells."""

    candidates: tuple[str, ...] = ()
    offer: Offer = Offer()
    classification: Classification = Classification()
    others: frozenset[int] = frozenset()  # elements, by memory id, that suggest other products


def product_of(
    found: Extraction,
    rules: PageRules,
    texts: Sequence[str],
    things: Sequence[Thing],
    skip: Callable[[], frozenset[int]],  # elements, by memory id, whose prices are of others
    *,
    language: str,
    listed: int,
) -> Sold:
    """Structured data first; the text around the heading where a price or a product is spoken of."""
    running = sum(len(text) for text in texts if len(text) > 200)
    if running >= _RUNNING and not (things or rules.select):  # what such a text says of prices, nobody asks
        return Sold(classification=classify(things, found.head, "", listed=listed, texts=texts, area=ProductArea()))
    candidates = price_candidates(texts)
    named = b"roduct" in (found.tree.raw_html or b"")
    for_sale = (candidates or named) and not rules.select and running < _RUNNING
    area = ProductArea(found.tree.body, skip(), title=found.title) if for_sale else ProductArea()
    title = f"{found.title} {area.heading}" if things else ""  # by which a page's own product is known
    classification = classify(things, found.head, title, listed=listed, texts=texts, area=area)
    hint = shared_sign_currency(language, found.url)
    offer = offer_of(things, found.head, area, classification, title=title, candidates=candidates, hint=hint)
    others = area.suggested if classification.type == "product" and not rules.select else frozenset[int]()
    return Sold(candidates, offer_within(offer, texts) if rules.select else offer, classification, others)
