"""The org, its users, their sessions and tokens."""
