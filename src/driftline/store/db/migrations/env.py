"""Alembic's entry point; the connection and its transaction were set up by `store.db.migrate`."""

from __future__ import annotations

from alembic import context

context.run_migrations()
