"""Slots on pages of HTML."""
