"""Catalogs: the products of a shop's listing, their prices and stock."""
