"""Asks a model about changes: kept answers first, then the budget, then the endpoint; whatever fails, the change is sent."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import digest
from driftline.engine.jobs.models import ChatModel
from driftline.engine.jobs.summaries import NotWritten
from driftline.engine.models import prompts
from driftline.engine.ports import Clock
from driftline.model.change import Change
from driftline.model.delivery import Judgement

ANSWER_TOKENS: Final = 160
PAUSE_FOR: Final = 15.0  # seconds without a question after a failure; doubled with each further one
PAUSE_AT_MOST_FOR: Final = 900.0
CHANGES_AT_MOST: Final = 20  # of one report that are judged; the rest is sent
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


class ChangeJudge:
    """Judgements and summaries of changes within `grace_for` seconds for all changes of a report together."""

    def __init__(
        self, model: ChatModel, store: AnswerStore, clock: Clock, *, budget: int, grace_for: float, summaries: bool
    ) -> None:
        self._model = model
        self._store = store
        self._clock = clock
        self._budget = budget
        self._grace_for = grace_for
        self.summaries = summaries
        self._failures = 0
        self._paused_until = 0.0  # monotonic

    async def judge(
        self, changes: list[Change], intent: str, *, cost: ModelCost | None = None, keep: bool = True
    ) -> dict[UUID, Judgement]:
        """By change; one that the model did not answer for in time is sent, and says so."""
        found: dict[UUID, Judgement] = {}
        cost = cost if cost is not None else ModelCost()

        async def one(change: Change) -> None:
            found[change.id] = await self._one(change, intent, cost)

        tasks = [asyncio.create_task(one(change)) for change in changes[:CHANGES_AT_MOST]]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._grace_for)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for change in changes:
            if change.id not in found:
                found[change.id] = Judgement(reason="the model did not answer in time") if intent else Judgement()
        if keep:
            for change in changes:
                if found[change.id] != Judgement():
                    await self._store.judged(change.org_id, change.id, found[change.id], at=self._clock.now())
        return found

    async def _one(self, change: Change, intent: str, cost: ModelCost) -> Judgement:
        diff = prompts.diff_text(change)
        judged = await self._judged(change.org_id, diff, intent, cost) if intent else Judgement()
        if not self.summaries or not judged.notify:
            return judged
        summary = await self._ask(change.org_id, prompts.SUMMARY, diff, cost)
        if isinstance(summary, NotWritten) or prompts.addresses_a_model(diff):
            return judged
        return msgspec.structs.replace(judged, summary=prompts.plain_line(summary, prompts.SUMMARY_AT_MOST))

    async def _judged(self, org_id: UUID, diff: str, intent: str, cost: ModelCost) -> Judgement:
        answer = await self._ask(org_id, prompts.INTENT.format(intent=intent), diff, cost)
        if isinstance(answer, NotWritten):
            return Judgement(reason=f"the model could not be asked: {answer.reason}")
        judged = prompts.read_judgement(answer, addressed=prompts.addresses_a_model(diff))
        return judged or Judgement(reason="the model's answer is not understood")

    async def _ask(self, org_id: UUID, task: str, diff: str, cost: ModelCost) -> str | NotWritten:
        at = self._clock.now()
        key = digest("\0".join((self._model.model, task, diff)).encode("utf-8", "replace"))
        kept = await self._store.get(org_id, key)
        if kept is not None:
            return kept
        if self._clock.monotonic() < self._paused_until:
            return NotWritten(reason="it failed a moment ago")
        reserved = (len(task) + len(diff)) // _LETTERS_A_TOKEN + ANSWER_TOKENS
        if not await self._store.reserve(org_id, reserved, at=at, budget=self._budget):
            return NotWritten(reason="the budget of today is used up")
        cost.calls += 1
        cost.tokens += reserved
        completed = await self._model.complete(task, diff, tokens=ANSWER_TOKENS)
        if isinstance(completed, NotWritten):
            self._failures += 1
            wait_for = completed.retry_after or PAUSE_FOR * 2 ** min(self._failures - 1, 6)
            self._paused_until = self._clock.monotonic() + min(wait_for, PAUSE_AT_MOST_FOR)
            return completed
        self._failures = 0
        if completed.tokens is not None:
            cost.tokens += completed.tokens - reserved
            await self._store.correct(org_id, completed.tokens - reserved, at=at)
        await self._store.keep(org_id, key, completed.text, at=at)
        return completed.text
