"""Watches of an org, their tags, their activity and their runs."""
