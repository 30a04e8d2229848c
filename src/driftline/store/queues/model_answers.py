"""What a model answered, kept for each org alone, and what it cost: counted before it is asked, never above the budget."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from driftline.core.identity.fingerprint import digest
from driftline.model.delivery import Judgement
from driftline.store.db.codec import dumps, loads
from driftline.store.db.database import Database, Tx, each


def change_key(change_id: UUID) -> bytes:
    """The key of what was said of a change."""
    return digest(b"change " + change_id.bytes)


class ModelAnswers:
    """`engine.models.client.AnswerStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, org_id: UUID, key: bytes) -> str | None:
        """A kept answer."""
        return await self._database.read(lambda tx: _get(tx, org_id, key))

    async def keep(self, org_id: UUID, key: bytes, answer: str, *, at: datetime) -> None:
        """Keep an answer; the same question again replaces it."""
        await self._database.write(each, lambda tx: _keep(tx, org_id, key, answer, at))

    async def judged(self, org_id: UUID, change_id: UUID, judgement: Judgement, *, at: datetime) -> None:
        """Keep what was said of a change, for its page."""
        answer = dumps(judgement)
        text = answer if isinstance(answer, str) else answer.decode()
        await self.keep(org_id, change_key(change_id), text, at=at)

    async def reserve(self, org_id: UUID, tokens: int, *, at: datetime, budget: int) -> bool:
        """Count a call before it is made; False where the day's budget would not pay for it."""
        return await self._database.write(each, lambda tx: _reserve(tx, org_id, tokens, at, budget))

    async def correct(self, org_id: UUID, tokens: int, *, at: datetime) -> None:
        """Add what a call took beyond what was reserved, or give it back."""
        await self._database.write(
            each,
            lambda tx: tx.run(
                "UPDATE model_usage SET tokens = tokens + ? WHERE org_id = ? AND day = ?",
                (tokens, org_id, at.date().isoformat()),
            ),
        )


def judgement_of(tx: Tx, org_id: UUID, change_id: UUID) -> Judgement | None:
    """What a model said of a change; None: none was asked."""
    answer = _get(tx, org_id, change_key(change_id))
    return None if answer is None else loads(answer, Judgement)


def usage_of(tx: Tx, org_id: UUID, *, at: datetime) -> tuple[int, int]:
    """Calls and tokens of an org on a day."""
    row = tx.row("SELECT calls, tokens FROM model_usage WHERE org_id = ? AND day = ?", (org_id, at.date().isoformat()))
    return (row[0], row[1]) if row else (0, 0)


def _get(tx: Tx, org_id: UUID, key: bytes) -> str | None:
    row = tx.row("SELECT answer FROM model_answers WHERE org_id = ? AND key = ?", (org_id, key))
    return None if row is None else str(row[0])


def _keep(tx: Tx, org_id: UUID, key: bytes, answer: str, at: datetime) -> None:
    tx.run(
        "INSERT INTO model_answers (org_id, key, answer, created_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (org_id, key) DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at",
        (org_id, key, answer, at),
    )


def _reserve(tx: Tx, org_id: UUID, tokens: int, at: datetime, budget: int) -> bool:
    day = at.date().isoformat()
    tx.run(
        "INSERT INTO model_usage (org_id, day, calls, tokens) VALUES (?, ?, 0, 0) ON CONFLICT (org_id, day) DO NOTHING",
        (org_id, day),
    )
    return bool(
        tx.run(
            "UPDATE model_usage SET calls = calls + 1, tokens = tokens + ? WHERE org_id = ? AND day = ? AND tokens + ? <= ?",
            (tokens, org_id, day, tokens, budget),
        )
    )
