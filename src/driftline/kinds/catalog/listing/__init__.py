"""Reads a shop's listing: cards, feeds and JSON, by rules or without any."""
