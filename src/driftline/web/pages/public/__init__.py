"""Pages that need no account, and error pages."""
