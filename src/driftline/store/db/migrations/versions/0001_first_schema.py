"""The first schema: orgs, sources, watches, runs, items, snapshots, reports, changes, masks, blobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant, Json

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "blobs",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("touched_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_blobs")),
    )
    op.create_index("ix_blobs_touched_at", "blobs", ["touched_at"], unique=False)
    op.create_table(
        "orgs",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("plan_features", Json, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_orgs")),
    )
    op.create_table(
        "sources",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("scope_hash", Hash, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_sources_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("org_id", "scope_hash", name=op.f("uq_sources_org_id_scope_hash")),
    )
    op.create_table(
        "items",
        sa.Column("id", Id, nullable=False),
        sa.Column("source_id", Id, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key_hash", Hash, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", Json, nullable=True),
        sa.Column("fingerprint", Hash, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("first_seen_at", Instant, nullable=False),
        sa.Column("first_seen_run", Id, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_items_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("source_id", "kind", "key_hash", name=op.f("uq_items_source_id_kind_key_hash")),
    )
    op.create_table(
        "watches",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("source_id", Id, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("rules", Json, nullable=False),
        sa.Column("fetch", Json, nullable=False),
        sa.Column("schedule", Json, nullable=False),
        sa.Column("recipe", Hash, nullable=False),
        sa.Column("parent_id", Id, nullable=True),
        sa.Column("bucket_key", sa.Text(), nullable=True),
        sa.Column("paused_at", Instant, nullable=True),
        sa.Column("retired_at", Instant, nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("next_due_at", Instant, nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", Instant, nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("body_hash", Hash, nullable=True),
        sa.Column("last_outcome", sa.Text(), nullable=True),
        sa.Column("last_checked_at", Instant, nullable=True),
        sa.Column("last_change_at", Instant, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.Column("heat", sa.Float(), nullable=False),
        sa.Column("baseline_run_id", Id, nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_watches_org_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["parent_id"], ["watches.id"], name=op.f("fk_watches_parent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_watches_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watches")),
        sa.UniqueConstraint("parent_id", "bucket_key", name=op.f("uq_watches_parent_id_bucket_key")),
    )
    op.create_index(
        "ix_watches_due",
        "watches",
        ["next_due_at", "lease_until", "id", "paused_at", "retired_at"],
        unique=False,
        sqlite_where=sa.text("next_due_at IS NOT NULL AND paused_at IS NULL AND retired_at IS NULL"),
        postgresql_where=sa.text("next_due_at IS NOT NULL AND paused_at IS NULL AND retired_at IS NULL"),
    )
    op.create_index("ix_watches_org_id_name", "watches", ["org_id", "name"], unique=False)
    op.create_index("ix_watches_source_id", "watches", ["source_id"], unique=False)
    op.create_table(
        "masks",
        sa.Column("id", Id, nullable=False),
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("place_hash", Hash, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("skeleton", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("data", Json, nullable=True),
        sa.Column("learned_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_masks_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_masks")),
        sa.UniqueConstraint("watch_id", "place_hash", name=op.f("uq_masks_watch_id_place_hash")),
    )
    op.create_table(
        "runs",
        sa.Column("id", Id, nullable=False),
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("run_key", sa.Text(), nullable=True),
        sa.Column("started_at", Instant, nullable=False),
        sa.Column("completed_at", Instant, nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("counters", Json, nullable=True),
        sa.Column("warnings", Json, nullable=True),
        sa.Column("suppressed", Json, nullable=True),
        sa.Column("diagnostics", Json, nullable=True),
        sa.Column("judged_at", Instant, nullable=True),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_runs_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("watch_id", "fence", name=op.f("uq_runs_watch_id_fence")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_runs_watch_id_started_at", "runs", ["watch_id", "started_at"], unique=False)
    op.create_index(
        "uq_runs_watch_id_run_key",
        "runs",
        ["watch_id", "run_key"],
        unique=True,
        sqlite_where=sa.text("run_key IS NOT NULL"),
        postgresql_where=sa.text("run_key IS NOT NULL"),
    )
    op.create_table(
        "snapshots",
        sa.Column("id", Id, nullable=False),
        sa.Column("item_id", Id, nullable=False),
        sa.Column("run_id", Id, nullable=False),
        sa.Column("run_started_at", Instant, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("source_version", sa.Integer(), nullable=True),
        sa.Column("fingerprint", Hash, nullable=False),
        sa.Column("content_hash", Hash, nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("state", Json, nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("blob_key", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("blocks", Json, nullable=True),
        sa.Column("block_memo", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant, nullable=True),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_snapshots_item_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshots")),
        sa.UniqueConstraint("item_id", "run_id", name=op.f("uq_snapshots_item_id_run_id")),
        sa.UniqueConstraint("item_id", "version", name=op.f("uq_snapshots_item_id_version")),
    )
    op.create_index(
        "ix_snapshots_blob_key",
        "snapshots",
        ["blob_key"],
        unique=False,
        sqlite_where=sa.text("blob_key IS NOT NULL"),
        postgresql_where=sa.text("blob_key IS NOT NULL"),
    )
    op.create_index("ix_snapshots_content_hash", "snapshots", ["content_hash"], unique=False)
    op.create_index(
        "ix_snapshots_expires_at",
        "snapshots",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("expires_at IS NOT NULL"),
        postgresql_where=sa.text("expires_at IS NOT NULL"),
    )
    op.create_index("ix_snapshots_item_id_run_started_at", "snapshots", ["item_id", "run_started_at", "run_id"], unique=False)
    op.create_table(
        "watch_items",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("item_id", Id, nullable=False),
        sa.Column("from_run", Id, nullable=False),
        sa.Column("from_at", Instant, nullable=False),
        sa.Column("to_run", Id, nullable=True),
        sa.Column("to_at", Instant, nullable=True),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_watch_items_item_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_watch_items_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "item_id", "from_run", name=op.f("pk_watch_items")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_watch_items_item_id", "watch_items", ["item_id"], unique=False)
    op.create_index(
        "uq_watch_items_open",
        "watch_items",
        ["watch_id", "item_id"],
        unique=True,
        sqlite_where=sa.text("to_run IS NULL"),
        postgresql_where=sa.text("to_run IS NULL"),
    )
    op.create_table(
        "reports",
        sa.Column("id", Id, nullable=False),
        sa.Column("run_id", Id, nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("counts", Json, nullable=False),
        sa.Column("warnings", Json, nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_reports_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
        sa.UniqueConstraint("run_id", name=op.f("uq_reports_run_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "changes",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("run_id", Id, nullable=False),
        sa.Column("report_id", Id, nullable=False),
        sa.Column("item_id", Id, nullable=True),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("before", Json, nullable=True),
        sa.Column("after", Json, nullable=True),
        sa.Column("diff", Json, nullable=True),
        sa.Column("flags", Json, nullable=True),
        sa.Column("prev_snapshot_id", Id, nullable=True),
        sa.Column("next_snapshot_id", Id, nullable=True),
        sa.Column("dedupe_key", sa.Text(), nullable=False),
        sa.Column("notified_at", Instant, nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_changes_item_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["report_id"], ["reports.id"], name=op.f("fk_changes_report_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_changes_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
        sa.UniqueConstraint("watch_id", "dedupe_key", name=op.f("uq_changes_watch_id_dedupe_key")),
    )
    op.create_index(
        "ix_changes_item_id",
        "changes",
        ["item_id"],
        unique=False,
        sqlite_where=sa.text("item_id IS NOT NULL"),
        postgresql_where=sa.text("item_id IS NOT NULL"),
    )
    op.create_index(
        "ix_changes_not_notified",
        "changes",
        ["created_at"],
        unique=False,
        sqlite_where=sa.text("notified_at IS NULL"),
        postgresql_where=sa.text("notified_at IS NULL"),
    )
    op.create_index("ix_changes_org_id_created_at", "changes", ["org_id", "created_at", "id"], unique=False)
    op.create_index("ix_changes_report_id", "changes", ["report_id"], unique=False)
    op.create_index("ix_changes_watch_id_created_at", "changes", ["watch_id", "created_at", "id"], unique=False)
    op.create_table(
        "change_blocks",
        sa.Column("change_id", Id, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("block_key", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text_excerpt", sa.Text(), nullable=False),
        sa.Column("metadata", Json, nullable=True),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_change_blocks_change_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change_id", "position", name=op.f("pk_change_blocks")),
        sqlite_with_rowid=False,
    )
