"""The table of all change types: severity, label, and the kinds that report them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from driftline.model.change import Severity


class ChangeType(msgspec.Struct, frozen=True):
    """One row of the table."""

    severity: Severity  # unless the judge computes another, as with `content_severity`
    label: str  # for users, at the start of a line
    plural: str  # "3 new products"
    kinds: tuple[str, ...]  # that may report it
    health: bool = False  # about the watch, not its content: no item, no snapshot, no effect on the baseline


_EVERY = ("page", "catalog", "availability", "sitemap", "site")

CHANGE_TYPES: Mapping[str, ChangeType] = {
    "content": ChangeType("medium", "Content changed", "content changes", ("page",)),
    "visual": ChangeType("medium", "Looks different", "visual changes", ("page",)),
    "price_increase": ChangeType("high", "Price rose", "price increases", ("catalog", "page")),
    "price_decrease": ChangeType("high", "Price fell", "price decreases", ("catalog", "page")),
    "new_low": ChangeType("high", "Lowest in all shops", "lowest prices in all shops", ("catalog",)),
    "sold_out": ChangeType("high", "Sold out", "sold out", ("catalog", "page")),
    "back_in_stock": ChangeType("high", "Back in stock", "back in stock", ("catalog", "page")),
    "variant_back": ChangeType("high", "Variant back in stock", "variants back in stock", ("catalog",)),
    "variant_gone": ChangeType("medium", "Variant sold out", "variants sold out", ("catalog",)),
    "variant_price": ChangeType("medium", "Variant price", "prices of variants", ("catalog",)),
    "new_product": ChangeType("medium", "New product", "new products", ("catalog",)),
    "drop": ChangeType("high", "Just opened", "new slots", ("availability",)),
    "new_article": ChangeType("medium", "New article", "new articles", ("sitemap",)),
    "article_updated": ChangeType("low", "Article updated", "updated articles", ("sitemap",)),
    "article_removed": ChangeType("medium", "Article removed", "removed articles", ("sitemap",)),
    "page_added": ChangeType("medium", "New page", "new pages", ("site",)),
    "page_removed": ChangeType("medium", "Page removed", "removed pages", ("site",)),
    "blocked": ChangeType("high", "Blocked", "blocked", _EVERY, health=True),
    "selector_missing": ChangeType("medium", "Selected part is missing", "missing selections", _EVERY, health=True),
    "needs_browser": ChangeType("medium", "Needs a browser", "pages that need a browser", _EVERY, health=True),
    "step_failed": ChangeType("medium", "Step failed", "failed steps", _EVERY, health=True),
    "signed_out": ChangeType("high", "Signed out", "sessions that are signed out", _EVERY, health=True),
    "layout_changed": ChangeType("medium", "Layout changed", "changed layouts", _EVERY, health=True),
    "error": ChangeType("medium", "Failing", "failing checks", _EVERY, health=True),
    "recovered": ChangeType("low", "Recovered", "recovered", _EVERY, health=True),
}

_LARGE_BLOCK = 0.20  # share of the previous text
_SMALL_EDIT = 0.99  # similarity after one small edit
RANK: Mapping[Severity, int] = {"low": 0, "medium": 1, "high": 2}


class ContentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs for the severity of a `content` change."""

    similarity: float = 1.0  # of the whole text
    threshold: float = 0.90
    title: bool = False  # changed
    text: bool = False  # changed
    price_or_stock: bool = False  # changed
    removed_share: float = 0.0  # the largest removed block's share of the previous text, 0..1
    edits: int = 0  # text blocks or lines that were changed, added or removed
    links: int = 0  # added and removed
    images: int = 0  # added, removed, hero changed
    metadata: int = 0  # keys that differ


def content_severity(facts: ContentFacts) -> Severity:
    """`high` for what nobody should miss, `low` for small edits, a single link or image, or metadata alone, else `medium`."""
    if (
        facts.price_or_stock
        or facts.similarity < facts.threshold
        or (facts.title and facts.text)
        or facts.removed_share > _LARGE_BLOCK
    ):
        return "high"
    elsewhere = facts.links + facts.images
    if facts.title:
        return "medium"
    if facts.text:
        small = facts.edits <= 1 and facts.similarity >= _SMALL_EDIT and elsewhere == 0
        return "low" if small else "medium"
    return "low" if elsewhere <= 1 else "medium"


def worst(severities: list[Severity]) -> Severity:
    """The highest of them; `low` for none."""
    return max(severities, key=RANK.__getitem__, default="low")
