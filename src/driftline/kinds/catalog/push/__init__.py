"""Reads the rows of pushed runs."""
