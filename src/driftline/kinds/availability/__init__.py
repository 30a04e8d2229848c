"""Slots that open: poll a booking page per bucket, report drops."""
