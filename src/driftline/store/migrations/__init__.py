"""Alembic revisions, run by `store.migrate`."""
