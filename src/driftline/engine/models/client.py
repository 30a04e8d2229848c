"""Asks a model one question: kept answers first, then the budget, then the endpoint, which is left alone after a failure."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import digest
from driftline.engine.jobs.models import ChatModel
from driftline.engine.jobs.summaries import NotWritten
from driftline.engine.ports import Clock
from driftline.model.delivery import Judgement

ANSWER_TOKENS: Final = 160
PAUSE_FOR: Final = 15.0  # seconds without a question after a failure; doubled with each further one
PAUSE_AT_MOST_FOR: Final = 900.0
_LETTERS_A_TOKEN: Final = 3


class AnswerStore(Protocol):
    """Kept answers and the budget, each of one org."""

    async def get(self, org_id: UUID, key: bytes) -> str | None:
        """A kept answer."""

    async def keep(self, org_id: UUID, key: bytes, answer: str, *, at: datetime) -> None:
        """Keep an answer."""

    async def judged(self, org_id: UUID, change_id: UUID, judgement: Judgement, *, at: datetime) -> None:
        """Keep what was said of a change."""

    async def reserve(self, org_id: UUID, tokens: int, *, at: datetime, budget: int) -> bool:
        """Count a call before it is made; False: the budget is used up."""

    async def correct(self, org_id: UUID, tokens: int, *, at: datetime) -> None:
        """Count what a call took more or less than reserved."""


class ModelCost(msgspec.Struct):
    """What questions cost."""

    calls: int = 0
    tokens: int = 0


class ModelClient:
    """One endpoint with the answers and the budgets of all orgs."""

    def __init__(self, model: ChatModel, store: AnswerStore, clock: Clock, *, budget: int, grace_for: float) -> None:
        self._model = model
        self.store = store
        self.clock = clock
        self.grace_for = grace_for
        self._budget = budget
        self._failures = 0
        self._paused_until = 0.0  # monotonic

    async def ask(
        self, org_id: UUID, task: str, data: str, cost: ModelCost, *, tokens: int = ANSWER_TOKENS
    ) -> str | NotWritten:
        """The answer to a task about data of an org, or why there is none."""
        at = self.clock.now()
        key = digest("\0".join((self._model.model, task, data)).encode("utf-8", "replace"))
        kept = await self.store.get(org_id, key)
        if kept is not None:
            return kept
        if self.clock.monotonic() < self._paused_until:
            return NotWritten(reason="it failed a moment ago")
        reserved = (len(task) + len(data)) // _LETTERS_A_TOKEN + tokens
        if not await self.store.reserve(org_id, reserved, at=at, budget=self._budget):
            return NotWritten(reason="the budget of today is used up")
        cost.calls += 1
        cost.tokens += reserved
        completed = await self._model.complete(task, data, tokens=tokens)
        if isinstance(completed, NotWritten):
            self._failures += 1
            wait_for = completed.retry_after or PAUSE_FOR * 2 ** min(self._failures - 1, 6)
            self._paused_until = self.clock.monotonic() + min(wait_for, PAUSE_AT_MOST_FOR)
            return completed
        self._failures = 0
        if completed.tokens is not None:
            cost.tokens += completed.tokens - reserved
            await self.store.correct(org_id, completed.tokens - reserved, at=at)
        await self.store.keep(org_id, key, completed.text, at=at)
        return completed.text
