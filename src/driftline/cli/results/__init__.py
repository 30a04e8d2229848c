"""Commands that show what was found, and why."""
