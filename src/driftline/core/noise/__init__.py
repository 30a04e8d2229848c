"""Lines that differ without anything having changed."""
