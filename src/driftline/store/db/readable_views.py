"""SQL views for other programs: snapshots, changes and blocks under readable names; on SQLite with ids and times as text.

Every migration creates them again, because it may change the tables below; driftline itself never reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

NAMES: Final = ("change_blocks", "change_events", "monitor_snapshots")
# A run may be deleted before its snapshots; then any watch of the source is shown.
_MONITOR: Final = (
    "COALESCE((SELECT r.watch_id FROM runs AS r WHERE r.id = s.run_id), "
    "(SELECT w.id FROM watches AS w WHERE w.source_id = i.source_id ORDER BY w.id LIMIT 1))"
)
# A health change has no snapshot of its own: the latest one before it is shown.
_NEXT: Final = (
    "COALESCE(c.next_snapshot_id, (SELECT s.id FROM watches AS w JOIN items AS i ON i.source_id = w.source_id "
    "JOIN snapshots AS s ON s.item_id = i.id WHERE w.id = c.watch_id AND (c.item_id IS NULL OR i.id = c.item_id) "
    "AND s.run_started_at <= c.created_at ORDER BY s.run_started_at DESC, s.run_id DESC LIMIT 1))"
)


_DASH: Final = " || '-' || "


def create_statements(*, postgres: bool) -> Iterator[str]:
    """The statements that create the views."""
    words = _Postgres if postgres else _Sqlite
    id_, at, hash_ = words.id, words.at, words.hash
    yield (
        f"CREATE VIEW monitor_snapshots AS SELECT {id_('s.id')} AS id, {id_(_MONITOR)} AS monitor_id, "  # noqa: S608 - constants
        f"{id_('s.run_id')} AS check_id, s.tier AS tier, {hash_('s.content_hash')} AS content_hash, s.blob_key AS html_path, "
        f"s.text AS text_normalized, s.blocks AS blocks_json, {at('s.created_at')} AS created_at, "
        f"{at('s.expires_at')} AS expires_at, {id_('s.item_id')} AS item_id, s.version AS version "
        "FROM snapshots AS s JOIN items AS i ON i.id = s.item_id"
    )
    yield (
        f"CREATE VIEW change_events AS SELECT {id_('c.id')} AS id, {id_('c.watch_id')} AS monitor_id, "  # noqa: S608 - constants
        f"{id_('c.prev_snapshot_id')} AS prev_snapshot_id, {id_(_NEXT)} AS next_snapshot_id, c.type AS change_type, "
        f"c.severity AS severity, c.headline AS summary, c.diff AS diff_blob, {at('c.notified_at')} AS notified_at, "
        f"{at('c.created_at')} AS created_at, c.url AS url FROM changes AS c"
    )
    yield (
        f"CREATE VIEW change_blocks AS SELECT {words.block('b.change_id')} AS id, {id_('b.change_id')} AS change_event_id, "  # noqa: S608 - constants
        "b.block_key AS block_key, b.action AS action, b.title AS title, b.text_excerpt AS text_excerpt, "
        "b.metadata AS metadata, b.position AS position FROM blocks AS b"
    )


LIST_VIEWS: Final = (  # queries that list the existing views, on SQLite and on PostgreSQL
    "SELECT name FROM sqlite_master WHERE type = 'view'",
    "SELECT viewname FROM pg_views WHERE schemaname = current_schema()",
)


def drop_statements(existing: Iterable[str]) -> Iterator[str]:
    """The statements that drop our views, if they exist: in an older database such a name may be a table."""
    return (f"DROP VIEW {name}" for name in NAMES if name in set(existing))


class _Postgres:
    """PostgreSQL has native types for all values."""

    @staticmethod
    def id(column: str) -> str:
        return column

    @staticmethod
    def at(column: str) -> str:
        return column

    @staticmethod
    def hash(column: str) -> str:
        return f"encode({column}, 'hex')"

    @staticmethod
    def block(change: str) -> str:
        text = f"CAST({change} AS text)"
        return (
            f"CAST(lpad(to_hex(mod(b.position, 4096)), 3, '0') || substr({text}, 4, 11) || '8' || substr({text}, 16) AS uuid)"
        )


class _Sqlite:
    """SQLite stores bytes and microseconds: other programs get text."""

    @staticmethod
    def id(column: str) -> str:
        """Computed once; NULL for NULL."""
        parts = (f"substr(h, {start}, {size})" for start, size in ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12)))
        return f"(SELECT {_DASH.join(parts)} FROM (SELECT lower(hex(k)) AS h FROM (SELECT {column} AS k) WHERE k IS NOT NULL))"  # noqa: S608 - constants

    @staticmethod
    def at(column: str) -> str:
        seconds = f"{column} / 1000000, 'unixepoch'"
        return f"strftime('%Y-%m-%dT%H:%M:%S', {seconds}) || printf('.%06dZ', {column} % 1000000)"  # NULL for NULL

    @staticmethod
    def hash(column: str) -> str:
        return f"lower(hex({column}))"

    @staticmethod
    def block(change: str) -> str:
        """The id of a block: its change's, with the position in the leading digits of the timestamp."""
        text = _Sqlite.id(change)
        return f"printf('%03x', b.position % 4096) || substr({text}, 4, 11) || '8' || substr({text}, 16)"
