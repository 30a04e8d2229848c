"""Watches and their leases as rows."""
