"""Reads what was stored: explains it, compares versions, replays it with other rules, takes feedback on it."""
