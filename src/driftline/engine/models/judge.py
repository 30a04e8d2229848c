"""Asks a model about changes: whatever fails, the change is sent."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import msgspec

from driftline.engine.jobs.summaries import NotWritten
from driftline.engine.models import prompts
from driftline.engine.models.client import ModelClient, ModelCost
from driftline.model.change import Change
from driftline.model.delivery import Judgement

CHANGES_AT_MOST: Final = 20  # of one report that are judged; the rest is sent


class ChangeJudge:
    """Judgements and summaries of changes, for all changes of a report together within the client's grace."""

    def __init__(self, client: ModelClient, *, summaries: bool, language: str = "") -> None:
        self.client = client
        self.summaries = summaries
        self._summary = prompts.SUMMARY.format(language=language or prompts.PAGES_OWN)

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
            _, late = await asyncio.wait(tasks, timeout=self.client.grace_for)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for change in changes:
            if change.id not in found:
                found[change.id] = Judgement(reason="the model did not answer in time") if intent else Judgement()
        if keep:
            for change in changes:
                await self.keep(change, found[change.id])
        return found

    async def keep(self, change: Change, judgement: Judgement) -> None:
        """Keep what was said of a change, for its page."""
        if judgement != Judgement():
            await self.client.store.judged(change.org_id, change.id, judgement, at=self.client.clock.now())

    async def _one(self, change: Change, intent: str, cost: ModelCost) -> Judgement:
        diff = prompts.diff_text(change)
        judged = await self._judged(change.org_id, diff, intent, cost) if intent else Judgement()
        if not self.summaries or not judged.notify:
            return judged
        summary = await self.client.ask(change.org_id, self._summary, diff, cost)
        if isinstance(summary, NotWritten) or prompts.addresses_a_model(diff):
            return judged
        return msgspec.structs.replace(judged, summary=prompts.plain_line(summary, prompts.SUMMARY_AT_MOST))

    async def _judged(self, org_id: UUID, diff: str, intent: str, cost: ModelCost) -> Judgement:
        answer = await self.client.ask(org_id, prompts.INTENT.format(intent=intent), diff, cost)
        if isinstance(answer, NotWritten):
            return Judgement(reason=f"the model could not be asked: {answer.reason}")
        judged = prompts.read_judgement(answer, addressed=prompts.addresses_a_model(diff))
        return judged or Judgement(reason="the model's answer is not understood")
