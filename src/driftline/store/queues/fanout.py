"""Creates the deliveries of a report with one set-based statement, in the report's own transaction.

Subscriptions to the watch, to its parent, to every other watch that has a changed item, to a tag of these, and to the whole org
count; each uses the channels that it names, or its user's default one. Filters are applied when the message is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from driftline.core.identity.ids import id_millisecond
from driftline.engine.recording import RunReport
from driftline.policy.digest import next_digest
from driftline.store.db.database import Tx
from driftline.store.views.watching.tags import EACH_TAG
from driftline.store.watches import watch_rows

_STATEMENT: Final = """
WITH heard (id) AS (
    SELECT CAST(? AS {uuid})
    UNION
    SELECT m.watch_id FROM changes AS c JOIN watch_items AS m ON m.item_id = c.item_id AND m.to_run IS NULL
    WHERE c.report_id = ?
), reached (id) AS (
    SELECT id FROM heard
    UNION
    SELECT w.parent_id FROM watches AS w JOIN heard AS h ON w.id = h.id WHERE w.parent_id IS NOT NULL
), named (tag) AS (
    SELECT t.value FROM watches AS w JOIN reached AS r ON w.id = r.id, {each_tag}
), asking (id, user_id) AS (
    SELECT s.id, s.user_id FROM subscriptions AS s
    WHERE s.org_id = ? AND s.paused_at IS NULL AND s.watch_id IN (SELECT id FROM reached)
    UNION
    SELECT s.id, s.user_id FROM subscriptions AS s WHERE s.org_id = ? AND s.paused_at IS NULL AND s.watch_id IS NULL
    AND (s.tag IS NULL OR s.tag IN (SELECT tag FROM named))
)
INSERT INTO deliveries (id, org_id, report_id, user_id, channel_id, state, attempts, digest_at, next_attempt_at, created_at)
SELECT {new_id}, c.org_id, ?, c.user_id, c.id, 'pending', 0, {digest}, COALESCE({digest}, ?), ?
FROM channels AS c JOIN users AS u ON u.id = c.user_id
WHERE c.disabled_at IS NULL AND u.disabled_at IS NULL AND c.id IN (
    SELECT d.id FROM asking AS a JOIN channels AS d ON d.user_id = a.user_id AND d.is_default
    WHERE NOT EXISTS (SELECT 1 FROM subscription_channels AS n WHERE n.subscription_id = a.id)
    UNION
    SELECT n.channel_id FROM asking AS a JOIN subscription_channels AS n ON n.subscription_id = a.id
)
ON CONFLICT (report_id, channel_id) DO NOTHING
"""
# UUIDv7s made by the database: the report's millisecond, then random bits. SQLite has no function for it, and joins bytes as
# text.
_SQLITE_ID: Final = (
    "CAST(? || substr(?, 1 + (random() & 15), 1) || randomblob(1) || "
    "substr(?, 1 + (random() & 63), 1) || randomblob(7) AS BLOB)"
)
_VERSIONS, _VARIANTS = bytes(range(0x70, 0x80)), bytes(range(0x80, 0xC0))
_POSTGRES_ID: Final = (
    "CAST(overlay(overlay(CAST(gen_random_uuid() AS text) placing ? from 1 for 13) placing '7' from 15 for 1) AS uuid)"
)


def write_deliveries(tx: Tx, run_reports: Sequence[RunReport]) -> None:
    """Insert the deliveries of these reports, which were just written."""
    for run_report in run_reports:
        if run_report.report_id is not None and _has_subscriptions(tx, run_report.watch.org_id):
            _write(tx, run_report, run_report.report_id)


def _has_subscriptions(tx: Tx, org_id: UUID) -> bool:
    return tx.row("SELECT 1 FROM subscriptions WHERE org_id = ? AND paused_at IS NULL LIMIT 1", (org_id,)) is not None


def _write(tx: Tx, run_report: RunReport, report_id: UUID) -> None:
    watch = run_report.watch
    at = run_report.run.completed_at or run_report.run.started_at
    plan = tx.row("SELECT plan_features FROM orgs WHERE id = ?", (watch.org_id,))
    advance_digests(tx, at=at, org_id=watch.org_id)
    immediate = watch_rows.features(plan[0]).immediate
    ids = _id_params(tx, report_id)
    text = _STATEMENT.format(
        uuid="uuid" if tx.postgres else "blob",
        each_tag=EACH_TAG[tx.postgres],
        new_id=_POSTGRES_ID if tx.postgres else _SQLITE_ID,
        digest="CASE WHEN u.digest THEN u.next_digest_at END" if immediate else "u.next_digest_at",
    )
    tx.run(text, (watch.id, report_id, watch.org_id, watch.org_id, *ids, report_id, at, at))


def _id_params(tx: Tx, report_id: UUID) -> tuple[object, ...]:
    milliseconds = id_millisecond(report_id)
    if tx.postgres:
        spelled = f"{milliseconds:012x}"
        return (f"{spelled[:8]}-{spelled[8:]}",)
    return milliseconds.to_bytes(6, "big"), _VERSIONS, _VARIANTS


def advance_digests(tx: Tx, *, at: datetime, org_id: UUID | None = None) -> None:
    """Start a new daily message for users whose present one is due."""
    only = "" if org_id is None else " AND org_id = ?"
    late = tx.rows(
        f"SELECT id, digest_hour, timezone FROM users WHERE next_digest_at <= ?{only}",  # noqa: S608 - constants
        (at,) if org_id is None else (at, org_id),
    )
    for user_id, hour, timezone in late:
        due_at = next_digest(hour=hour, timezone=timezone, after=at)
        tx.run("UPDATE users SET next_digest_at = ? WHERE id = ?", (due_at, tx.codec.id(user_id)))
