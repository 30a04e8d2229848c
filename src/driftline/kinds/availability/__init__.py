"""Slots that open: poll a booking board per bucket, tell drops."""

from driftline.kinds.availability.kind import AvailabilityKind

KIND = AvailabilityKind()

__all__ = ["KIND", "AvailabilityKind"]
