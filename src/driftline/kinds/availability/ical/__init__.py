"""Slots in calendars."""
