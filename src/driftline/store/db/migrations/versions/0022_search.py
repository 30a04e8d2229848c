"""Search over changes and stored texts; what is stored already is indexed here, with progress where it is much."""

from __future__ import annotations

import sys
from heapq import merge
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from alembic import op

from driftline.store.db.codec import loads
from driftline.store.db.search_index import POSTGRES, SQLITE
from driftline.store.db.types import Id, Instant, Words
from driftline.store.runs.write_search import Owner, change_row, text_row

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_AT_ONCE = 500
_MANY = 5_000  # documents from which on progress is shown


def upgrade() -> None:
    """Documents, their index, and who has read which changes."""
    op.create_table(
        "search_documents",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("change_id", Id, nullable=True),
        sa.Column("snapshot_id", Id, nullable=True),
        sa.Column("item_id", Id, nullable=True),
        sa.Column("at", Instant, nullable=False),
        sa.Column("words", Words, nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_search_documents_watch_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_search_documents_change_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["snapshot_id"], ["snapshots.id"], name=op.f("fk_search_documents_snapshot_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_search_documents")),
    )
    op.create_index(op.f("ix_search_documents_watch_id"), "search_documents", ["watch_id"], unique=False)
    op.create_index(op.f("ix_search_documents_org_id_at"), "search_documents", ["org_id", "at"], unique=False)
    for name in ("change_id", "snapshot_id"):
        there = sa.text(f"{name} IS NOT NULL")
        op.create_index(
            op.f(f"ix_search_documents_{name}"), "search_documents", [name], unique=False,
            sqlite_where=there, postgresql_where=there,
        )  # fmt: skip
    connection = op.get_bind()
    postgres = connection.dialect.name == "postgresql"
    if not postgres:
        for statement in SQLITE:
            op.execute(statement)
    _index(connection)
    if postgres:  # after the rows: building it once is quicker
        for statement in POSTGRES:
            op.execute(statement)


def _index(connection: sa.Connection) -> None:
    total = connection.scalar(sa.text("SELECT count(*) FROM changes")) or 0
    total += connection.scalar(sa.text("SELECT count(*) FROM snapshots WHERE text IS NOT NULL")) or 0
    done = 0
    part: list[dict[str, Any]] = []
    for row in merge(_changes(connection), _texts(connection), key=itemgetter("at")):  # numbered by time, as new ones are
        part.append(row)
        if len(part) == _AT_ONCE:
            _add(connection, part)
            done += len(part)
            part = []
            _show(done, total)
    _add(connection, part)
    if part:
        _show(total, total)


def _show(done: int, total: int) -> None:
    """How far it is: on a terminal in place, in a log a line every tenth."""
    if total < _MANY or sys.stderr is None:
        return
    if sys.stderr.isatty():
        print(f"\rindexing for search: {done:,} of {total:,}", end="\n" if done >= total else "", file=sys.stderr, flush=True)
    elif done >= total or done * 10 // total != (done - _AT_ONCE) * 10 // total:
        print(f"indexing for search: {done:,} of {total:,}", file=sys.stderr, flush=True)


def _add(connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        names = ", ".join(f":{name}" for name in rows[0])
        words = names.replace(":words", "CAST(:words AS tsvector)") if connection.dialect.name == "postgresql" else names
        connection.execute(sa.text(f"INSERT INTO search_documents ({', '.join(rows[0])}) VALUES ({words})"), rows)  # noqa: S608 - ours


def _changes(connection: sa.Connection) -> Any:
    last: Any = None
    while True:
        found = connection.execute(
            sa.text(
                "SELECT c.id, c.org_id, c.watch_id, w.parent_id, c.item_id, c.type, c.headline, c.diff, c.created_at "  # noqa: S608 - ours
                "FROM changes AS c JOIN watches AS w ON w.id = c.watch_id "
                f"{'WHERE c.id > :last ' if last is not None else ''}ORDER BY c.id LIMIT {_AT_ONCE}"
            ),
            {"last": last} if last is not None else {},
        ).all()
        if not found:
            return
        last = found[-1][0]
        for id_, org_id, watch_id, parent_id, item_id, type_, headline, diff, at in found:
            read = loads(diff, dict[str, Any]) if isinstance(diff, str | bytes) else diff
            row = change_row(_owner(org_id, watch_id, parent_id), id_, item_id, type_, headline, read, at)
            yield _named(row, org_id, watch_id)


def _texts(connection: sa.Connection) -> Any:
    last: Any = None
    while True:
        found = connection.execute(
            sa.text(
                "SELECT s.id, o.org_id, w.id, w.parent_id, s.item_id, i.title, s.text, s.created_at FROM snapshots AS s "  # noqa: S608 - ours
                "JOIN items AS i ON i.id = s.item_id JOIN sources AS o ON o.id = i.source_id "
                "JOIN watches AS w ON w.id = (SELECT m.watch_id FROM watch_items AS m "
                "WHERE m.item_id = s.item_id ORDER BY m.watch_id LIMIT 1) "
                f"WHERE s.text IS NOT NULL {'AND s.id > :last ' if last is not None else ''}ORDER BY s.id LIMIT {_AT_ONCE}"
            ),
            {"last": last} if last is not None else {},
        ).all()
        if not found:
            return
        last = found[-1][0]
        for id_, org_id, watch_id, parent_id, item_id, title, text, at in found:
            yield _named(text_row(_owner(org_id, watch_id, parent_id), id_, item_id, title, text, at), org_id, watch_id)


def _owner(org_id: Any, watch_id: Any, parent_id: Any) -> Owner:
    return Owner(_uuid(org_id), _uuid(watch_id), _uuid(parent_id) if parent_id is not None else None)


def _uuid(raw: Any) -> Any:
    from uuid import UUID  # noqa: PLC0415 - beside its only use

    return raw if isinstance(raw, UUID) else UUID(bytes=bytes(raw)) if isinstance(raw, bytes | memoryview) else UUID(str(raw))


def _named(row: tuple[Any, ...], org_id: Any, watch_id: Any) -> dict[str, Any]:
    """With the ids as the database gave them."""
    _, _, change_id, snapshot_id, item_id, at, words = row
    return {
        "org_id": org_id, "watch_id": watch_id, "change_id": change_id, "snapshot_id": snapshot_id, "item_id": item_id,
        "at": at, "words": words,
    }  # fmt: skip
