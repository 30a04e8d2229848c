"""A kind and a channel for driftline."""
