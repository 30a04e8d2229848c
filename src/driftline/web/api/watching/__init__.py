"""Watches: added, changed, previewed, exported."""
