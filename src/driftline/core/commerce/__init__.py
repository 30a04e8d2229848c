"""Prices, stock, offers and buy buttons, for pages and catalogs alike."""
