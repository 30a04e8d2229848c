"""What was found: changes, checks, items, versions, search."""
