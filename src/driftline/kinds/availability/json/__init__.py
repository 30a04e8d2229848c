"""Slots in JSON answers."""
