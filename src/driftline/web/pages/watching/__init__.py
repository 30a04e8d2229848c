"""Watches: the list, one of them, adding and editing."""
