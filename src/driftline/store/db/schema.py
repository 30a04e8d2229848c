"""The one schema, for SQLite and PostgreSQL.

Imported by migrations and tests only: at run time the store uses plain SQL, and a process whose database is up to date never
loads SQLAlchemy.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.event import listens_for
from sqlalchemy.sql.expression import text

from driftline.store.db import readable_views, search_index
from driftline.store.db.types import Hash, Id, Instant, Json, Words

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _owned(name: str, owner: str, *, nullable: bool = False) -> Column[object]:
    """A foreign key that deletes the row together with its owner."""
    return Column(name, Id, ForeignKey(f"{owner}.id", ondelete="CASCADE"), nullable=nullable)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def _codes(on_sqlite: str, on_postgres: str) -> tuple[Index, ...]:
    """What a product is called in every shop, as each database finds it in the state."""
    products = text("kind = 'catalog'")
    return (
        Index("ix_items_code", text(on_sqlite), sqlite_where=products).ddl_if("sqlite"),
        Index("ix_items_code", text(on_postgres), postgresql_where=products).ddl_if("postgresql"),
    )


orgs = Table(
    "orgs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("plan_features", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
)

sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("org_id", "orgs"),
    Column("scope", Text, nullable=False),
    Column("scope_hash", Hash, nullable=False),  # indexes are on hashes, not on long text
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("org_id", "scope_hash"),
)

watches = Table(
    "watches",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("org_id", "orgs"),
    _owned("source_id", "sources"),
    Column("kind", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("tags", Json, nullable=False),
    Column("rules", Json, nullable=False),
    Column("fetch", Json, nullable=False),
    Column("schedule", Json, nullable=False),
    Column("condition", Text, nullable=False, server_default=""),
    Column("intent", Text, nullable=False, server_default=""),
    Column("own", Json),  # what the watch sets itself, where tags set more; NULL: all of it
    Column("recipe", Hash, nullable=False),
    _owned("parent_id", "watches", nullable=True),
    Column("bucket_key", Text),
    Column("paused_at", Instant),
    Column("retired_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("next_due_at", Instant),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("fence", Integer, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("body_hash", Hash),
    Column("last_outcome", Text),
    Column("last_checked_at", Instant),
    Column("last_change_at", Instant),
    Column("failures", Integer, nullable=False),
    Column("trouble", Text),
    Column("heat", Float, nullable=False),
    Column("browser_until", Instant),
    Column("browser_again_at", Instant),
    Column("baseline_run_id", Id),  # no foreign key: the run may be pruned, its snapshots stay
    UniqueConstraint("parent_id", "bucket_key"),
    # The order of the list; the other columns let the list count and filter without reading the table.
    Index("ix_watches_org_id_name", "org_id", "name", "id", "parent_id", "retired_at", "paused_at", "trouble"),
    _partial("ix_watches_tagged", "org_id", "name", "id", where="tags <> '[]'"),
    _partial(
        "ix_watches_failing",
        *("org_id", "name", "id"),
        where="failures > 0 OR trouble IS NOT NULL",
    ),
    Index("ix_watches_source_id", "source_id"),
    _partial(
        "ix_watches_due",
        "next_due_at",
        "lease_until",
        "id",
        "paused_at",  # included, like the next ones, so that SQLite need not read the table
        "retired_at",
        where="next_due_at IS NOT NULL AND paused_at IS NULL AND retired_at IS NULL",
    ),
)

tags = Table(
    "tags",
    metadata,
    Column("org_id", Id, ForeignKey("orgs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("settings", Json, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("watch_id", "watches"),
    Column("fence", Integer, nullable=False),
    Column("run_key", Text),
    Column("started_at", Instant, nullable=False),
    Column("completed_at", Instant),
    Column("status", Text, nullable=False),
    Column("outcome", Text),
    Column("reason", Text),
    Column("counters", Json),  # NULL where empty, like the next three: an unchanged run is a short row
    Column("warnings", Json),
    Column("suppressed", Json),
    Column("diagnostics", Json),
    Column("judged_at", Instant),
    UniqueConstraint("watch_id", "fence"),
    _partial("uq_runs_watch_id_run_key", "watch_id", "run_key", where="run_key IS NOT NULL", unique=True),
    Index("ix_runs_watch_id_started_at", "watch_id", "started_at"),
    _partial("ix_runs_baselines", "id", where="outcome = 'baseline'"),
    _partial("ix_runs_unjudged", "started_at", where="judged_at IS NULL AND status = 'completed'"),
    sqlite_with_rowid=False,
)

items = Table(
    "items",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("source_id", "sources"),
    Column("kind", Text, nullable=False),
    Column("key_hash", Hash, nullable=False),
    Column("key", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("state", Json),
    Column("fingerprint", Hash, nullable=False),
    Column("version", Integer, nullable=False),  # of its latest snapshot
    Column("first_seen_at", Instant, nullable=False),
    Column("first_seen_run", Id, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("source_id", "kind", "key_hash"),
    _partial("ix_items_articles", "first_seen_at", "id", where="kind = 'sitemap'"),
    *_codes("json_extract(state, '$.extra.code')", "(state -> 'extra' ->> 'code')"),
)

watch_items = Table(
    "watch_items",
    metadata,
    Column("watch_id", Id, ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Id, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("from_run", Id, primary_key=True),
    Column("from_at", Instant, nullable=False),
    Column("to_run", Id),
    Column("to_at", Instant),
    _partial("uq_watch_items_open", "watch_id", "item_id", where="to_run IS NULL", unique=True),
    Index("ix_watch_items_item_id", "item_id"),
    sqlite_with_rowid=False,
)

sights = Table(
    "sights",
    metadata,
    Column("watch_id", Id, ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Id, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("sight", Hash, nullable=False),  # fingerprint of the item's state, followed by that of the partial observation
    Index("ix_sights_item_id", "item_id"),
    sqlite_with_rowid=False,
)

verifications = Table(
    "verifications",
    metadata,
    Column("watch_id", Id, ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Id, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("tried_at", Instant),  # when the item's own page was last requested
    Column("claim", Hash),  # what a list states about the item, to be confirmed by its page
    Column("etag", Text),
    Column("last_modified", Text),
    Index("ix_verifications_item_id", "item_id"),
    sqlite_with_rowid=False,
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("item_id", "items"),
    Column("run_id", Id, nullable=False),  # no foreign key: a watch that shares its source may be deleted before its snapshots
    Column("run_started_at", Instant, nullable=False),
    Column("version", Integer, nullable=False),
    Column("source_version", Integer),
    Column("fingerprint", Hash, nullable=False),
    Column("content_hash", Hash, nullable=False),
    Column("tier", Text, nullable=False),
    Column("state", Json, nullable=False),
    Column("text", Text),
    Column("blob_key", Text),
    Column("content_type", Text),  # of the body, as the server sent it
    Column("blocks", Json),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    UniqueConstraint("item_id", "run_id"),
    UniqueConstraint("item_id", "version"),
    Index("ix_snapshots_item_id_run_started_at", "item_id", "run_started_at", "run_id"),
    Index("ix_snapshots_run_id", "run_id", "item_id"),
    Index("ix_snapshots_content_hash", "content_hash"),
    _partial("ix_snapshots_expires_at", "expires_at", where="expires_at IS NOT NULL"),
    _partial("ix_snapshots_blob_key", "blob_key", where="blob_key IS NOT NULL"),
)

tag_conditions = Table(
    "tag_conditions",
    metadata,
    _owned("org_id", "orgs"),
    Column("tag", Text, nullable=False),
    Column("condition", Text, nullable=False),
    PrimaryKeyConstraint("org_id", "tag"),
    sqlite_with_rowid=False,
)

model_answers = Table(
    "model_answers",
    metadata,
    _owned("org_id", "orgs"),
    Column("key", Hash, nullable=False),  # of model, task and difference, or of a change
    Column("answer", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("org_id", "key"),
    sqlite_with_rowid=False,
)

model_usage = Table(
    "model_usage",
    metadata,
    _owned("org_id", "orgs"),
    Column("day", Text, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    PrimaryKeyConstraint("org_id", "day"),
    sqlite_with_rowid=False,
)

memos = Table(  # shortcuts for the next reading, in a table of their own because every check reads them
    "memos",
    metadata,
    Column("item_id", Id, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, nullable=False),  # of the snapshot that it belongs to
    Column("memo", LargeBinary, nullable=False),
)

reports = Table(
    "reports",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("run_id", "runs"),
    Column("total", Integer, nullable=False),
    Column("counts", Json, nullable=False),  # by change type
    Column("warnings", Json),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("run_id"),
    sqlite_with_rowid=False,
)

changes = Table(
    "changes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),  # deleted with its watch
    _owned("watch_id", "watches"),
    Column("run_id", Id, nullable=False),  # deleted with its report, which is deleted with the run
    _owned("report_id", "reports"),
    _owned("item_id", "items", nullable=True),
    Column("type", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("headline", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("before", Json),
    Column("after", Json),
    Column("diff", Json),
    Column("flags", Json),
    Column("prev_snapshot_id", Id),  # no foreign keys: a change outlives its snapshots
    Column("next_snapshot_id", Id),
    Column("dedupe_key", Text, nullable=False),
    Column("notified_at", Instant),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("watch_id", "dedupe_key"),
    Index("ix_changes_org_id_created_at", "org_id", "created_at", "id", "type", "severity"),
    Index("ix_changes_watch_id_created_at", "watch_id", "created_at", "id"),
    Index("ix_changes_report_id", "report_id"),
    _partial("ix_changes_item_id", "item_id", where="item_id IS NOT NULL"),
    _partial("ix_changes_drops", "org_id", "created_at", "id", where="type = 'drop'"),
    _partial("ix_changes_not_notified", "created_at", where="notified_at IS NULL"),
)

blocks = Table(
    "blocks",
    metadata,
    Column("change_id", Id, ForeignKey("changes.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("block_key", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text_excerpt", Text, nullable=False),
    Column("metadata", Json),
    sqlite_with_rowid=False,
)

search_documents = Table(
    "search_documents",
    metadata,
    Column("number", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=True),
    Column("org_id", Id, nullable=False),
    _owned("watch_id", "watches"),
    _owned("change_id", "changes", nullable=True),  # one of the two
    _owned("snapshot_id", "snapshots", nullable=True),
    Column("item_id", Id),
    Column("at", Instant, nullable=False),
    Column("words", Words, nullable=False),
    Index("ix_search_documents_watch_id", "watch_id"),
    Index("ix_search_documents_org_id_at", "org_id", "at"),
    _partial("ix_search_documents_change_id", "change_id", where="change_id IS NOT NULL"),
    _partial("ix_search_documents_snapshot_id", "snapshot_id", where="snapshot_id IS NOT NULL"),
    Index("ix_search_documents_words", "words", postgresql_using="gin").ddl_if(dialect="postgresql"),
)


@listens_for(search_documents, "after_create")
def _index_words(_table: Table, connection: Connection, **_: object) -> None:
    if connection.dialect.name == "sqlite":
        for statement in search_index.SQLITE:
            connection.execute(text(statement))


masks = Table(
    "masks",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("watch_id", "watches"),
    Column("place_hash", Hash, nullable=False),  # of place and skeleton
    Column("place", Text, nullable=False),
    Column("skeleton", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="active"),
    Column("area", Json),
    Column("learned_at", Instant, nullable=False),
    Column("needed_at", Instant),
    UniqueConstraint("watch_id", "place_hash"),
)

last_seen = Table(
    "last_seen",
    metadata,
    Column("watch_id", Id, ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True),
    Column("places", LargeBinary, nullable=False),  # places that changed lately, and what was reported of them: messagepack
    Column("habits", LargeBinary),  # places that differed lately: messagepack
    Column("ignored", LargeBinary),  # what the latest check dropped, by which rules: messagepack
)

blobs = Table(
    "blobs",
    metadata,
    Column("key", Text, primary_key=True),  # SHA-256 of the body, hex
    Column("data", LargeBinary, nullable=False),  # zstd
    Column("size", Integer, nullable=False),  # of the body
    Column("touched_at", Instant, nullable=False),
    Index("ix_blobs_touched_at", "touched_at"),
)

pictures = Table(
    "pictures",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("snapshot_id", "snapshots", nullable=True),  # one of the two: of a version, or of a step that failed
    _owned("run_id", "runs", nullable=True),
    Column("blob_key", Text, nullable=False),  # a PNG
    Index("ix_pictures_snapshot_id", "snapshot_id"),
    Index("ix_pictures_run_id", "run_id"),
    Index("ix_pictures_blob_key", "blob_key"),
)

users = Table(
    "users",
    metadata,
    Column("id", Id, primary_key=True),
    _owned("org_id", "orgs"),
    Column("email", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("timezone", Text, nullable=False),
    Column("digest_hour", Integer, nullable=False),
    Column("digest", Boolean, nullable=False),
    Column("next_digest_at", Instant, nullable=False),
    Column("disabled_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("read_until_at", Instant),  # changes up to then are read, unless marked otherwise; NULL: since the user exists
    UniqueConstraint("org_id", "email"),
    Index("ix_users_next_digest_at", "next_digest_at"),
)

read_marks = Table(
    "read_marks",
    metadata,
    Column("user_id", Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("change_id", Id, ForeignKey("changes.id", ondelete="CASCADE"), primary_key=True),
    Column("is_read", Boolean, nullable=False),
    Index("ix_read_marks_change_id", "change_id"),
    _partial("ix_read_marks_unread", "user_id", "change_id", where="NOT is_read"),
    sqlite_with_rowid=False,
)

channels = Table(
    "channels",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),  # deleted with its user
    _owned("user_id", "users"),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("endpoint", Text, nullable=False),  # channels of one endpoint fail together; see Channel.endpoint
    Column("options", Json, nullable=False),
    Column("secrets", Json, nullable=False),
    Column("is_default", Boolean, nullable=False),
    Column("disabled_at", Instant),
    Column("disabled_reason", Text),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("org_id", "name"),
    _partial("uq_channels_default", "user_id", where="is_default", unique=True),
    Index("ix_channels_user_id", "user_id"),
)

unconfirmed_channels = Table(
    "unconfirmed_channels",
    metadata,
    Column("channel_id", Id, ForeignKey("channels.id", ondelete="CASCADE"), primary_key=True),  # deleted when it is confirmed
    Column("secret_hash", Hash, nullable=False),  # SHA-256 of the newest link's secret
    Column("expires_at", Instant, nullable=False),
)

samples = Table(
    "samples",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, ForeignKey("orgs.id", ondelete="CASCADE"), nullable=False),
    Column("channel_id", Id, nullable=False),  # stays when the channel is deleted
    Column("created_at", Instant, nullable=False),
    Index("ix_samples_org_id", "org_id"),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),  # deleted with its user
    _owned("user_id", "users"),
    _owned("watch_id", "watches", nullable=True),  # NULL: those with the tag, or every watch of the org
    Column("tag", Text),
    Column("filter", Json, nullable=False),
    Column("muted_until_at", Instant),
    Column("paused_at", Instant),
    Column("created_at", Instant, nullable=False),
    Index("ix_subscriptions_org_id_watch_id", "org_id", "watch_id"),
    Index("ix_subscriptions_user_id", "user_id"),
    Index("ix_subscriptions_watch_id", "watch_id"),
)

subscription_channels = Table(
    "subscription_channels",
    metadata,
    Column("subscription_id", Id, ForeignKey("subscriptions.id", ondelete="CASCADE"), primary_key=True),
    Column("channel_id", Id, ForeignKey("channels.id", ondelete="CASCADE"), primary_key=True),
    Index("ix_subscription_channels_channel_id", "channel_id"),
    sqlite_with_rowid=False,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),  # deleted with its channel
    _owned("report_id", "reports"),
    Column("user_id", Id, nullable=False),  # deleted with its channel
    _owned("channel_id", "channels"),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", Instant),  # NULL when final; while it is being sent, the end of the lease
    Column("lease_owner", Text),
    Column("digest_at", Instant),
    Column("digest_id", Id),
    Column("sent_at", Instant),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("report_id", "channel_id"),
    _partial("ix_deliveries_dead", "org_id", "created_at", "id", where="state = 'dead'"),
    _partial("ix_deliveries_skipped", "org_id", "created_at", "id", where="state = 'skipped'"),
    _partial("ix_deliveries_due", "next_attempt_at", "id", where="next_attempt_at IS NOT NULL"),
    Index("ix_deliveries_channel_id_created_at", "channel_id", "created_at"),
    Index("ix_deliveries_org_id_created_at", "org_id", "created_at", "id"),
)

chores = Table(
    "chores",
    metadata,
    Column("name", Text, primary_key=True),
    Column("done_at", Instant, nullable=False),  # when a worker claimed it
)

summaries = Table(
    "summaries",
    metadata,
    Column("item_id", Id, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("run_id", Id, nullable=False),  # that requested it; no foreign key: the run may be deleted
    Column("summary", Text, nullable=False),  # empty: waits for one
    Column("label", Text),
    Column("label_confidence", Float),
    Column("model", Text),
    Column("text_hash", Hash),  # of the text that the model saw
    Column("attempts", Integer, nullable=False),  # failed ones since it was requested
    Column("reason", Text),  # of the latest failure
    Column("asked_at", Instant, nullable=False),
    Column("next_attempt_at", Instant),  # NULL when it exists; while it is being made, the end of the lease
    Column("summarized_at", Instant),
    _partial("ix_summaries_waiting", "next_attempt_at", where="next_attempt_at IS NOT NULL"),
    sqlite_with_rowid=False,
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),  # deleted with its user
    _owned("user_id", "users"),
    Column("name", Text, nullable=False),
    Column("prefix", Text, nullable=False),  # the first characters of the secret, to recognize it
    Column("secret_hash", Hash, nullable=False),  # SHA-256: the secret itself is shown once and stored nowhere
    Column("scopes", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("used_at", Instant),
    UniqueConstraint("secret_hash"),
    Index("ix_tokens_org_id", "org_id"),
    Index("ix_tokens_user_id", "user_id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("org_id", Id, nullable=False),  # deleted with its user
    _owned("user_id", "users"),
    Column("secret_hash", Hash, nullable=False),  # SHA-256 of the cookie
    Column("agent", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    UniqueConstraint("secret_hash"),
    Index("ix_sessions_user_id", "user_id"),
    Index("ix_sessions_expires_at", "expires_at"),
)

passwords = Table(
    "passwords",
    metadata,
    Column("user_id", Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Text, nullable=False),  # argon2id with its parameters
    Column("changed_at", Instant, nullable=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("org_id", Id, ForeignKey("orgs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),  # encrypted under a key of the settings
    Column("created_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
)

browser_sessions = Table(
    "browser_sessions",
    metadata,
    Column("org_id", Id, ForeignKey("orgs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("steps", Json, nullable=False),  # that sign in
    Column("signed_out_if", Text),
    Column("created_at", Instant, nullable=False),
    Column("signed_in_at", Instant),
    Column("state", LargeBinary),  # cookies and local storage, encrypted; NULL: has to sign in
)

signin_links = Table(
    "signin_links",
    metadata,
    Column("secret_hash", Hash, primary_key=True),  # SHA-256; the row is deleted when the link is used
    _owned("user_id", "users"),
    Column("expires_at", Instant, nullable=False),
    Index("ix_signin_links_user_id", "user_id"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("org_id", Id, ForeignKey("orgs.id", ondelete="CASCADE"), primary_key=True),
    Column("key_hash", Hash, primary_key=True),  # SHA-256 of what the program sent
    Column("request_hash", Hash, nullable=False),  # the same key with another request is a mistake
    Column("status", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index("ix_idempotency_keys_org_id_created_at", "org_id", "created_at"),
)

inbox = Table(
    "inbox",
    metadata,
    Column("watch_id", Id, ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True),
    Column("message", Hash, primary_key=True),  # of job, address, version and snapshot hash
    Column("received_at", Instant, nullable=False),
    Index("ix_inbox_received_at", "received_at"),
    sqlite_with_rowid=False,
)

page_versions = Table(
    "page_versions",
    metadata,
    Column("watch_id", Id, ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True),
    Column("url_hash", Hash, primary_key=True),
    Column("version", BigInteger, nullable=False),  # the crawler's own; never replaced by an older one
    Column("snapshot_hash", Text, nullable=False),  # the crawler's own
    sqlite_with_rowid=False,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Id, primary_key=True),  # the message id; the row is deleted when the broker has confirmed
    Column("queue", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("lease_owner", Text, nullable=False),  # who sends it; after the lease, anybody
    Column("lease_until", Instant, nullable=False),
    Index("ix_outbox_lease_until", "lease_until"),
    Index("ix_outbox_lease_owner", "lease_owner"),
)


@listens_for(metadata, "after_create")
def _create_views(_: MetaData, connection: Connection, **_more: object) -> None:
    """Create the views in a database that is made from this schema."""
    for statement in readable_views.create_statements(postgres=connection.dialect.name == "postgresql"):
        connection.exec_driver_sql(statement)
