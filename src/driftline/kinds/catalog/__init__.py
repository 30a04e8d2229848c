"""Catalogs: the products of a shop's listing, their prices and stock."""

from driftline.kinds.catalog.kind import CatalogKind

KIND = CatalogKind()

__all__ = ["KIND", "CatalogKind"]
