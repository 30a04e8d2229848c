"""Reads slots from calendars."""
