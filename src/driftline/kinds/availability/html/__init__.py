"""Reads slots from HTML pages."""
