"""Booking pages: checks each date for slots that open."""
