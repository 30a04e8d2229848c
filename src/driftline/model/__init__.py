"""Frozen values, shared by every part. No behaviour beyond what the values themselves say."""
