"""Makes foreign text safe to print, log, store and export."""
