"""One run of a watch, end to end."""
