"""What was found: runs, changes, items, versions, feeds."""
