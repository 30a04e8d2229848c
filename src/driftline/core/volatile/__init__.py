"""Regions that differ without anything having changed."""
