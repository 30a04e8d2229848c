"""The queue of article summaries: emptied by the run that found a change, leased while they are made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from driftline.engine.ports import ArticleToSummarize, Made
from driftline.engine.recording import Recording
from driftline.store.db import bulk
from driftline.store.db.codec import dumps
from driftline.store.db.database import Database, Tx, each
from driftline.store.watches import watch_rows

_NEW: Final = ("item_id", "run_id", "summary", "attempts", "asked_at", "next_attempt_at")
_CLEAR: Final = (
    "INSERT INTO summaries (item_id, run_id, summary, attempts, asked_at, next_attempt_at) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (item_id) DO UPDATE SET run_id = excluded.run_id, summary = '', attempts = 0, reason = NULL, "
    "asked_at = excluded.asked_at, next_attempt_at = excluded.next_attempt_at"
)
_TAKE: Final = "SELECT s.item_id FROM summaries AS s WHERE s.next_attempt_at <= ?"
_WITHIN: Final = (
    " AND EXISTS (SELECT 1 FROM watch_items AS m WHERE m.item_id = s.item_id AND m.to_run IS NULL AND m.watch_id = ?)"
)
_HOLD: Final = "UPDATE summaries SET next_attempt_at = ? WHERE item_id = ?"
_TAKEN: Final = f"""
SELECT s.item_id, s.run_id, s.asked_at, s.attempts, i.url, i.title, s.summary, {watch_rows.SELECTED}
FROM summaries AS s JOIN items AS i ON i.id = s.item_id
JOIN watch_items AS m ON m.item_id = i.id AND m.to_run IS NULL JOIN watches AS w ON w.id = m.watch_id AND w.retired_at IS NULL
WHERE s.item_id {{keys}}
"""  # noqa: S608 - constants
_KEEP: Final = (
    "UPDATE summaries SET summary = ?, model = ?, text_hash = ?, attempts = 0, reason = NULL, summarized_at = ? "
    "WHERE item_id = ? AND asked_at = ? AND summary = ''"
)
_LABEL: Final = (
    "UPDATE summaries SET label = ?, label_confidence = ?, attempts = 0, reason = NULL, next_attempt_at = NULL "
    "WHERE item_id = ? AND asked_at = ? AND summary <> ''"
)
_FAIL: Final = (
    "UPDATE summaries SET attempts = attempts + 1, reason = ?, next_attempt_at = ? "
    "WHERE item_id = ? AND asked_at = ? AND (summary = '') = ?"
)
_UNLISTED_RETRY_AFTER: Final = timedelta(days=1)  # when an article that no watch lists is tried again


def enqueue(tx: Tx, recording: Recording) -> None:
    """Queue new and changed articles; a label stays until there is a new one."""
    run = recording.run
    fresh = {item.item_id for item in recording.items if not item.expected_version}
    for part in bulk.chunks(recording.stale):
        rows = [(item_id, run.id, "", 0, run.started_at, run.started_at) for item_id in part]
        bulk.insert(tx, "summaries", _NEW, [row for row in rows if row[0] in fresh])
        tx.many(_CLEAR, [row for row in rows if row[0] not in fresh])


class SummaryQueue:
    """`engine.ports.SummaryStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(
        self, limit: int, *, at: datetime, until_at: datetime, watch_id: UUID | None
    ) -> Sequence[ArticleToSummarize]:
        """Lease waiting articles, the longest waiting first."""
        return await self._database.write(each, lambda tx: take(tx, limit, at=at, until_at=until_at, watch_id=watch_id))

    async def keep(self, waiting: ArticleToSummarize, made: Made, *, at: datetime) -> bool:
        """Store a summary, unless the article changed meanwhile."""
        return await self._database.write(each, lambda tx: keep(tx, waiting, made, at=at))

    async def label(self, waiting: ArticleToSummarize, label: str, confidence: float) -> None:
        """Store the label of a summary, unless the article changed meanwhile."""
        row = (label, confidence, waiting.item_id, waiting.asked_at)
        await self._database.write(each, lambda tx: tx.run(_LABEL, row))

    async def fail(self, waiting: ArticleToSummarize, reason: str, *, called: bool, next_attempt_at: datetime) -> None:
        """Store why there is no summary yet, and when to try again."""
        await self._database.write(each, lambda tx: fail(tx, waiting, reason, called=called, next_attempt_at=next_attempt_at))


def take(tx: Tx, limit: int, *, at: datetime, until_at: datetime, watch_id: UUID | None = None) -> list[ArticleToSummarize]:
    """Lease waiting articles; those that no watch lists any more are postponed."""
    skip = " FOR UPDATE OF s SKIP LOCKED" if tx.postgres else ""
    within, params = (_WITHIN, [at, watch_id, limit]) if watch_id else ("", [at, limit])
    rows = tx.rows(f"{_TAKE}{within} ORDER BY s.next_attempt_at LIMIT ?{skip}", params)
    ids = [tx.codec.id(item_id) for (item_id,) in rows]
    tx.many(_HOLD, [(until_at, item_id) for item_id in ids])
    taken = {waiting.item_id: waiting for waiting in (_waiting(tx, row) for row in tx.where_in(_TAKEN, ids))}
    tx.many(_HOLD, [(at + _UNLISTED_RETRY_AFTER, item_id) for item_id in ids if item_id not in taken])
    return [taken[item_id] for item_id in ids if item_id in taken]


def _waiting(tx: Tx, row: Any) -> ArticleToSummarize:
    item_id, run_id, asked_at, attempts, url, title, summary, *watch = row
    codec = tx.codec
    return ArticleToSummarize(
        item_id=codec.id(item_id),
        run_id=codec.id(run_id),
        asked_at=codec.at(asked_at),
        attempts=attempts,
        url=url,
        title=title,
        summary=summary,
        watch=watch_rows.watch(codec, watch),
    )


def keep(tx: Tx, waiting: ArticleToSummarize, made: Made, *, at: datetime) -> bool:
    """Store a summary with what it was made from; False if the article changed meanwhile and needs another one."""
    _count_call(tx, waiting)
    text_hash = bytes.fromhex(made.content)
    kept = tx.run(_KEEP, (made.summary, made.model, text_hash, at, waiting.item_id, waiting.asked_at))
    if kept:
        _store_page_content(tx, waiting.item_id, made)
    return bool(kept)


def _store_page_content(tx: Tx, item_id: UUID, made: Made) -> None:
    """Store the page's content with the article, so that a later lastmod without a change is recognized.

    Only where the lastmod is what is compared: elsewhere the content is the state, and belongs to the run that read it.
    """
    patched = "state || CAST(? AS jsonb)" if tx.postgres else "json_patch(state, ?)"
    by_lastmod = "state ->> 'basis' IS NULL"
    patch = dumps({"content": made.content, **({"title": made.title} if made.title else {})})
    tx.run(
        f"UPDATE snapshots SET state = {patched} WHERE item_id = ? AND {by_lastmod} "  # noqa: S608 - our words
        "AND version = (SELECT version FROM items WHERE id = ?)",
        (patch, item_id, item_id),
    )
    tx.run(f"UPDATE items SET state = {patched} WHERE id = ? AND {by_lastmod}", (patch, item_id))  # noqa: S608 - our words
    if made.title:
        tx.run("UPDATE items SET title = ? WHERE id = ?", (made.title, item_id))


def fail(tx: Tx, waiting: ArticleToSummarize, reason: str, *, called: bool, next_attempt_at: datetime) -> None:
    """Store why there is no summary yet; the article stays queued."""
    if called:
        _count_call(tx, waiting)
    tx.run(_FAIL, (reason, next_attempt_at, waiting.item_id, waiting.asked_at, not waiting.summary))


def _count_call(tx: Tx, waiting: ArticleToSummarize) -> None:
    """Count a call of the summarizer for the run that requested it."""
    if tx.postgres:
        counted = "jsonb_set(counters, '{summarizer_calls}', to_jsonb(COALESCE((counters ->> 'summarizer_calls')::int, 0) + 1))"
    else:
        counted = "json_set(counters, '$.summarizer_calls', COALESCE(counters ->> 'summarizer_calls', 0) + 1)"
    tx.run(f"UPDATE runs SET counters = {counted} WHERE id = ? AND counters IS NOT NULL", (waiting.run_id,))  # noqa: S608 - our words
