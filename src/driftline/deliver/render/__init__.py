"""Renders messages in the formats that channels need."""
