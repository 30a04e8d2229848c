"""Driftline watches web sources and tells people, and programs, what really changed.

The library is pure: bytes in, values out, no network and no database.

    >>> import driftline
    >>> driftline.parse_price("1.299,00 EUR")
    Price(amount=Decimal('1299.00'), currency='EUR')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftline.catalogs import compare_catalog, read_catalog
    from driftline.core.commerce.prices import Price, parse_price
    from driftline.kinds.page.diff import PageDiff
    from driftline.kinds.page.parsed import ParsedPage
    from driftline.pages import compare_pages, read_page
    from driftline.sitemaps import compare_sitemaps, read_sitemap
    from driftline.slots import compare_slots, read_slots

__version__ = "0.1.0"

__all__ = [
    "PageDiff",
    "ParsedPage",
    "Price",
    "compare_catalog",
    "compare_pages",
    "compare_sitemaps",
    "compare_slots",
    "parse_price",
    "read_catalog",
    "read_page",
    "read_sitemap",
    "read_slots",
]

# Where each name lives; loaded when first used, so that importing driftline costs nothing.
_HOMES = {
    "PageDiff": "driftline.kinds.page.diff",
    "ParsedPage": "driftline.kinds.page.parsed",
    "Price": "driftline.core.commerce.prices",
    "compare_catalog": "driftline.catalogs",
    "compare_pages": "driftline.pages",
    "compare_sitemaps": "driftline.sitemaps",
    "compare_slots": "driftline.slots",
    "parse_price": "driftline.core.commerce.prices",
    "read_catalog": "driftline.catalogs",
    "read_page": "driftline.pages",
    "read_sitemap": "driftline.sitemaps",
    "read_slots": "driftline.slots",
}


def __getattr__(name: str) -> object:
    """A public name, from its home."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'driftline' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """What a prompt completes: all public names, loaded or not."""
    return [*__all__, "__version__"]
