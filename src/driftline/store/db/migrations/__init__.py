"""Alembic revisions, run by `store.db.migrate`."""
