"""Slots that open: poll a booking board per bucket, tell drops."""
