"""Reads slots from JSON."""
