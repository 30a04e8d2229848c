"""What type of page this is: by what it says of itself, then by its structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from driftline.core.markup.structured import Thing
from driftline.core.text.folding import title_key
from driftline.kinds.page.parsed import Classification, PageType
from driftline.kinds.page.product.product_area import ProductArea
from driftline.kinds.page.product.title_match import is_named

_PRODUCTS: Final = (
    "Product", "ProductGroup", "IndividualProduct", "Vehicle", "Car", "Motorcycle", "Book", "SoftwareApplication",
    "MobileApplication", "VideoGame",
)  # fmt: skip
_SCHEMA: dict[str, PageType] = {
    **dict.fromkeys(_PRODUCTS, "product"),
    **dict.fromkeys(("Article", "NewsArticle", "BlogPosting", "TechArticle", "Report", "ScholarlyArticle"), "article"),
    "JobPosting": "job",
    **dict.fromkeys(("ItemList", "CollectionPage", "SearchResultsPage", "OfferCatalog"), "listing"),
}  # fmt: skip
# Things under these belong to another thing on the page: its variants, and what it is compared with.
_OF_ANOTHER: Final = frozenset(
    "hasVariant isVariantOf isRelatedTo isSimilarTo isAccessoryOrSparePartFor isConsumableFor itemReviewed review".split()
)
_OPEN_GRAPH: dict[str, PageType] = {
    "product": "product",
    "og:product": "product",
    "product.item": "product",
    "article": "article",
}


def classify(
    things: Sequence[Thing],
    head: dict[str, str],
    title: str,
    *,
    listed: int,  # entries of lists
    texts: Sequence[str],
    area: ProductArea,
) -> Classification:
    """The type with how sure one can be: structured data 0.95, Open Graph 0.85, structure up to 0.7."""
    own = [thing for thing in things if _OF_ANOTHER.isdisjoint(thing.path)]
    said = [kind for thing in own for name in thing.types if (kind := _SCHEMA.get(name)) is not None]
    if said:
        if said.count("product") > 2 and not _is_about_one(own, title):
            return Classification("listing", 0.9)
        for kind in ("job", "product", "article", "listing"):
            if kind in said:
                return Classification(kind, 0.95 if kind != "listing" else 0.8)
    if any(key.startswith(("product:", "og:price")) for key in head):
        return Classification("product", 0.85)
    kind = _OPEN_GRAPH.get(head.get("og:type", "").lower())
    if kind is not None:
        return Classification(kind, 0.85)
    if "article:published_time" in head:
        return Classification("article", 0.8)
    entries = listed
    long_lines = sum(1 for text in texts if len(text) > 200)
    if area.sells:
        return Classification("product", 0.6)
    if entries >= 5 and long_lines < entries:
        return Classification("listing", min(0.7, 0.4 + entries / 50))
    if long_lines >= 3:
        return Classification("article", min(0.6, 0.3 + long_lines / 30))
    return Classification("other", 0.3)


def _is_about_one(things: Sequence[Thing], title: str) -> bool:
    """Whether the page is called after one of the products on it, or all but one stand in a list."""
    products = [thing for thing in things if any(_SCHEMA.get(name) == "product" for name in thing.types)]
    unlisted = [thing for thing in products if "itemListElement" not in thing.path]
    called = title_key(title)
    return 1 <= len(unlisted) <= 2 or sum(is_named(thing.text("name"), called) for thing in unlisted) == 1
