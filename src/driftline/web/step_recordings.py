"""Pages that are open in the browser while somebody records steps on them: one a user, ended when nobody uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final
from uuid import UUID

import msgspec

from driftline.errors import Busy
from driftline.model.browser.picking import OutlinedPage
from driftline.model.browser.steps import Step, StepResult
from driftline.model.fetch import Failed, Request

if TYPE_CHECKING:
    from driftline.fetch.browser.renderer import LivePage
    from driftline.wiring import App

IDLE_FOR: Final = 300.0  # seconds without a step, then it ends
AT_ONCE: Final = 4  # of all users: each is a browser of its own


class DoneSteps(msgspec.Struct, frozen=True, kw_only=True):
    """What was done last, and what the page shows now."""

    results: tuple[StepResult, ...]
    page: OutlinedPage | None


class StepRecording:
    """One page with the steps that were done on it; steps wait for each other."""

    def __init__(self, stack: AsyncExitStack, page: LivePage) -> None:
        self._stack = stack
        self._page = page
        self._turn = asyncio.Lock()
        self._done = 0

    async def do(self, steps: Sequence[Step]) -> DoneSteps:
        """Do these until one fails; it does not count, and the next one takes its number."""
        async with self._turn:
            results = []
            for step in steps:
                results.append(result := await self._page.do(self._done + 1, step))
                if result.outcome == "failed":
                    break
                self._done += 1
            return DoneSteps(results=tuple(results), page=await self._page.shown())

    async def close(self) -> None:
        """End the page and its browser."""
        async with self._turn:
            await self._stack.aclose()


class StepRecordings:
    """The recordings of this server, by user."""

    def __init__(self, *, idle_for: float = IDLE_FOR) -> None:
        self._idle_for = idle_for
        self._open: dict[UUID, StepRecording] = {}
        self._starting = 0
        self._timers: dict[UUID, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()

    async def start(self, app: App, user_id: UUID, request: Request) -> StepRecording | Failed:
        """Open the page; what this user had open ends. Raises Busy."""
        await self.end(user_id)
        if len(self._open) + self._starting >= AT_ONCE:
            raise Busy("too many people record steps at this moment", hint="try again in some minutes")
        self._starting += 1
        try:
            async with AsyncExitStack() as stack:
                fetcher = await stack.enter_async_context(app.fetcher())
                page = await stack.enter_async_context(fetcher.live(request))
                if isinstance(page, Failed):
                    return page
                recording = StepRecording(stack.pop_all(), page)
        finally:
            self._starting -= 1
        await self.end(user_id)  # one that the same user started meanwhile
        self._open[user_id] = recording
        self._used(user_id)
        return recording

    def of(self, user_id: UUID) -> StepRecording | None:
        """The one that this user has open, which goes on for some minutes from now."""
        if (found := self._open.get(user_id)) is not None:
            self._used(user_id)
        return found

    async def end(self, user_id: UUID) -> None:
        """End the one that this user has open."""
        if (timer := self._timers.pop(user_id, None)) is not None:
            timer.cancel()
        if (found := self._open.pop(user_id, None)) is not None:
            await found.close()

    async def close(self) -> None:
        """End all of them."""
        for user_id in list(self._open):
            await self.end(user_id)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _used(self, user_id: UUID) -> None:
        if (timer := self._timers.pop(user_id, None)) is not None:
            timer.cancel()
        self._timers[user_id] = asyncio.get_running_loop().call_later(self._idle_for, self._end_later, user_id)

    def _end_later(self, user_id: UUID) -> None:
        task = asyncio.get_running_loop().create_task(self.end(user_id))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
